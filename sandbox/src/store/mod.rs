//! The store of the sandbox: posts and terms, in memory, bounded.
//!
//! Pure: no clock, no socket. The rights of readers are not checked here.

mod bounds;
mod post;
mod records;
mod sample;
mod seed;
mod term;

pub(crate) use bounds::Full;
pub(crate) use post::{Event, Flags, Organizer, Post, PostBody, PostStatus, Venue};
pub(crate) use records::{Store, Usage};
pub(crate) use seed::seed;
pub(crate) use term::{Term, taxonomy_name};
