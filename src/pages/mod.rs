//! Calendar pages: which of them the edge answers itself, and how it goes on checking that they are empty.

mod calendar_pages;
mod metrics;
mod page_check;
mod page_guard;

pub(crate) use calendar_pages::CalendarPages;
pub(crate) use page_check::PageCheck;
pub(crate) use page_guard::{PageAnswer, PageGuard};
