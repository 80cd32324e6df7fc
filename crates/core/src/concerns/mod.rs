//! The state of the edge and of its site, judged in one place.
//!
//! [`concerns()`] makes one list of the figures of an edge. The operators' page, `/status`, `/readyz`, `check`, and the
//! gauge that alerts compare are made of this list; nothing beside it judges.

mod concern;
mod exchanges;
mod figures;
mod list;
mod sites;
#[cfg(test)]
mod states;

mod usage;

pub use concern::{CONCERN_ROWS, Concern, ConcernRow, Gravity, ReadinessEffect, word};
pub use exchanges::{Exchanges, SiteFault};
pub use figures::{BackendFigures, CompanionState, Figures, FleetFigures, Lately, PermitUsage, Usage};
pub use list::concerns;
