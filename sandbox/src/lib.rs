//! The built-in calendar: a small WordPress with The Events Calendar that lives in memory.
//!
//! It is the origin of `calendar-edge demo`, of client developers without a WordPress and of this package's own
//! tests. It speaks HTTP over a loopback socket and follows backend.md, including the plugin's oddities.
//!
//! The sandbox is not the oracle of the edge. A test that runs the edge before it shows that the two work together;
//! whether they are right is decided by the requests and responses of a real WordPress in `fixtures/corpus`. For
//! the same reason the sandbox validates by its own rules (`rules`), which the corpus tests as well: it shares PHP's
//! readings of bytes and values with the edge, and none of the edge's judgements.
//!
//! Differences from the recorded site:
//!
//! * Errors that are a 500 in WordPress, PHP's crashes included, are 400, so that no input causes a 500. A full store
//!   is a 503.
//! * A `rest_route` in the query that contradicts the path is an error, and one in a form is ignored. There is no
//!   login, so every nonce is stale.
//! * Images have numbers only, and their files are not served. Routes below `wp/v2` are not served either.
//! * `UTC+2` is an offset of two hours all year; the plugin adds an hour in summer. An end date of `0` is 1970, where
//!   the plugin stores no dates.
//! * Events have no parents and venues no positions: `post_parent` finds nothing, `geoloc` filters nothing.
//!
//! Only `server` has a socket; the other modules are pure and take the time as an argument.

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
mod planted;
mod render;
mod rest_error;
mod rest_request;
mod rules;
mod server;
mod site;
mod site_call;
mod site_response;
mod slug;
mod store;
mod write;
mod zone;

pub use clock::Clock;
pub use planted::Planted;
pub use server::Sandbox;
