//! What is asked before a body is read: whether the client may call so often and write from its address, and whether
//! its credentials are acceptable.
//!
//! Every request to the calendar is paid for before anything is judged: a flood of requests that would be
//! refused is a flood all the same, and one that is too fast costs neither a body nor a judgement.

use std::time::Instant;

use http::request::Parts;

use super::fault;
use crate::admission::{Budgets, Client, CostClass, NamedAccounts, Receipt, SharedBuckets, Writers};
use crate::credentials::{Credentials, Identity, RejectedCredentials};
use crate::layers::RequestContext;
use crate::problem::{EdgeError, Refusal};
use crate::response::{EdgeResponse, refused};
use crate::routing::CallTarget;
use crate::settings::{Profile, Settings};
use crate::telemetry::Metrics;

/// Marks an answer of the site that refuses the credentials; rides in the answer's extensions.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoginRefused;

/// A request that was let in: its head, with what is known about it and its sender.
pub(super) struct Admitted<'a> {
    pub(super) head: &'a Parts,
    pub(super) context: &'a RequestContext,
    pub(super) profile: Profile,
    pub(super) credentials: Credentials,
    receipt: Receipt,
}

/// Lets visitors in, or not.
#[derive(Debug)]
pub(super) struct Entrance {
    budgets: Budgets,
    buckets: SharedBuckets,
    writers: Writers,
    names: NamedAccounts,
    schemes: Vec<String>,
    metrics: Metrics,
}

// === impl Entrance ===

impl Entrance {
    pub(super) fn new(settings: &Settings, metrics: Metrics) -> Self {
        let buckets = SharedBuckets::new(&settings.rate_limits);
        Self {
            budgets: Budgets::new(&settings.rate_limits, &buckets),
            buckets,
            writers: Writers::new(settings),
            names: NamedAccounts::new(settings),
            schemes: settings.authorization_schemes.clone(),
            metrics,
        }
    }

    /// The entrance under new settings; what visitors have spent stays spent.
    pub(super) fn renewed(&self, settings: &Settings) -> Self {
        self.buckets.adapt(&settings.rate_limits);
        Self {
            budgets: Budgets::new(&settings.rate_limits, &self.buckets),
            buckets: self.buckets.clone(),
            writers: Writers::new(settings),
            names: NamedAccounts::new(settings),
            schemes: settings.authorization_schemes.clone(),
            metrics: self.metrics.clone(),
        }
    }

    /// Reads the credentials of a request and lets it in, or gives the answer to one that must wait or may not write.
    ///
    /// Credentials that are not accepted count for rate limits; where the target leads to no route, nothing else
    /// asks for them.
    pub(super) fn admit<'a>(
        &self,
        head: &'a Parts,
        context: &'a RequestContext,
        target: Option<&CallTarget>,
        profile: Profile,
    ) -> Result<Admitted<'a>, Box<EdgeResponse>> {
        let call = CostClass::of(&head.method, target.and_then(|target| target.operation));
        let credentials = Credentials::read(&head.headers, profile, &self.schemes);
        let identity = credentials
            .as_ref()
            .map_or_else(RejectedCredentials::identity, Credentials::identity);
        let receipt = self.spend(client(context, identity), call)?;
        let is_routed = target.is_some_and(|target| target.matched.is_some());
        let refusal = is_routed
            .then(|| self.refusal(context, &credentials, call))
            .flatten();
        if let Some(refusal) = refusal {
            let mut answer = refused(&refusal);
            receipt.status().write(answer.headers_mut());
            self.budgets.refund(receipt, Instant::now());
            return Err(Box::new(answer));
        }
        Ok(Admitted {
            head,
            context,
            profile,
            credentials: credentials.unwrap_or_default(),
            receipt,
        })
    }

    fn spend(&self, client: Client<'_>, call: CostClass) -> Result<Receipt, Box<EdgeResponse>> {
        let spent = self.budgets.spend(client, call, Instant::now());
        spent.map_err(|exceeded| {
            self.metrics.rate_limited(exceeded.budget);
            Box::new(fault::too_fast(&exceeded))
        })
    }

    fn refusal(
        &self,
        context: &RequestContext,
        credentials: &Result<Credentials, RejectedCredentials>,
        call: CostClass,
    ) -> Option<Refusal> {
        let identity = match credentials {
            Ok(credentials) => credentials.identity(),
            Err(rejected) => return Some(rejected.fault().refusal()),
        };
        if let Some(fault) = self.names.fault(identity) {
            return Some(fault.refusal());
        }
        let is_denied = call == CostClass::Write && !self.writers.are_at(client(context, identity));
        is_denied.then(|| Refusal::edge(EdgeError::AddressDenied))
    }

    /// Whether the client is one who may write.
    pub(super) fn may_write(&self, request: &Admitted<'_>) -> bool {
        self.writers.include(request.client())
    }

    /// Sees the answer to a client that was let in.
    pub(super) fn leave(&self, request: Admitted<'_>, mut answer: EdgeResponse) -> EdgeResponse {
        request.receipt.status().write(answer.headers_mut());
        if answer.extensions().get::<LoginRefused>().is_none() {
            self.budgets.refund(request.receipt, Instant::now());
        }
        answer
    }
}

// === impl Admitted ===

impl Admitted<'_> {
    fn client(&self) -> Client<'_> {
        client(self.context, self.credentials.identity())
    }
}

fn client<'a>(context: &RequestContext, identity: &'a Identity) -> Client<'a> {
    Client::new(context.client.address, identity)
}
