//! Findings: the objections to a call, for logs and metrics. All words are from closed sets, except for the names of
//! undeclared parameters, which are bounded; no value of the client is included.

use std::borrow::Cow;

use crate::contract::Operation;
use crate::problem::{Fault, Problem};

/// One reason to refuse a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The error code of the refusal.
    pub code: &'static str,
    /// The argument that the finding is about; none: the request as a whole. The name of an undeclared parameter is the
    /// client's text: it belongs into log lines, not into metrics.
    pub parameter: Option<Cow<'static, str>>,
    /// The rule that was broken.
    pub rule: &'static str,
}

/// The rule of parameters that are not declared, which only mode `report` finds.
const UNDECLARED: &str = "undeclared";

impl Finding {
    /// True if mode `enforce` refuses a call for it: parameters that are not declared are left out instead.
    pub fn is_refused(&self) -> bool {
        self.rule != UNDECLARED
    }

    /// The findings for a problem with an operation's arguments.
    pub(super) fn of(problem: &Problem, operation: &Operation) -> Vec<Self> {
        match problem {
            Problem::Missing(names) => names
                .iter()
                .map(|name| Self::about(problem, name, "required"))
                .collect(),
            Problem::Invalid(parameters) => {
                let rule = |name: &str, fault: &Fault| match fault {
                    Fault::Invalid => operation
                        .argument(name.as_bytes())
                        .map_or("crash", |known| known.rule.name()),
                    Fault::Type(schema) => schema.name(),
                    Fault::Strict(_) => "strict",
                };
                parameters
                    .iter()
                    .map(|p| Self::about(problem, p.name, rule(p.name, &p.fault)))
                    .collect()
            }
            other => vec![Self::unplaced(other)],
        }
    }

    /// The finding about a parameter that is not declared.
    pub(super) const fn undeclared(name: String) -> Self {
        Self {
            code: "rest_invalid_param",
            parameter: Some(Cow::Owned(name)),
            rule: UNDECLARED,
        }
    }

    /// A finding that is not about an argument.
    pub(super) fn unplaced(problem: &Problem) -> Self {
        Self {
            code: problem.code(),
            parameter: None,
            rule: "request",
        }
    }

    fn about(problem: &Problem, name: &'static str, rule: &'static str) -> Self {
        Self {
            code: problem.code(),
            parameter: Some(Cow::Borrowed(name)),
            rule,
        }
    }
}
