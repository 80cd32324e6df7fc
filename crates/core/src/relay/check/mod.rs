//! Checks of the backend's response: head, size and body are judged before any byte is passed on.
//!
//! The checks that apply to every backend (a status, JSON, a bounded body) are in this folder. The checks that apply
//! only to WordPress are in [`wordpress`]; `judge.rs` selects the backends that they are for.

mod accept;
mod accepted;
mod buffer;
mod call_context;
mod document;
mod judge;
mod redirect;
mod scan;
mod wordpress;

pub use accept::accept;
pub use accepted::AcceptedResponse;
pub(super) use accepted::{AcceptedBody, AcceptedHead};
pub(super) use buffer::joined;
pub use call_context::CallContext;
pub(super) use document::trimmed;
pub use document::without_byte_order_marks;
pub use judge::judge_whole;
pub(crate) use wordpress::enveloped_status;
