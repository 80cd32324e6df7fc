//! What several edges of one fleet tell each other through a store: sealed messages in a log, and the rules by which an
//! edge notices that it missed one.

mod cursor;
#[cfg(test)]
mod cursor_tests;
mod fleet_key;
mod member;
mod message;

pub use cursor::{Cursor, EntryId, GapCause, LogEnd, ReadLog};
pub use fleet_key::{FleetKey, SealedText};
pub use member::{Demand, FleetMember, MemberTable};
pub use message::{FleetMessage, RuleNews, SeenNumber};
