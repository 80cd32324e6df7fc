//! The built-in calendar: a small WordPress with The Events Calendar that lives in memory.
//!
//! It stands behind `calendar-edge demo`, serves developers of clients who have no WordPress at hand, and is the
//! origin of this package's own tests. It speaks HTTP over a real loopback socket and behaves as CONTRACT says
//! the recorded site does, oddities of the plugin included; what differs on purpose is said where it differs.
//!
//! The socket is in `server` alone; everything else is pure and takes the time as an argument.

mod account;
mod address;
mod answer;
mod call;
mod clock;
mod cost;
mod doc;
mod handlers;
mod image;
mod index;
mod linked;
mod list;
mod markup;
mod moment;
mod refused;
mod render;
mod rules;
mod server;
mod site;
mod slug;
mod store;
mod tour;
mod visit;
mod web_address;
mod write;
mod zone;

pub use clock::Clock;
pub use server::Sandbox;
