//! The way of a request from its head to a backend, and of the response back to its client.
//!
//! [`Gateway`] lets the [`Decider`] find where a request leads. A calendar call then passes the stages of
//! [`calendar_stages`],
//! top to bottom. The rest of the site (`other = "forward"`) passes `site/forward.rs` instead.

use std::sync::Arc;

use tower::ServiceBuilder;
use tower::layer::layer_fn;

use crate::backend::{Backends, OwnRequests};
use crate::cache::{CacheFetch, Caching, Invalidating, RepresentationPages, Representations};
use crate::calls::{BackendResult, CalendarCall, CallResponse, Deadline, Dispatch, PublicNames, Stage};
use crate::layers::EdgeResponse;
use crate::migration;
use crate::server::threads::Computing;
use crate::telemetry::TranslationMetrics;
use calendar_edge_core::cache::{CachePolicy, KeySpace, WritePlace};
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::Decider;
use calendar_edge_core::limits::rates::Budgets;
use calendar_edge_core::relay::RelayRules;
use calendar_edge_core::settings::{BackendSettings, Settings, Timeouts};

mod body;
mod calendar;
mod call_request;
mod gateway_state;
mod known_reads;
#[cfg(test)]
mod metric_reference;
mod rate_limiter;
mod record_reads;
mod service;
mod site;
#[cfg(test)]
mod stages_tests;
mod subjects;

pub(crate) use gateway_state::GatewayState;
pub(crate) use service::Gateway;
pub(crate) use subjects::Subjects;

use body::BodyReader;
use call_request::CallRequest;
use known_reads::KnownReads;
use rate_limiter::RateLimiter;

/// The parts of which the stages of one set of settings are made. Each takes those that it uses.
#[derive(Debug)]
struct Plan<'a> {
    settings: &'a Settings,
    state: &'a GatewayState,
    site: BackendSettings,
    /// The timeouts toward all backends.
    timeouts: Vec<Timeouts>,
    policy: CachePolicy,
    decider: Arc<Decider>,
    known: Arc<KnownReads>,
    backends: Arc<Backends>,
    rules: Arc<RelayRules>,
    bodies: BodyReader,
    candidates: migration::OtherBackends,
    cutovers: migration::Cutovers,
}

/// Puts the stages of a client's calendar call together; a call passes them from top to bottom.
fn calendar_stages<S>(plan: &Plan<'_>, answering: S) -> impl Stage<CallRequest, EdgeResponse> + use<S>
where
    S: Stage<CalendarCall, CallResponse>,
{
    let Plan { settings, state, .. } = plan;
    ServiceBuilder::new()
        // First of all: a flood must not cost more than this.
        .layer(layer_fn(|inner| {
            let limiter = plan.rate_limiter();
            calendar::rate_limit::RateLimit { inner, limiter }
        }))
        // Before judging, which needs the whole body; below the limits on the clients that may send one. A request that
        // its head decides does not have to send one.
        .layer(layer_fn(|inner| {
            let bodies = plan.bodies.clone();
            calendar::read_body::ReadBody { inner, bodies }
        }))
        // Nothing below sees a byte of the client that was not judged. The permission to write is one of the rules.
        .layer(layer_fn(|inner| {
            let public = settings.public_url.as_ref();
            calendar::judging::Judging {
                inner,
                decider: Arc::clone(&plan.decider),
                known: Arc::clone(&plan.known),
                public: public
                    .and_then(PublicAddress::from_url)
                    .as_ref()
                    .map(PublicNames::of),
                offers_calendar: settings.forms.calendar,
                metrics: state.metrics.clone(),
                findings: state.findings.clone(),
                budget: state.bodies.clone(),
                computing: Computing::new(),
            }
        }))
        // Above the cache, whose keys name the backend; below judging, which finds the caller.
        .layer(layer_fn(|inner| {
            let (rules, warnings) = (plan.cutover_rules(), state.warnings.clone());
            migration::CuttingOver {
                inner,
                warnings,
                rules,
            }
        }))
        // Below cutting over: one backend serves all pages of a calendar. Above the stored responses that it is made
        // of.
        .layer(layer_fn(|inner| plan.forms(inner)))
        .service(answering)
}

/// Puts the stages together that respond to a judged call, of a client or of the edge itself; a call passes them from
/// top to bottom.
fn serving_stages<S>(plan: &Plan<'_>, backends: S) -> impl Stage<CalendarCall, CallResponse> + use<S>
where
    S: Stage<CalendarCall, BackendResult>,
{
    let Plan { settings, state, .. } = plan;
    ServiceBuilder::new()
        // Below judging, because it takes judged calls only. Everything below is the same for all clients of a call.
        .layer(layer_fn(|inner| plan.caching(inner)))
        .layer(layer_fn(|inner| calendar::presenting::Presenting {
            inner,
            rules: Arc::clone(&plan.rules),
            warnings: state.warnings.clone(),
            translations: plan.translations(),
            has_cache: plan.policy.enabled,
        }))
        // Below presenting, because it reads records as the site wrote them; above what every single exchange needs.
        .layer(layer_fn(|inner| calendar::merging::Merging::new(inner, settings)))
        // Above the last deadline, where a response may leave while its write goes on.
        .layer(layer_fn(|inner| plan.invalidating(inner, WritePlace::Client)))
        // Above the tasks of writes: the client gets its response in time, while the write goes on.
        .layer(layer_fn(|inner| Deadline::new(inner, &plan.timeouts)))
        // A write is a task of its own from here on.
        .layer(layer_fn(|inner| {
            calendar::detach_writes::DetachWrites::new(inner, &state.drain)
        }))
        // In the task of the write, which runs to its end even if the client leaves.
        .layer(layer_fn(|inner| plan.invalidating(inner, WritePlace::Task)))
        // Right above the backend: it sees fresh responses only, before they are written for a client, and delays none.
        .layer(layer_fn(|inner| {
            let (inner, shadows) = (Arc::new(inner), plan.shadows());
            migration::Shadowing { inner, shadows }
        }))
        .service(backends)
}

// === impl Plan ===

impl<'a> Plan<'a> {
    fn new(settings: &'a Settings, state: &'a GatewayState) -> Self {
        let site = settings.site();
        let timeouts = settings.candidates().map(|backend| backend.timeouts);
        let informed = state.indexes.in_words(settings.clone());
        let rules = Arc::new(RelayRules::new(&informed.site(), &state.learnt, &state.buffers));
        let policies = settings.backends.iter().map(|backend| backend.credentials);
        let metrics = state.subjects.migration.metrics();
        let callers = migration::Callers::new(&site, &state.backends, &rules, metrics, policies);
        let candidates = migration::OtherBackends {
            callers,
            pools: state.pools.clone(),
            migration: state.subjects.migration.clone(),
        };
        Self {
            settings,
            state,
            cutovers: migration::Cutover::all(settings, &site, &candidates, &state.buffers),
            candidates,
            timeouts: timeouts.chain([site.timeouts.clone()]).collect(),
            decider: Arc::new(Decider::before(&informed, state.indexes.tables(&site))),
            known: Arc::new(KnownReads::new()),
            backends: Arc::new(Backends::new(&site, &state.backends)),
            rules,
            bodies: BodyReader::new(&settings.limits, &settings.timeouts, &state.bodies),
            policy: CachePolicy::new(settings),
            site,
        }
    }

    fn translations(&self) -> TranslationMetrics {
        let translations = self.state.metrics.translations();
        if self.site.roots.iter().any(|root| root.wanted.is_some()) {
            translations.expect();
        }
        translations.clone()
    }

    fn rate_limiter(&self) -> RateLimiter {
        let state = self.state;
        let metrics = state.metrics.rate_limits();
        RateLimiter::new(
            &self.settings.rate_limits,
            &state.buckets,
            &state.subjects.fleet,
            metrics,
        )
    }

    /// A cache before a stage.
    fn caching<S>(&self, inner: S) -> Caching<S>
    where
        S: Stage<CalendarCall, CallResponse>,
    {
        let (state, origin) = (self.state, &self.site.origin);
        let fetch = CacheFetch {
            inner,
            cache: state.subjects.cache.clone(),
            policy: self.policy.clone(),
            largest_body: u64::try_from(self.settings.cache.largest_body()).unwrap_or(u64::MAX),
            backends: Arc::clone(&self.backends),
            site: OwnRequests::new(origin, &origin.url, None),
            drain: state.drain.clone(),
            feed: state.subjects.companions.feed.clone(),
        };
        let keys = KeySpace::new(&self.site);
        Caching::new(fetch, &self.settings.cache, keys, &state.subjects.companions)
    }

    /// The forms of events beside JSON, which are made of a stage's responses in JSON.
    fn forms<S>(&self, inner: S) -> Representations<S>
    where
        S: Stage<CalendarCall, CallResponse>,
    {
        let (state, settings) = (self.state, &self.settings.forms);
        let json = Arc::new(inner);
        let written = self.caching(RepresentationPages {
            json: Arc::clone(&json),
            cache: state.subjects.cache.clone(),
            calendar_name: settings.calendar_name.clone(),
            computing: Computing::new(),
            buffers: state.buffers.clone(),
            warnings: state.warnings.clone(),
            budgets: Budgets::new(&self.settings.rate_limits, &state.buckets),
            limited: state.metrics.rate_limits().clone(),
        });
        Representations {
            json,
            written,
            offers_calendar: settings.calendar,
        }
    }

    /// The stage that removes stored responses, in one of two places.
    fn invalidating<S>(&self, inner: S, place: WritePlace) -> Invalidating<S> {
        let subjects = &self.state.subjects;
        let announcements = &subjects.companions.announcements;
        Invalidating::new(inner, place, &self.timeouts, &subjects.cache, announcements)
    }

    /// The end of the way: the site, and the backends of rules.
    fn backend_selection(&self) -> migration::BackendSelection {
        let (state, origin) = (self.state, &self.site.origin);
        migration::BackendSelection {
            primary: Dispatch::new(&self.backends, &self.rules)
                .with_companions(origin, &state.subjects.companions)
                .with_indexes(origin, &state.indexes),
            cutovers: Arc::clone(&self.cutovers),
        }
    }

    fn cutover_rules(&self) -> Option<migration::CutoverRules> {
        let placer = self.state.subjects.migration.placer();
        migration::CutoverRules::new(self.settings, &self.site, &self.cutovers, placer)
    }

    fn shadows(&self) -> Option<migration::Shadows> {
        migration::Shadows::new(
            self.settings,
            &self.candidates,
            &self.rules,
            &self.state.subjects.fleet.limits.size,
        )
    }
}
