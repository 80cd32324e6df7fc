//! WordPress's own three checks, in its order (backend.md section 2, steps 7 to 9).

use super::rules::{JudgeContext, judge_value};
use crate::contract::{Argument, ArgumentStanding, Operation, OperationInForce, Schema};
use crate::problem::{Fault, InvalidParameter, Problem};
use crate::wordpress::payload::{Parameters, Source};
use crate::wordpress::value::boolean::is_boolean;
use crate::wordpress::value::integer::is_integer;
use crate::wordpress::value::{KeyRef, Value, Verdict, Why};

/// The result of WordPress's checks for a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Checked {
    /// The origin would run the handler, as far as the edge can judge. Arguments that the edge cannot judge are listed.
    Passed {
        /// Arguments whose value only the origin can judge.
        deferred: Vec<Deferred>,
    },
    /// The origin would refuse the call.
    Refused(Problem),
    /// The origin would refuse the call, in words that depend on facts that only the origin has.
    RefusedByOrigin {
        /// Arguments whose value only the origin can judge.
        deferred: Vec<Deferred>,
        /// The refusal if the origin accepts all deferred values.
        supposed: Problem,
    },
}

/// An argument whose value only the origin can judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deferred {
    /// The argument.
    pub name: &'static str,
    /// The reason why only the origin can judge it.
    pub why: Why,
}

/// One argument's reading and verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<'a> {
    /// The argument of the table.
    pub argument: &'a Argument,
    /// The value that wins, and the source it came from.
    pub winner: Option<(Source, &'a Value)>,
    /// The standing of the argument: judged or not.
    pub standing: ArgumentStanding,
    /// The verdict of the validate callback; absent values pass, and so do those that are not judged.
    pub verdict: Verdict,
}

/// Every argument of an operation with the value that WordPress would read, and the verdict on it.
pub(super) fn readings<'a>(
    operation: &'a Operation,
    in_force: &OperationInForce,
    parameters: &'a Parameters,
    judge_context: JudgeContext<'_>,
) -> Vec<Reading<'a>> {
    let read = |(position, argument): (usize, &'a Argument)| {
        let winner = parameters.get(argument.name);
        let standing = in_force.standing(position);
        let verdict = match (standing, winner) {
            (ArgumentStanding::Unjudged | ArgumentStanding::Dropped, _) | (_, None) => Verdict::Admit,
            (ArgumentStanding::Judged, Some((_, value))) => judge_value(argument.rule, value, judge_context),
            (ArgumentStanding::Unsure, Some((_, value))) => {
                match judge_value(argument.rule, value, judge_context) {
                    Verdict::Reject => Verdict::Defer(Why::Version),
                    other => other,
                }
            }
        };
        Reading {
            argument,
            winner,
            standing,
            verdict,
        }
    };
    operation.arguments.iter().enumerate().map(read).collect()
}

/// Runs WordPress's phases: missing, invalid, of the wrong type. The first phase that finds problems
/// determines the one response.
pub(super) fn check(parameters: &Parameters, readings: &[Reading<'_>]) -> Checked {
    if let Some(problem) = missing(readings).or_else(|| invalid(readings)) {
        return Checked::Refused(problem);
    }
    let deferred: Vec<Deferred> = readings.iter().filter_map(Reading::deferred).collect();
    let mistyped = mistyped(parameters, readings);
    if mistyped.is_empty() {
        return Checked::Passed { deferred };
    }
    // A value of the wrong type that may be invalid too gets one of two messages.
    let is_unsure = mistyped
        .iter()
        .any(|wrong| deferred.iter().any(|unknown| unknown.name == wrong.name));
    let supposed = Problem::Invalid(mistyped);
    if is_unsure {
        Checked::RefusedByOrigin { deferred, supposed }
    } else {
        Checked::Refused(supposed)
    }
}

fn missing(readings: &[Reading<'_>]) -> Option<Problem> {
    let absent = readings
        .iter()
        .filter(|reading| reading.argument.is_required && reading.is_judged() && reading.winner.is_none());
    let names: Vec<&'static str> = absent.map(|reading| reading.argument.name).collect();
    (!names.is_empty()).then_some(Problem::Missing(names))
}

fn invalid(readings: &[Reading<'_>]) -> Option<Problem> {
    let refused = readings.iter().filter(|reading| reading.verdict.is_reject());
    let parameters: Vec<InvalidParameter> = refused
        .map(|reading| InvalidParameter {
            name: reading.argument.name,
            fault: Fault::Invalid,
        })
        .collect();
    (!parameters.is_empty()).then_some(Problem::Invalid(parameters))
}

/// Checks all values that were sent against their schema types, including values that do not win. Each
/// argument appears once, at its first position.
fn mistyped(parameters: &Parameters, readings: &[Reading<'_>]) -> Vec<InvalidParameter> {
    let mut wrong: Vec<InvalidParameter> = Vec::new();
    for sent in parameters.in_order() {
        for (key, value) in sent.parameters.entries() {
            let KeyRef::Text(name) = key else { continue };
            let mut judged = readings.iter().filter(|reading| reading.is_judged());
            let Some(reading) = judged.find(|reading| reading.argument.name.as_bytes() == name) else {
                continue;
            };
            let argument = reading.argument;
            let Some(schema) = argument.schema else { continue };
            if !is_of_type(schema, value) && wrong.iter().all(|known| known.name != argument.name) {
                wrong.push(InvalidParameter {
                    name: argument.name,
                    fault: Fault::Type(schema),
                });
            }
        }
    }
    wrong
}

/// True if WordPress takes a value for one of this schema type.
pub(super) fn is_of_type(schema: Schema, value: &Value) -> bool {
    match schema {
        Schema::String => matches!(value, Value::String(_)),
        Schema::Integer => is_integer(value),
        Schema::Boolean => is_boolean(value),
    }
}

// === impl Reading ===

impl Reading<'_> {
    fn deferred(&self) -> Option<Deferred> {
        match self.verdict {
            Verdict::Defer(why) => Some(Deferred {
                name: self.argument.name,
                why,
            }),
            Verdict::Admit | Verdict::Reject => None,
        }
    }

    fn is_judged(&self) -> bool {
        self.standing == ArgumentStanding::Judged
    }
}
