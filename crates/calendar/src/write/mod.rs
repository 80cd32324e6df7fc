//! Writes: creates, updates and deletes of every kind, for callers who may write.

mod event;
mod linked;
mod post;
mod term;

use calendar_edge_judge::contract::Kind;

use crate::call::Call;
use crate::refused::Refused;
use crate::store::Store;

pub(crate) use event::{cost_details, set_times};
pub(crate) use term::add as add_term;

/// Creates a record, and returns its number.
pub(crate) fn create(call: &Call, store: &mut Store, kind: Kind, pages: &str) -> Result<u64, Refused> {
    match kind {
        Kind::Event => event::write(call, store, None, pages),
        Kind::Venue | Kind::Organizer => linked::write(call, store, kind, None, pages),
        Kind::Category | Kind::Tag => term::create(call, store, kind, pages),
    }
}

/// Updates a record. POST, PUT and PATCH mean the same.
pub(crate) fn update(
    call: &Call,
    store: &mut Store,
    kind: Kind,
    id: u64,
    pages: &str,
) -> Result<(), Refused> {
    match kind {
        Kind::Event => event::write(call, store, Some(id), pages).map(drop),
        Kind::Venue | Kind::Organizer => linked::write(call, store, kind, Some(id), pages).map(drop),
        Kind::Category | Kind::Tag => term::update(call, store, kind, id, pages),
    }
}

/// Deletes a record: posts go to the trash, once; terms are gone.
pub(crate) fn delete(
    call: &Call,
    store: &mut Store,
    kind: Kind,
    id: u64,
    pages: &str,
) -> Result<(), Refused> {
    if kind.is_term() {
        return Ok(store.remove_term(kind, id)?);
    }
    post::trash(call, store, kind, id, pages)
}
