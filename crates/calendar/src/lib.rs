//! A calendar service that keeps the contract of The Events Calendar, as a start for one that replaces WordPress.
//!
//! It is the origin of `calendar-edge demo` and of the edge's tests, and a team's own backend can begin with it. The
//! judge of the edge reads and validates every call, so that what is here begins with valid arguments. Records are the
//! JSON objects that the API prints, without what follows from other records; they stand in memory, and with the
//! feature `sqlite` in a file as well. With the feature `site` it reads a site, keeps level with it by the messages of its
//! companion plugin, and copies what is written here to that site.

#![allow(
    clippy::indexing_slicing,
    reason = "an index of a JSON value gives null where there is nothing"
)]

mod announce;
mod calendar;
mod call;
pub mod caller;
#[cfg(feature = "site")]
pub mod copy;
mod dates;
mod doc;
mod examples;
#[cfg(feature = "site")]
pub mod follow;
mod html;
mod index;
mod list;
pub mod outbox;
#[cfg(feature = "site")]
mod parcel;
mod print;
#[cfg(feature = "site")]
mod printed_record;
mod record;
mod refused;
mod reply;
mod sample;
pub mod seal;
pub mod secret;
mod server;
mod settings;
#[cfg(feature = "site")]
pub mod site;
mod slug;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod store;
mod write;

pub use announce::Announcement;
pub use calendar::Calendar;
pub use caller::{PASSWORD, USERNAME};
pub use examples::try_lines;
pub use seal::SEAL;
pub use server::CalendarServer;
pub use settings::CalendarSettings;
