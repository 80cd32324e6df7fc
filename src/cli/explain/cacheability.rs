//! What the cache would do with a request.

use super::answering_backends::answering;
use calendar_edge::telemetry::unix_time;
use calendar_edge_core::cache::{
    CachePolicy, CacheableCall, KeySpace, LifetimeFacts, ReachedBy, Removal, Storable, written_by,
};
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::RequestHead;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::routing::CallTarget;
use serde::Serialize;

/// What the cache would do with a call.
#[derive(Debug, Default, Serialize)]
pub(super) struct CacheStory {
    /// True if the response may be kept and looked up.
    pub(super) cacheable: bool,
    /// Why not, by the name in `Cache-Status`.
    pub(super) bypass: Option<&'static str>,
    /// Everything that the response depends on, with the backend that answers all clients.
    pub(super) key: Option<String>,
    /// The time for which a success is served without asking, in seconds, without a companion plugin.
    pub(super) lifetime: Option<u64>,
    /// The setting or the moment that ends it.
    pub(super) ended_by: Option<&'static str>,
    /// The tags of all responses that a write removes; `everything`: all responses.
    pub(super) removes: Vec<String>,
}

// === impl CacheStory ===

impl CacheStory {
    /// `None` for calls that the cache has nothing to do with.
    pub(super) fn of(
        call: &ForwardableCall,
        head: &RequestHead<'_>,
        target: Option<&CallTarget>,
        settings: &Settings,
    ) -> Option<Self> {
        if let Some(removal) = written_by(call) {
            return Some(Self {
                removes: removed(&removal),
                ..Self::default()
            });
        }
        let story = match CachePolicy::new(settings).judge(call)? {
            Ok(cacheable) => {
                let matched = target.and_then(|target| target.matched.as_ref());
                let public = PublicAddress::of(settings.public_url.as_ref(), head.addressed);
                let reached = ReachedBy {
                    public_base: &public.to_string(),
                    namespace: matched.map(|matched| &*matched.namespace),
                };
                let backend = answering(call, settings);
                let key = KeySpace::new(&backend).key(cacheable, reached);
                Self {
                    key: Some(key),
                    ..Self::kept(cacheable, settings)
                }
            }
            Err(bypass) => Self {
                bypass: Some(bypass.name()),
                ..Self::default()
            },
        };
        Some(story)
    }

    fn kept(cacheable: CacheableCall<'_>, settings: &Settings) -> Self {
        let now = unix_time();
        // The zone of the site is known to a running edge only.
        let filled = LifetimeFacts::new(now, Storable::Yes, cacheable.turn(), None);
        let (lifetime, rule) = settings.cache.lifetime(&filled, None, now);
        Self {
            cacheable: true,
            lifetime: Some(lifetime.as_secs()),
            ended_by: Some(rule.reason()),
            ..Self::default()
        }
    }
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
