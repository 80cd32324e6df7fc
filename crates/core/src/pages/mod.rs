//! The pages of the calendar: which of them an address names, and which can have no events.

mod address_reader;
mod calendar_page;
mod page_judge;
mod page_times;
mod rewrite_rules;
mod spans;

pub use calendar_page::{CalendarPage, PageAddress, PageFilters, PageView, UnknownAddress};
pub use page_judge::{Hindrance, Open, PageJudge, PageVerdict};
