//! The treatment of a request by the cache.

use serde_json::{Value, json};

use super::basis::Basis;
use super::responding_backends::responding;
use crate::cache::{
    CachePolicy, KeySpace, LifetimeFacts, LifetimeRule, ReachedBy, Removal, Storable, written_by,
};
use crate::gateway::authority::PublicAddress;
use crate::gateway::decision::RequestHead;
use crate::settings::PRIMARY;
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::routing::CallTarget;

/// The treatment of a call by the cache; null for calls that it has nothing to do with.
pub(super) fn treatment(
    call: &ForwardableCall,
    head: &RequestHead<'_>,
    target: Option<&CallTarget>,
    basis: &Basis<'_>,
) -> Value {
    let mut treatment = json!({
        // True if the response may be kept and looked up.
        "cacheable": false,
        // The reason if it may not, by the name in `Cache-Status`.
        "bypass": null,
        // All facts that the response depends on, with the backend that responds to all clients.
        "key": null,
        // The time for which a success is served without a request to the site, in seconds.
        "lifetime": null,
        // The setting or the moment that ends it.
        "ended_by": null,
        // The tags of all responses that a write removes; `everything`: all responses.
        "removes": [],
    });
    if let Some(removal) = written_by(call) {
        treatment["removes"] = match removal {
            Removal::All => json!(["everything"]),
            Removal::Tags(tags) => tags.iter().map(ToString::to_string).collect(),
        };
        return treatment;
    }
    let settings = basis.settings;
    match CachePolicy::new(settings).judge(call) {
        None => return Value::Null,
        Some(Err(bypass)) => treatment["bypass"] = bypass.name().into(),
        Some(Ok(cacheable)) => {
            let matched = target.and_then(|target| target.matched.as_ref());
            let public = PublicAddress::of(settings.public_url.as_ref(), head.addressed);
            let reached = ReachedBy {
                public_base: &public.to_string(),
                namespace: matched.map(|matched| &*matched.namespace),
            };
            let backend = responding(call, basis);
            let filled = LifetimeFacts {
                is_of_backend: backend.name != PRIMARY,
                ..LifetimeFacts::new(basis.now, Storable::Yes, cacheable.turn(), basis.zone)
            };
            let (lifetime, rule) = settings.cache.lifetime(&filled, basis.companion, basis.now);
            let is_unknown = rule == LifetimeRule::EndOfDay && basis.zone.is_none();
            let unknown = if is_unknown {
                ", in a time zone that is not known here"
            } else {
                ""
            };
            treatment["cacheable"] = true.into();
            treatment["key"] = KeySpace::new(&backend).key(cacheable, reached).into();
            treatment["lifetime"] = lifetime.as_secs().into();
            treatment["ended_by"] = format!("{}{unknown}", rule.reason()).into();
        }
    }
    treatment
}

/// The call that goes to the site: for a response that every client may get, HEAD requests the body as well.
pub(super) fn forwarded(call: &ForwardableCall, basis: &Basis<'_>) -> ForwardableCall {
    match CachePolicy::new(basis.settings).judge(call) {
        Some(Ok(cacheable)) => cacheable.for_every_client(),
        _ => None,
    }
    .unwrap_or_else(|| call.clone())
}
