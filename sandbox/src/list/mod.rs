//! The five lists: filters, order and pages (backend.md section 7).

mod events;
mod linked_posts;
mod page;
mod search;
mod terms;
mod urls;
mod window;

pub(super) use events::events;
pub(super) use linked_posts::linked_posts;
pub(super) use terms::terms;
pub(super) use window::{default_end, default_start};
