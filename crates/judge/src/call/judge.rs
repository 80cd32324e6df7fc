//! The judgement of one call, from top to bottom.

use http::Method;

use super::case::{Arrival, Case};
use super::finding::Finding;
use super::forwardable::ForwardableCall;
use super::phases::on_arrival;
use super::reading::RawCall;
use super::unfound::{elsewhere, unfound};
use crate::call::credentials::Credentials;
use crate::contract::{Operation, TableInForce, TablesInForce};
use crate::policy::{Mode, Policy, Profile};
use crate::problem::{Problem, Refusal};
use crate::routing::RouteMatch;

/// Judges calls by the contract table and the settings. Pure: the same call always gets the same judgement.
#[derive(Debug, Clone)]
pub struct Judge {
    pub(super) policy: Policy,
    tables: TablesInForce,
}

/// The verdict on a call, with its findings.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The operation; `None` if path and method lead to no operation.
    pub operation: Option<&'static Operation>,
    /// The objections that refuse the call or, in report mode, would refuse it.
    pub findings: Vec<Finding>,
    /// The mode that decided.
    pub mode: Mode,
    /// The reason for which the call is refused although its mode forwards calls that break a rule; `None` for every
    /// other call.
    pub insists: Option<&'static str>,
    /// The next step: forward or refuse.
    pub outcome: Outcome,
}

/// The part of a body that the judgement of a call depends on, by its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyNeed {
    /// The call is refused in the same words whatever its body is.
    Nothing,
    /// The call is refused for its missing credentials, unless its body has a fault that comes first, or a nonce.
    Words,
    /// The body decides.
    All,
}

/// The next step for a judged call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Send the call to the origin.
    Forward(Box<ForwardableCall>),
    /// Send this refusal to the client.
    Refuse(Refusal),
}

// === impl Judge ===

impl Judge {
    /// The judge by this policy, before sites of which nothing is known.
    pub fn new(policy: Policy) -> Self {
        Self::before(policy, TablesInForce::default())
    }

    /// The judge by this policy, before sites that publish these tables.
    pub const fn before(policy: Policy, tables: TablesInForce) -> Self {
        Self { policy, tables }
    }

    /// The table by which a call is judged.
    pub(super) fn table(&self, call: &RawCall<'_>) -> &TableInForce {
        self.tables.of_root(call.target.root)
    }

    /// The profile that decides about a call. It is known before the body is read, because it determines how
    /// credentials are read and whether a body is allowed.
    pub fn enforced_profile(&self, operation: Option<&Operation>) -> Profile {
        self.policy.enforced_profile(operation)
    }

    /// Judges a call. A refusal has the words of the site of the call's root.
    pub fn judge(&self, call: &RawCall<'_>) -> Judgement {
        let mut judgement = self.weigh(call);
        if let Outcome::Refuse(refusal) = judgement.outcome {
            let refusal = refusal.in_words(self.policy.words(call.target.root));
            judgement.outcome = Outcome::Refuse(refusal);
        }
        judgement
    }

    fn weigh(&self, call: &RawCall<'_>) -> Judgement {
        if let Some(arrival) = self.arrival(call) {
            return self.arrived(arrival);
        }
        if let Some(problem) = self.callback_problem(call) {
            return self.refused(None, Refusal::plain(problem));
        }
        match &call.target.matched {
            Some(matched) if call.target.method == Method::OPTIONS => self.describe(call, matched),
            Some(_) | None => self.refused(None, unfound(call, &self.policy)),
        }
    }

    /// The problem of a `_jsonp`; in the strict profile that is an ordinary undeclared parameter.
    fn callback_problem(&self, call: &RawCall<'_>) -> Option<Problem> {
        let takes_callback = self.enforced_profile(call.target.operation) == Profile::Compatible;
        takes_callback
            .then(|| self.policy.callback_problem(&call.target.query))
            .flatten()
    }

    /// The part of a body that the judgement of a call still depends on when its head is known; `call` has no body yet.
    pub fn needs(&self, call: &RawCall<'_>) -> BodyNeed {
        let Some(arrival) = self.arrival(call) else {
            return BodyNeed::Nothing;
        };
        if on_arrival(&arrival).is_some() {
            BodyNeed::Nothing
        } else if self.lacks_credentials(arrival.operation, call.credentials) {
            BodyNeed::Words
        } else {
            BodyNeed::All
        }
    }

    /// Returns true if calls of an operation are refused for their missing credentials, by their heads.
    pub fn lacks_credentials(&self, operation: &Operation, credentials: &Credentials) -> bool {
        self.policy.mode(Some(operation)) == Mode::Enforce
            && self.policy.lacks_credentials(operation, credentials.caller(None))
    }

    /// Judges a call that lacks credentials without its body.
    pub fn judge_unread(&self, call: &RawCall<'_>) -> Judgement {
        let Some(arrival) = self.arrival(call) else {
            return self.judge(call);
        };
        let refusal = arrival.refusal(Problem::Forbidden);
        let refusal = refusal.in_words(self.policy.words(call.target.root));
        self.refused(Some(arrival.operation), refusal)
    }

    /// A call of an operation; `None` for a call that is refused or described without one.
    fn arrival<'a>(&'a self, call: &'a RawCall<'a>) -> Option<Arrival<'a>> {
        let operation = call.target.operation?;
        if self.callback_problem(call).is_some() {
            return None;
        }
        Some(Arrival {
            matched: call.target.matched.as_ref()?,
            call,
            operation,
            policy: &self.policy,
            table: self.table(call),
        })
    }

    /// The refusal of a target below this root but outside the calendar API, laid out by its query.
    pub fn refuse_elsewhere(&self, root: Option<usize>, method: &Method, query: Option<&str>) -> Refusal {
        let refusal = elsewhere(method, query, &self.policy);
        match root {
            Some(root) => refusal.in_words(self.policy.words(root)),
            None => refusal,
        }
    }

    /// Judges a call of an operation. The arrival phases run before its body is read.
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
                insists: None,
                outcome: Outcome::Forward(Box::new(call)),
            },
            Err(objection) => {
                let judgement = self.refused(Some(case.operation), case.refusal(objection.problem));
                match judgement.mode {
                    Mode::Enforce => judgement,
                    Mode::Report | Mode::Off => Judgement {
                        insists: objection.insists.or(judgement.insists),
                        ..judgement
                    },
                }
            }
        }
    }

    /// Judges an OPTIONS call. It is forwarded, because only the origin has the methods that the caller may use. The
    /// strict profile refuses it, because it does not publish the origin's description of itself.
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
            insists: None,
            outcome: Outcome::Forward(Box::new(call)),
        }
    }

    fn refused(&self, operation: Option<&'static Operation>, refusal: Refusal) -> Judgement {
        let findings = match operation {
            Some(operation) => Finding::of(refusal.problem(), operation),
            None => vec![Finding::unplaced(refusal.problem())],
        };
        let mode = self.policy.mode(operation);
        Judgement {
            operation,
            findings,
            mode,
            insists: (mode != Mode::Enforce).then(|| refusal.problem().held_in_every_mode()),
            outcome: Outcome::Refuse(refusal),
        }
    }
}
