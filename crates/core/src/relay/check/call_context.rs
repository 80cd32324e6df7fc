//! The properties of a call that are known before its response arrives.

use http::Method;

use crate::relay::rewrite::Content;
use calendar_edge_judge::contract::Operation;

/// The call that a response belongs to. Nothing here depends on the client.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The root it is sent to: an index into [`Settings::roots`](crate::settings::Settings::roots).
    pub root: usize,
    /// The operation that is called; none where the response is not one of an operation.
    pub operation: Option<&'static Operation>,
    /// The method. The response to HEAD has no body.
    pub method: Method,
    /// The subject of the body.
    pub content: Content,
    /// True if a `_jsonp` parameter is forwarded: the response may then be the argument of a call, `/**/callback(…)`
    /// (backend.md section 12).
    pub may_be_script: bool,
    /// True if an `_envelope` parameter is forwarded: the status is then always a success
    /// (backend.md section 12).
    pub enveloped: bool,
    /// True if the response may be in another language than that of the root: a parameter that is not WordPress's or the
    /// plugin's own is forwarded. A site with languages in directories or domains names the REST root of the language
    /// of its response, not the root of the request.
    pub may_change_language: bool,
    /// Path and query of the request to the origin.
    pub target: Box<str>,
}
