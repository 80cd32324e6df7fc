//! Checks, before anything else reads them, that a client's bytes have exactly one reading as HTTP
//! (RFC 9112).
//!
//! Pure: bytes go in; lengths of valid pieces or a [`Breach`] come out; nothing is stored. An [`Inspector`] follows
//! HTTP/1 byte by byte. For HTTP/2 the decoded head is checked, and a [`FrameMeter`] counts the frames and marks
//! fragments, which no later code sees.

mod breach;
mod budget;
mod bytes;
mod chunks;
mod decoded;
mod fields;
mod frame_position;
mod frames;
mod head;
mod inspector;
mod line;
mod request_line;
mod target;

pub use breach::{Breach, Breached};
pub(crate) use bytes::is_token;
pub use decoded::check_decoded;
pub use frame_position::FrameKind;
pub use frames::{FrameFlood, FrameMeter};
pub use head::Head;
pub use inspector::{Inspector, Step};
pub use target::Respelling;
