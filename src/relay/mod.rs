//! What happens to the origin's answer: judged, its headers filtered, its URLs made public, passed on.
//!
//! [`relay()`] is the one entry point. Rewriting, header policy and failure detection are pure; only
//! [`RelayBody`] reads from a body, and nothing here knows a clock, a socket or a runtime.

mod address;
mod advertised;
mod answer;
mod balance;
mod body;
mod cors;
mod discovery;
mod document;
mod envelope;
mod failure;
mod headers;
mod judge;
mod link;
mod namespace;
mod origin_root;
mod page;
mod printed_url;
mod redirect;
mod rewrite;
#[cfg(test)]
mod rewrite_tests;
mod rules;
mod shelf;
mod spelling;
mod url_map;
mod url_matcher;

pub use advertised::OriginUrls;
pub use answer::relay;
pub use body::{BodyFailure, RelayBody};
pub use cors::{Access, allow_origin, preflight, sole_origin};
pub use discovery::rewrite_discovery;
pub use failure::{BoxError, OriginFailure};
pub use judge::{Expectation, Script, judge};
pub use origin_root::OriginRoot;
pub use rewrite::Rewriter;
pub use rules::{Audience, Content, RelayContext, RelayRules};
pub use url_map::{RootNames, UrlMap};
