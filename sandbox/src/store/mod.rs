//! What the sandbox remembers: posts and terms, in memory, bounded.
//!
//! Pure: no clock, no socket. Reading and changing records is here, what a client may see is not.

mod bounds;
mod post;
mod records;
mod sample;
mod seed;
mod term;

pub(crate) use bounds::Full;
pub(crate) use post::{Body, Event, Flags, Organizer, Post, Status, Venue};
pub(crate) use records::{Store, Usage};
pub(crate) use seed::seed;
pub(crate) use term::{Term, taxonomy_name};
