//! What is known of a call before its response comes.

use http::Method;

use crate::relay::rewrite::Content;

/// The call that a response belongs to. Nothing here depends on the client.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The root it is sent to: an index into [`Settings::roots`](crate::settings::Settings::roots).
    pub root: usize,
    /// The method: the response to HEAD has no body.
    pub method: Method,
    /// What the body is about.
    pub content: Content,
    /// Whether a `_jsonp` parameter is forwarded.
    pub script: Script,
    /// Whether an `_envelope` parameter is forwarded: then the status says nothing (backend.md section 12).
    pub enveloped: bool,
}

/// Whether a `_jsonp` parameter was forwarded, so that the response may be a script (backend.md section 12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Script {
    /// JSON only.
    #[default]
    Refused,
    /// JSON, or JSON in a call: `/**/callback(…)`.
    Admitted,
}
