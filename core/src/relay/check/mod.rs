//! Is this a sound response of the backend? Head, size and body are judged before anything is passed on.
//!
//! What every backend's response must be (a status, JSON, a bounded body) stands in this folder. What only WordPress
//! does stands behind [`wordpress::WordPress`]: another kind of backend needs a type with the same functions.

mod accept;
mod accepted;
mod buffer;
mod call_context;
mod document;
mod judge;
mod redirect;
mod wordpress;

pub use accept::accept;
pub use accepted::AcceptedResponse;
pub(super) use accepted::{AcceptedBody, AcceptedHead};
pub use call_context::{CallContext, Script};
