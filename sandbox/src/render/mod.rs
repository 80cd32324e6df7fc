//! Records as the plugin prints them: members, order and JSON types of the recorded responses.
//!
//! Pure: a view of the store in, JSON out.

mod event;
mod place;
mod post;
mod schema_org;
mod term;
mod view;

pub(super) use event::event;
pub(super) use place::{organizer, venue};
pub(super) use post::{post, stamp};
pub(super) use term::{in_list, own, parent_of, trimmed};
pub(super) use view::{Detail, View};
