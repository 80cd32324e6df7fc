//! A call with its parts, for people who ask why it was judged as it was.

use super::nonce::nonce;
use super::policy::Policy;
use super::reading::{RawCall, read_bags};
use super::wordpress::{Reading, readings};
use crate::credentials::Caller;
use crate::payload::Bags;
use crate::problem::Problem;

/// A call with its parts.
#[derive(Debug)]
pub struct Explanation<'a> {
    /// Every argument with its reading, in declaration order.
    pub readings: Vec<Reading<'a>>,
    /// Everything that was sent, declared or not.
    pub bags: &'a Bags,
    /// Who sends it.
    pub caller: Caller,
}

/// Reads a call's arguments and shows them; `show` gets nothing where the target leads to no operation.
pub(super) fn explain<T>(
    call: &RawCall<'_>,
    policy: &Policy,
    show: impl FnOnce(Option<Explanation<'_>>) -> T,
) -> Result<T, Problem> {
    let (Some(matched), Some(operation)) = (&call.spot.matched, call.spot.operation) else {
        return Ok(show(None));
    };
    let bags = read_bags(call, matched, &policy.limits)?;
    let caller = call.credentials.caller(nonce(call.method, &bags).as_ref());
    Ok(show(Some(Explanation {
        readings: readings(operation, &bags, policy.premises(caller)),
        bags: &bags,
        caller,
    })))
}
