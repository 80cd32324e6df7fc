//! One call judged, top to bottom.

use http::Method;

use super::case::{Arrival, Case};
use super::explain::{Explanation, explain};
use super::finding::Finding;
use super::forwardable::ForwardableCall;
use super::phases::on_arrival;
use super::policy::Policy;
use super::reading::RawCall;
use super::unfound::{elsewhere, unfound};
use crate::contract::Operation;
use crate::problem::{Problem, Refusal};
use crate::routing::RouteMatch;
use crate::settings::{Mode, Profile, Settings};

/// Judges calls by the contract table and the settings. Pure: the same call gives the same judgement.
#[derive(Debug, Clone)]
pub struct Judge {
    policy: Policy,
}

/// What becomes of a call, and what was found on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The operation; none where path or method lead to none.
    pub operation: Option<&'static Operation>,
    /// What was or, in report mode, would be refused.
    pub findings: Vec<Finding>,
    /// The mode that decided.
    pub mode: Mode,
    /// What happens now.
    pub outcome: Outcome,
}

/// What happens to a judged call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It goes to the origin.
    Forward(Box<ForwardableCall>),
    /// The edge answers.
    Refuse(Refusal),
}

// === impl Judge ===

impl Judge {
    /// The judge these settings ask for.
    pub fn new(settings: &Settings) -> Self {
        Self {
            policy: Policy::new(settings),
        }
    }

    /// The profile that decides about a call, which is known before its body is read: how its credentials are
    /// read, and whether a body may come at all.
    pub fn enforced_profile(&self, operation: Option<&Operation>) -> Profile {
        self.policy.enforced_profile(operation)
    }

    /// Judges a call; a refusal is worded as its root's site would.
    pub fn judge(&self, call: &RawCall<'_>) -> Judgement {
        let mut judgement = self.weigh(call);
        if let Outcome::Refuse(refusal) = judgement.outcome {
            let refusal = refusal.in_words(self.policy.words(call.target.root));
            judgement.outcome = Outcome::Refuse(refusal);
        }
        judgement
    }

    fn weigh(&self, call: &RawCall<'_>) -> Judgement {
        let operation = call.target.operation;
        // In the strict profile `_jsonp` is an undeclared parameter like any other.
        if self.enforced_profile(operation) == Profile::Compatible
            && let Some(problem) = self.policy.callback_problem(&call.target.query)
        {
            return self.refused(None, Refusal::plain(problem));
        }
        match (&call.target.matched, operation) {
            (Some(matched), Some(operation)) => self.arrived(Arrival {
                call,
                matched,
                operation,
                policy: &self.policy,
            }),
            (Some(matched), None) if *call.method == Method::OPTIONS => self.describe(call, matched),
            (Some(_) | None, _) => self.refused(None, unfound(call, &self.policy)),
        }
    }

    /// Reads a call's arguments for people who ask why it was judged as it was; `show` gets nothing where
    /// path and method lead to no operation.
    ///
    /// # Errors
    /// What makes the call unreadable.
    pub fn explain<T>(
        &self,
        call: &RawCall<'_>,
        show: impl FnOnce(Option<Explanation<'_>>) -> T,
    ) -> Result<T, Problem> {
        explain(call, &self.policy, show)
    }

    /// The refusal for a target outside the calendar API but below this root, laid out as its query asks.
    pub fn refuse_elsewhere(&self, root: Option<usize>, method: &Method, query: Option<&str>) -> Refusal {
        let refusal = elsewhere(method, query, &self.policy);
        match root {
            Some(root) => refusal.in_words(self.policy.words(root)),
            None => refusal,
        }
    }

    /// A call of an operation: nothing is read from it before the phases of its arrival.
    fn arrived(&self, arrival: Arrival<'_>) -> Judgement {
        match on_arrival(&arrival).map_or_else(|| arrival.read(), Err) {
            Ok(case) => self.judge_case(&case),
            Err(problem) => self.refused(Some(arrival.operation), arrival.refusal(problem)),
        }
    }

    fn judge_case(&self, case: &Case<'_>) -> Judgement {
        match ForwardableCall::judge(case) {
            Ok((call, findings)) => Judgement {
                operation: Some(case.operation),
                findings,
                mode: case.mode,
                outcome: Outcome::Forward(Box::new(call)),
            },
            Err(problem) => self.refused(Some(case.operation), case.refusal(problem)),
        }
    }

    /// OPTIONS is answered by the origin, which alone knows what the caller may do; the strict profile keeps
    /// the origin's description of itself from everybody.
    fn describe(&self, call: &RawCall<'_>, matched: &RouteMatch) -> Judgement {
        let mut findings = Vec::new();
        let mode = self.policy.mode(None);
        if self.policy.is_strict(None) && mode != Mode::Off {
            let refusal = unfound(call, &self.policy);
            if mode == Mode::Enforce {
                return self.refused(None, refusal);
            }
            findings.push(Finding::unplaced(refusal.problem()));
        }
        let call = ForwardableCall::description(call, matched, &self.policy);
        Judgement {
            operation: None,
            findings,
            mode,
            outcome: Outcome::Forward(Box::new(call)),
        }
    }

    fn refused(&self, operation: Option<&'static Operation>, refusal: Refusal) -> Judgement {
        let findings = match operation {
            Some(operation) => Finding::of(refusal.problem(), operation),
            None => vec![Finding::unplaced(refusal.problem())],
        };
        Judgement {
            operation,
            findings,
            mode: self.policy.mode(operation),
            outcome: Outcome::Refuse(refusal),
        }
    }
}
