//! The messages between several edges of one fleet through a store: sealed, in a log, with the rules by which an edge
//! notices that it missed one.

mod consistency;
mod cursor;
#[cfg(test)]
mod cursor_tests;
mod fleet_key;
mod log_place;
mod member;
mod message;
mod server_facts;
pub(crate) mod settings;
mod standing;

pub use consistency::check_settings;
pub use cursor::{EntryId, GapCause, LogEnd, ReadLog};
pub use fleet_key::{FleetKey, SealedText};
pub use log_place::LogPlace;
pub use member::{Demand, FleetMember, MemberTable};
pub use message::{FleetMessage, RuleMessage, SeenNumber};
pub use server_facts::ServerFacts;
pub use standing::FleetStanding;
