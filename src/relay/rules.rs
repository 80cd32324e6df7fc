//! What relaying an answer depends on: the settings, and the call it answers.

use std::sync::Arc;

use http::{HeaderValue, Method};

use super::advertised::OriginUrls;
use super::judge::Script;
use super::shelf::Shelf;
use crate::contract::{Action, OperationId};
use crate::settings::{CorsSettings, Settings};

/// The part of the settings that relaying obeys; one value serves all calls.
#[derive(Debug)]
pub struct RelayRules {
    pub(super) urls: OriginUrls,
    pub(super) cors: CorsSettings,
    pub(super) answer_bytes: u64,
    pub(super) answer_buffer_bytes: usize,
    pub(super) shelf: Shelf,
}

/// The call that an answer belongs to.
#[derive(Debug, Clone)]
pub struct RelayContext {
    /// The settings.
    pub rules: Arc<RelayRules>,
    /// The root the call came in on: an index into [`Settings::roots`].
    pub root: usize,
    /// Scheme and authority under which this client reaches the edge, without a trailing slash.
    pub public_base: Arc<str>,
    /// The client's method.
    pub method: Method,
    /// The client's `Origin`.
    pub origin: Option<HeaderValue>,
    /// Whether the client showed credentials.
    pub audience: Audience,
    /// What the body is about.
    pub content: Content,
    /// Whether a `_jsonp` parameter was forwarded.
    pub script: Script,
    /// Whether an `_envelope` parameter was forwarded: then the status says nothing (CONTRACT section 12).
    pub enveloped: bool,
}

/// Who an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Audience {
    /// Whoever asks without credentials.
    #[default]
    Everybody,
    /// The client alone that showed an `Authorization`, a login cookie, a nonce or a password.
    OneClient,
}

/// What the body of an answer is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// Records, where the namespace stands in URLs only.
    #[default]
    Records,
    /// The API itself, where the namespace is a name: the index, `/doc`, answers to OPTIONS.
    Description,
}

// === impl RelayRules ===

impl RelayRules {
    /// Takes what relaying needs from the settings.
    pub fn new(settings: &Settings) -> Self {
        let public_namespace = settings.namespaces.first().map_or("", String::as_str);
        Self {
            urls: OriginUrls::new(&settings.origin, &settings.roots, public_namespace),
            cors: settings.cors_rules(),
            answer_bytes: settings.limits.response_bytes,
            answer_buffer_bytes: settings.limits.response_buffer_bytes,
            shelf: Shelf::new(settings.limits.response_buffer_total),
        }
    }

    /// Takes over what earlier rules have learnt, as far as it is about the same roots, and what waits for clients.
    #[must_use]
    pub fn remembering(mut self, earlier: &Self) -> Self {
        self.urls.remember(&earlier.urls);
        self.shelf.remember(&earlier.shelf);
        self
    }

    /// The names of the origin, for answers that are not relayed by [`relay`](super::relay()).
    pub const fn urls(&self) -> &OriginUrls {
        &self.urls
    }
}

// === impl Content ===

impl Content {
    /// What the answer to a method on an operation is about.
    pub fn of(operation: OperationId, method: &Method) -> Self {
        if operation.action == Action::Describe || method == Method::OPTIONS {
            return Self::Description;
        }
        Self::Records
    }
}
