//! Calendar pages: responses of the edge's own where a page has no event, and the running check that it has none.

mod calendar_pages;
mod metrics;
mod page_check;
mod page_guard;

pub(crate) use calendar_pages::CalendarPages;
pub(crate) use page_check::PageCheck;
pub(crate) use page_guard::{PageGuard, PageResponse};
