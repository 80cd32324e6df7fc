//! The way of a request from its head to a backend, and of the response back to its client.
//!
//! [`Gateway`] asks the [`Decider`] where a request leads. A calendar call then passes the stages of [`calendar`],
//! top to bottom. The rest of the site (`other = "forward"`) passes `site.rs` instead.

use std::sync::Arc;

use tower::ServiceBuilder;
use tower::layer::layer_fn;

use crate::backend::Backends;
use crate::decision::Decider;
use crate::relay::RelayRules;
use crate::response::EdgeResponse;
use crate::settings::Settings;
use crate::shared::Shared;
use crate::telemetry::Warnings;

mod body;
mod caching;
mod calls;
mod computing;
mod copier;
mod copy_budget;
mod cutting_over;
mod deadline;
mod detach_writes;
mod discovery;
mod dispatch;
mod fault;
mod filling;
mod forgetting;
mod forking;
mod forwarded;
mod head_refusal;
mod judging;
mod known_reads;
mod merging;
mod min_rate_body;
mod own_names;
mod patch_conditions;
mod presenting;
mod rate_limit;
mod read_body;
mod rehearsal;
mod route;
mod scanned_body;
mod served;
mod service;
mod shadowing;
mod site;
mod stage;
mod upgrade;
mod upload_body;

pub use rehearsal::{Reach, RecordedAnswers, Rehearsal, RehearsalFailure, RehearsedAnswer, RehearsedCall};
pub(crate) use service::Gateway;

use body::BodyReader;
use calls::CallRequest;
use known_reads::KnownReads;
use stage::Stage;

/// The parts that the stages of one set of settings share.
#[derive(Debug)]
struct Parts {
    decider: Arc<Decider>,
    known: Arc<KnownReads>,
    backends: Arc<Backends>,
    rules: Arc<RelayRules>,
    bodies: BodyReader,
    warnings: Warnings,
}

/// Puts the stages of a calendar call together; a call meets them from top to bottom.
fn calendar(
    settings: &Settings,
    shared: &Shared,
    parts: &Parts,
) -> impl Stage<CallRequest, Response = EdgeResponse> + use<> {
    ServiceBuilder::new()
        // First of all: a flood must not cost more than this.
        .layer(layer_fn(|inner| {
            rate_limit::RateLimit::new(inner, settings, shared)
        }))
        // Before the body: a request that its head decides does not have to send one.
        .layer(layer_fn(head_refusal::HeadRefusal::new))
        // Before judging, which needs the whole body; below the limits on who may send one.
        .layer(layer_fn(|inner| {
            read_body::ReadBody::new(inner, parts.bodies.clone())
        }))
        // Nothing below sees a byte of the client that was not judged. Who may write is one of the rules.
        .layer(layer_fn(|inner| {
            judging::Judging::new(inner, parts, settings, shared)
        }))
        // Above the cache, whose keys name who answers; below judging, which tells who the client is.
        .layer(layer_fn(|inner| {
            cutting_over::CuttingOver::new(inner, settings, shared)
        }))
        // Below judging, because it takes judged calls only. Everything below is the same for all clients of a call.
        .layer(layer_fn(|inner| {
            caching::Caching::new(inner, parts, settings, shared)
        }))
        .layer(layer_fn(|inner| presenting::Presenting::new(inner, parts)))
        // Below presenting, because it reads records as the site wrote them; above what every single exchange needs.
        .layer(layer_fn(|inner| merging::Merging::new(inner, settings)))
        // Above the last deadline, where an answer may leave while its write goes on.
        .layer(layer_fn(|inner| {
            forgetting::Forgetting::new(inner, settings, shared)
        }))
        // Above the tasks of writes: the client is answered in time, while the write goes on.
        .layer(layer_fn(|inner| deadline::Deadline::new(inner, settings)))
        // A write is a task of its own from here on.
        .layer(layer_fn(|inner| detach_writes::DetachWrites::new(inner, shared)))
        // In the task of the write, which runs to its end even if the client leaves.
        .layer(layer_fn(|inner| {
            forgetting::Forgetting::new(inner, settings, shared)
        }))
        // Right above the backend: it sees fresh answers only, before they are written for a client, and delays none.
        .layer(layer_fn(|inner| {
            shadowing::Shadowing::new(inner, parts, settings, shared)
        }))
        .service(forking::Forking::new(
            dispatch::Dispatch::new(&parts.backends, &parts.rules).hearing_companions(settings, shared),
        ))
}

// === impl Parts ===

impl Parts {
    fn new(settings: &Settings, shared: &Shared) -> Self {
        Self {
            decider: Arc::new(Decider::before(settings, shared.indexes.tables(settings))),
            known: Arc::new(KnownReads::new()),
            backends: Arc::new(Backends::new(settings, &shared.backends)),
            rules: Arc::new(RelayRules::new(settings, &shared.learnt, &shared.buffers)),
            bodies: BodyReader::new(settings, shared),
            warnings: shared.warnings.clone(),
        }
    }
}
