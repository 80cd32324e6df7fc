//! The built-in calendar: a small WordPress with The Events Calendar that lives in memory.
//!
//! It stands behind `calendar-edge demo`, serves developers of clients who have no WordPress at hand, and is the
//! origin of this package's own tests. It speaks HTTP over a real loopback socket and behaves as backend.md
//! says the recorded site does, oddities of the plugin included; what differs on purpose is said where it
//! differs.
//!
//! What differs from the recorded site:
//!
//! * Errors that WordPress lets out as 500, PHP's crashes included, are 400: no input brings a 5xx. A store that is
//!   full says 503.
//! * A `rest_route` that contradicts the path is refused; nobody logs in, so every nonce is stale.
//! * Images are known by number only and their files are not served; nothing below `wp/v2` is.
//! * Offsets such as `UTC+2` are what they say; the plugin adds an hour in summer. An end date of `0` is 1970, where
//!   the plugin stores no dates at all.
//! * No event has a parent, no venue a position: `post_parent` finds nothing, `geoloc` filters nothing.
//!
//! The socket is in `server` alone; everything else is pure and takes the time as an argument.

#![allow(
    clippy::string_slice,
    reason = "the demo calendar stands behind the edge, not in a request's way"
)]

mod account;
mod address;
mod clock;
mod cost;
mod doc;
mod examples;
mod handlers;
mod image;
mod index;
mod linked;
mod list;
mod markup;
mod moment;
mod php;
mod render;
mod response;
mod rest_error;
mod rest_request;
mod rules;
mod server;
mod site;
mod site_call;
mod slug;
mod store;
mod write;
mod zone;

pub use clock::Clock;
pub use server::Sandbox;
