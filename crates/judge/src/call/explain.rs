//! A call with its parts, to explain to people why it was judged as it was.

use super::judge::Judge;
use super::nonce::nonce;
use super::reading::{RawCall, read_parameters};
use super::rules::JudgeContext;
use super::undeclared::{UndeclaredOutcome, UndeclaredRule};
use super::wordpress::{Reading, readings};
use crate::call::credentials::Caller;
use crate::contract::{Operation, OperationInForce};
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
    /// Reads the arguments of a call, to explain to people why it was judged as it was. `show` gets none of a call that
    /// is unreadable, or whose path and method lead to no operation.
    pub fn explain(&self, call: &RawCall<'_>, show: impl FnOnce(Explanation<'_>)) {
        let (Some(matched), Some(operation)) = (&call.target.matched, call.target.operation) else {
            return;
        };
        let (policy, table) = (&self.policy, self.table(call));
        let Ok(parameters) = read_parameters(call, matched) else {
            return;
        };
        let caller = call.credentials.caller(nonce(call, &parameters).as_ref());
        let in_force = table.operation(operation);
        show(Explanation {
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
        });
    }
}

// === impl Explanation ===

impl Explanation<'_> {
    /// The treatment of a parameter; `None` for a name that the table or WordPress itself has a rule for.
    pub fn fate(&self, name: &[u8]) -> Option<UndeclaredOutcome> {
        self.rule.fate(name)
    }
}
