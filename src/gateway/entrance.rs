//! What is asked before a body is read: whether the visitor may call so often and write from there, and whether
//! the credentials are ones at all.
//!
//! Every request to the calendar is paid for before anything is judged: a flood of requests that would be
//! refused is a flood all the same, and one that is too fast costs neither a body nor a judgement.

use std::time::Instant;

use http::StatusCode;
use http::request::Parts;

use super::fault;
use crate::access::{Budgets, Call, Standings, Visitor, Writers};
use crate::answer::{Answer, refused};
use crate::layers::ClientAddress;
use crate::problem::Refusal;
use crate::settings::{Profile, Settings};
use crate::target::RouteMatch;
use crate::telemetry::Metrics;
use crate::upstream::{PrepareFault, check_authorization};

/// Marks an answer of the site that refuses the credentials; rides in the answer's extensions.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoginRefused;

/// Lets visitors in, or not.
#[derive(Debug)]
pub(super) struct Entrance {
    budgets: Budgets,
    writers: Writers,
    schemes: Vec<String>,
    metrics: Metrics,
}

// === impl Entrance ===

impl Entrance {
    pub(super) fn new(settings: &Settings, metrics: Metrics) -> Self {
        Self {
            budgets: Budgets::new(&settings.rate_limits),
            writers: Writers::new(settings),
            schemes: settings.authorization_schemes.clone(),
            metrics,
        }
    }

    /// The entrance under new settings; what visitors have spent stays spent.
    pub(super) fn renewed(&self, settings: &Settings) -> Self {
        Self {
            budgets: self.budgets.renewed(&settings.rate_limits),
            writers: Writers::new(settings),
            schemes: settings.authorization_schemes.clone(),
            metrics: self.metrics.clone(),
        }
    }

    /// Lets a visitor in, who is told how they stand, or gives the answer to one that must wait or may not write.
    pub(super) fn admit(
        &self,
        head: &Parts,
        matched: Option<&RouteMatch>,
        profile: Profile,
    ) -> Result<Standings, Box<Answer>> {
        let call = Call::of(&head.method, matched);
        let visitor = visitor(head);
        let spent = self.budgets.spend(visitor, call, Instant::now());
        let standings = spent.map_err(|exceeded| {
            self.metrics.rate_limited(exceeded.budget);
            Box::new(fault::too_fast(&exceeded))
        })?;
        let refusal = matched.and_then(|_| self.refusal(head, call, profile));
        match refusal {
            None => Ok(standings),
            Some(answer) => Err(Box::new(self.leave(head, &standings, answer))),
        }
    }

    fn refusal(&self, head: &Parts, call: Call, profile: Profile) -> Option<Answer> {
        if let Err(fault) = check_authorization(&head.headers, profile, &self.schemes) {
            return Some(fault::not_prepared(PrepareFault::Credentials(fault)));
        }
        if call == Call::Write && !self.writers.are_at(visitor(head)) {
            return Some(refused(&Refusal::edge(
                StatusCode::FORBIDDEN,
                "edge_address_denied",
                "Writing is not possible from this address.",
            )));
        }
        None
    }

    /// Whether the visitor is one who may write.
    pub(super) fn may_write(&self, head: &Parts) -> bool {
        self.writers.include(visitor(head))
    }

    /// Sees the answer to a visitor that was let in.
    pub(super) fn leave(&self, head: &Parts, standings: &Standings, mut answer: Answer) -> Answer {
        if answer.extensions().get::<LoginRefused>().is_some() {
            self.budgets.login_failed(visitor(head), Instant::now());
        }
        standings.write(answer.headers_mut());
        answer
    }
}

fn visitor(head: &Parts) -> Visitor<'_> {
    let client = head.extensions.get::<ClientAddress>();
    Visitor::new(client.and_then(|client| client.address), &head.headers)
}
