//! Creating, updating and deleting records, with the resets of backend.md section 9.
//!
//! The parameters have passed validation; these are the errors of WordPress's handlers.

mod dates;
mod event;
mod linked_post;
mod post;
mod term;

pub(super) use event::{create as create_event, update as update_event};
pub(super) use linked_post::{create as create_linked_post, update as update_linked_post};
pub(super) use post::trash;
pub(super) use term::{create as create_term, delete as delete_term, update as update_term};
