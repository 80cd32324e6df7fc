//! A call with its parts, to explain to people why it was judged as it was.

use super::judge::Judge;
use super::nonce::nonce;
use super::reading::{RawCall, read_parameters};
use super::rules::JudgeContext;
use super::undeclared::{UndeclaredOutcome, UndeclaredRule};
use super::wordpress::{Reading, readings};
use crate::call::credentials::Caller;
use crate::contract::{Operation, OperationInForce};
use crate::problem::Problem;
use crate::wordpress::payload::Parameters;

/// A call with its parts.
#[derive(Debug)]
pub struct Explanation<'a> {
    /// Every argument with its reading, in declaration order.
    pub readings: Vec<Reading<'a>>,
    /// All parameters that were sent, declared or not.
    pub parameters: &'a Parameters,
    /// The operation.
    pub operation: &'a Operation,
    /// The operation as its site publishes it.
    pub in_force: &'a OperationInForce,
    rule: UndeclaredRule<'a>,
    /// The sender of the call: anonymous or with credentials.
    pub caller: Caller,
}

// === impl Judge ===

impl Judge {
    /// Reads the arguments of a call, to explain to people why it was judged as it was. `show` gets `None` if
    /// path and method lead to no operation.
    ///
    /// # Errors
    /// The reason why the call cannot be read.
    pub fn explain<T>(
        &self,
        call: &RawCall<'_>,
        show: impl FnOnce(Option<Explanation<'_>>) -> T,
    ) -> Result<T, Problem> {
        let (Some(matched), Some(operation)) = (&call.target.matched, call.target.operation) else {
            return Ok(show(None));
        };
        let (policy, table) = (&self.policy, self.table(call));
        let parameters = read_parameters(call, matched, &policy.limits)?;
        let caller = call.credentials.caller(nonce(call, &parameters).as_ref());
        let in_force = table.operation(operation);
        Ok(show(Some(Explanation {
            readings: readings(
                operation,
                in_force,
                &parameters,
                JudgeContext::new(caller, policy, table),
            ),
            parameters: &parameters,
            operation,
            in_force,
            rule: UndeclaredRule {
                operation,
                in_force,
                policy,
            },
            caller,
        })))
    }
}

// === impl Explanation ===

impl Explanation<'_> {
    /// The treatment of a parameter; `None` for a name that the table or WordPress itself has a rule for.
    pub fn fate(&self, name: &[u8]) -> Option<UndeclaredOutcome> {
        self.rule.fate(name)
    }
}
