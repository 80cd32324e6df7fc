//! A call with its parts, to explain to people why it was judged as it was.

use super::nonce::nonce;
use super::policy::Policy;
use super::reading::{RawCall, read_parameters};
use super::wordpress::{Reading, readings};
use crate::credentials::Caller;
use crate::payload::Parameters;
use crate::problem::Problem;

/// A call with its parts.
#[derive(Debug)]
pub struct Explanation<'a> {
    /// Every argument with its reading, in declaration order.
    pub readings: Vec<Reading<'a>>,
    /// All parameters that were sent, declared or not.
    pub parameters: &'a Parameters,
    /// The sender of the call: anonymous or with credentials.
    pub caller: Caller,
}

/// Reads the arguments of a call and passes them to `show`, which gets `None` if the target leads to no
/// operation.
pub(super) fn explain<T>(
    call: &RawCall<'_>,
    policy: &Policy,
    show: impl FnOnce(Option<Explanation<'_>>) -> T,
) -> Result<T, Problem> {
    let (Some(matched), Some(operation)) = (&call.target.matched, call.target.operation) else {
        return Ok(show(None));
    };
    let parameters = read_parameters(call, matched, &policy.limits)?;
    let caller = call.credentials.caller(nonce(call.method, &parameters).as_ref());
    Ok(show(Some(Explanation {
        readings: readings(operation, &parameters, policy.judge_context(caller)),
        parameters: &parameters,
        caller,
    })))
}
