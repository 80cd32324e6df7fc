//! What the cache would do with a request.

use super::answering_backends::answering;
use calendar_edge::telemetry::unix_time;
use calendar_edge_core::cache::{
    CachePolicy, KeySpace, LifetimeFacts, ReachedBy, Removal, Storable, written_by,
};
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::RequestHead;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::routing::CallTarget;
use serde_json::{Value, json};

/// What the cache would do with a call; null for calls that it has nothing to do with.
pub(super) fn treatment(
    call: &ForwardableCall,
    head: &RequestHead<'_>,
    target: Option<&CallTarget>,
    settings: &Settings,
) -> Value {
    let mut told = json!({
        // True if the response may be kept and looked up.
        "cacheable": false,
        // Why not, by the name in `Cache-Status`.
        "bypass": null,
        // Everything that the response depends on, with the backend that answers all clients.
        "key": null,
        // The time for which a success is served without asking, in seconds, without a companion plugin.
        "lifetime": null,
        // The setting or the moment that ends it.
        "ended_by": null,
        // The tags of all responses that a write removes; `everything`: all responses.
        "removes": [],
    });
    if let Some(removal) = written_by(call) {
        told["removes"] = removed(&removal).into();
        return told;
    }
    match CachePolicy::new(settings).judge(call) {
        None => return Value::Null,
        Some(Err(bypass)) => told["bypass"] = bypass.name().into(),
        Some(Ok(cacheable)) => {
            let matched = target.and_then(|target| target.matched.as_ref());
            let public = PublicAddress::of(settings.public_url.as_ref(), head.addressed);
            let reached = ReachedBy {
                public_base: &public.to_string(),
                namespace: matched.map(|matched| &*matched.namespace),
            };
            let now = unix_time();
            // The zone of the site is known to a running edge only.
            let filled = LifetimeFacts::new(now, Storable::Yes, cacheable.turn(), None);
            let (lifetime, rule) = settings.cache.lifetime(&filled, None, now);
            told["cacheable"] = true.into();
            told["key"] = KeySpace::new(&answering(call, settings))
                .key(cacheable, reached)
                .into();
            told["lifetime"] = lifetime.as_secs().into();
            told["ended_by"] = rule.reason().into();
        }
    }
    told
}

/// The call that the site is asked: for a response that everybody may get, HEAD asks for the body as well.
pub(super) fn asked(call: &ForwardableCall, settings: &Settings) -> ForwardableCall {
    match CachePolicy::new(settings).judge(call) {
        Some(Ok(cacheable)) => cacheable.for_everybody(),
        _ => None,
    }
    .unwrap_or_else(|| call.clone())
}

fn removed(removal: &Removal) -> Vec<String> {
    match removal {
        Removal::All => vec!["everything".to_owned()],
        Removal::Tags(tags) => tags.iter().map(ToString::to_string).collect(),
    }
}
