//! Whether a client's bytes can be read as HTTP in one way only (RFC 9112), before anything else reads them.
//!
//! Pure: bytes go in, lengths of good pieces or a [`Breach`] come out; nothing is stored.
//! HTTP/1 is followed byte by byte by an [`Inspector`]; of HTTP/2 the decoded head is checked, and its frames are
//! counted by a [`FrameMeter`].

mod breach;
mod budget;
mod bytes;
mod chunks;
mod decoded;
mod fields;
mod frames;
mod head;
mod inspector;
mod line;
mod request_line;
mod target;

pub use breach::{Breach, Breached, Part};
pub use decoded::check_decoded;
pub use frames::{Flood, FrameKind, FrameMeter};
pub use head::Head;
pub use inspector::{Inspector, Step};
pub use target::Respelling;
