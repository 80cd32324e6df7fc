//! Writes: creates, updates and deletes of every kind, for callers that may write.

mod event;
mod linked;
mod post;
mod term;

use calendar_edge_judge::contract::Kind;

use crate::call::Call;
use crate::refused::Refused;
use crate::store::Store;

pub(crate) use event::{cost_details, set_times};
pub(crate) use post::STATUSES;
pub(crate) use term::add as add_term;

/// Creates a record, or updates the one of this number, and returns its number. POST, PUT and PATCH mean the same.
pub(crate) fn write(call: &Call, store: &mut Store, kind: Kind, known: Option<u64>) -> Result<u64, Refused> {
    match kind {
        Kind::Event => event::write(call, store, known),
        Kind::Venue | Kind::Organizer => linked::write(call, store, kind, known),
        Kind::Category | Kind::Tag => term::write(call, store, kind, known),
    }
}

/// Deletes a record: posts go to the trash, once; terms are gone.
pub(crate) fn delete(call: &Call, store: &mut Store, kind: Kind, id: u64) -> Result<(), Refused> {
    if kind.is_term() {
        return Ok(store.remove_term(kind, id)?);
    }
    post::trash(call, store, kind, id)
}
