//! The way of a request from its head to a backend, and of the response back to its client.
//!
//! [`Gateway`] asks the [`Decider`] where a request leads. A calendar call then passes the stages of [`calendar_stages`],
//! top to bottom. The rest of the site (`other = "forward"`) passes `site.rs` instead.

use std::sync::Arc;

use tower::ServiceBuilder;
use tower::layer::layer_fn;

use crate::backend::Backends;
use crate::companion::AsksSite;
use crate::layers::EdgeResponse;
use crate::telemetry::Warnings;
use calendar_edge_core::cache::CachePolicy;
use calendar_edge_core::gateway::decision::Decider;
use calendar_edge_core::relay::RelayRules;
use calendar_edge_core::settings::{BackendSettings, BackendTimeouts, Settings};

mod awaiting_namespace;
mod body;
mod cache;
mod calendar;
mod calls;
mod dispatch;
mod fault;
mod feed;
mod forwarded;
mod migration;
mod rate_limiter;
mod service;
mod shared;
mod site;
mod stage;

pub use migration::dry_run::{DryRun, DryRunAnswer, DryRunCall, DryRunFailure, Reach};
pub(crate) use service::Gateway;
pub(crate) use shared::Shared;

use body::BodyReader;
use cache::invalidating::WritePlace;
use cache::known_reads::KnownReads;
use calls::{CalendarCall, CallRequest, CallResponse};
use rate_limiter::RateLimiter;
use stage::Stage;

/// The parts that the stages of one set of settings share.
#[derive(Debug)]
struct Parts {
    site: BackendSettings,
    /// The timeouts toward all backends.
    timeouts: Vec<BackendTimeouts>,
    cache: CachePolicy,
    decider: Arc<Decider>,
    known: Arc<KnownReads>,
    backends: Arc<Backends>,
    rules: Arc<RelayRules>,
    bodies: BodyReader,
    warnings: Warnings,
    /// Who callers are, for backends that get identities.
    callers: Option<Arc<migration::Callers>>,
}

/// Puts the stages of a client's calendar call together; a call meets them from top to bottom.
fn calendar_stages<S>(
    settings: &Settings,
    shared: &Shared,
    parts: &Parts,
    answering: S,
    _site: &Arc<dyn AsksSite>,
) -> impl Stage<CallRequest, Response = EdgeResponse> + use<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    ServiceBuilder::new()
        // First of all: a flood must not cost more than this.
        .layer(layer_fn(|inner| {
            let limiter = RateLimiter::new(&settings.rate_limits, shared);
            calendar::rate_limit::RateLimit::new(inner, limiter)
        }))
        // Before the body: a request that its head decides does not have to send one.
        .layer(layer_fn(calendar::head_refusal::HeadRefusal::new))
        // Before judging, which needs the whole body; below the limits on who may send one.
        .layer(layer_fn(|inner| {
            calendar::read_body::ReadBody::new(inner, parts.bodies.clone())
        }))
        // Nothing below sees a byte of the client that was not judged. Who may write is one of the rules.
        .layer(layer_fn(|inner| {
            calendar::judging::Judging::new(inner, parts, settings, shared)
        }))
        // Above the cache, whose keys name who answers; below judging, which tells who the client is.
        .layer(layer_fn(|inner| {
            migration::cutting_over(inner, parts, settings, shared)
        }))
        // Below cutting over: one backend answers all pages of a calendar. Above the stored responses that it is made of.
        .layer(layer_fn(|inner| {
            cache::forms::Forms::new(inner, parts, settings, shared)
        }))
        .service(answering)
}

/// Puts the stages together that answer a judged call, of a client or of the edge itself; a call meets them from top to
/// bottom.
fn answering_stages(
    settings: &Settings,
    shared: &Shared,
    parts: &Parts,
) -> impl Stage<CalendarCall, Response = CallResponse> + use<> {
    ServiceBuilder::new()
        // Below judging, because it takes judged calls only. Everything below is the same for all clients of a call.
        .layer(layer_fn(|inner| {
            cache::caching::Caching::new(inner, parts, &settings.cache, shared)
        }))
        .layer(layer_fn(|inner| {
            calendar::presenting::Presenting::new(inner, parts)
        }))
        // Below presenting, because it reads records as the site wrote them; above what every single exchange needs.
        .layer(layer_fn(|inner| calendar::merging::Merging::new(inner, settings)))
        // Above the last deadline, where an answer may leave while its write goes on.
        .layer(layer_fn(|inner| {
            cache::invalidating::Invalidating::new(inner, WritePlace::Client, &parts.timeouts, shared)
        }))
        // Above the tasks of writes: the client is answered in time, while the write goes on.
        .layer(layer_fn(|inner| {
            calendar::deadline::Deadline::new(inner, &parts.timeouts)
        }))
        // A write is a task of its own from here on.
        .layer(layer_fn(|inner| {
            calendar::detach_writes::DetachWrites::new(inner, shared)
        }))
        // In the task of the write, which runs to its end even if the client leaves.
        .layer(layer_fn(|inner| {
            cache::invalidating::Invalidating::new(inner, WritePlace::Task, &parts.timeouts, shared)
        }))
        // Right above the backend: it sees fresh answers only, before they are written for a client, and delays none.
        .layer(layer_fn(|inner| {
            migration::shadowing(inner, parts, settings, shared)
        }))
        .service(migration::select_backend(
            dispatch::Dispatch::new(&parts.backends, &parts.rules)
                .with_companions(&parts.site.origin, shared)
                .with_looks(&parts.site.origin, shared),
        ))
}

// === impl Parts ===

impl Parts {
    fn new(settings: &Settings, shared: &Shared) -> Self {
        let site = settings.site();
        let timeouts = settings.candidates().map(|backend| backend.timeouts);
        let rules = Arc::new(RelayRules::new(&site, &shared.learnt, &shared.buffers));
        Self {
            callers: {
                let policies = settings.backends.iter().map(|backend| backend.credentials);
                let metrics = shared.metrics.migration();
                migration::Callers::new(&site, &shared.backends, &rules, metrics, policies)
            },
            timeouts: timeouts.chain([site.timeouts.clone()]).collect(),
            decider: Arc::new(Decider::before(settings, shared.indexes.tables(&site))),
            known: Arc::new(KnownReads::new()),
            backends: Arc::new(Backends::new(&site, &shared.backends)),
            rules,
            bodies: BodyReader::new(&settings.limits, &settings.timeouts, shared),
            warnings: shared.warnings.clone(),
            cache: CachePolicy::new(settings),
            site,
        }
    }
}
