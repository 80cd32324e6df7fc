//! The pages of the calendar: which of them an address names, and which can have no events.

mod address_reader;
mod calendar_page;
pub(crate) mod checks;
mod consistency;
mod empty_page;
mod endless;
mod html;
mod page_address;
mod page_judge;
mod page_times;
mod rewrite_rules;
mod seen_addresses;
mod self_check;
pub(crate) mod settings;
mod shown_events;
mod spans;
mod visit;

pub use calendar_page::{CalendarPage, PageAddress, PageFilters, PageView, UnknownAddress};
pub use consistency::check_settings;
pub use empty_page::EMPTY_CALENDAR;
pub use endless::{FormReading, is_endless};
pub use html::{HtmlTag, tags};
pub use page_judge::{Open, PageJudge, PageVerdict};
pub use seen_addresses::SeenAddresses;
pub use self_check::{CheckStep, SelfCheck};
pub use shown_events::shows_event;
pub use visit::{is_editor, is_public_read, shows_claims};
