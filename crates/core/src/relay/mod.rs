//! The backend's response: judged, then written for the client.
//!
//! [`accept()`] judges a response, independently of the client. [`present()`] writes an accepted response for one
//! client: listed headers, public URLs, cache directives. Everything is pure except [`accept()`] and [`RelayBody`],
//! which read from a body. No code here uses a clock, a socket or a runtime.

mod advice;
mod buffer_budget;
mod check;
mod client_context;
pub mod cors;
mod dialled_names;
mod ends;
mod failure;
#[cfg(test)]
mod frames;
mod headers;
mod learnt_roots;
mod link;
mod origin_urls;
mod present;
mod refresh;
mod relay_body;
mod rewrite;
mod rules;
mod site_headers;
mod translate;
mod vary;

pub use advice::advice_about;
pub use buffer_budget::{BufferBudget, Reservation};
pub(crate) use check::enveloped_status;
pub use check::{AcceptedResponse, CallContext, accept, judge_whole, without_byte_order_marks};
pub use client_context::ClientContext;
pub use failure::{BoxError, Detour, OriginFailure, RequestPart, mark_advice};
pub use learnt_roots::LearntRoots;
pub use link::{API_RELATION, Link, links};
pub use origin_urls::OriginUrls;
pub use present::present;
pub use relay_body::RelayBody;
pub use rewrite::{Content, OriginRoot, Rewriter, RootNames, UrlMap};
pub use rules::RelayRules;
pub use site_headers::publish_site_headers;
pub use translate::translate;
pub use vary::vary_by;
