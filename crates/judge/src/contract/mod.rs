//! The calendar API as one table: kinds, routes, operations, arguments.
//!
//! All facts about the API that several parts must agree on are read from here: by the router, validation,
//! the canonical encoder, OpenAPI, the routes listing, metric labels, and the tests. This module is pure
//! data; it depends on no HTTP connection, socket or setting.
//!
//! Sources: the specification's tables for names, types, defaults, required flags and meaning; backend.md
//! section 7 and the backend's published index for the checks of WordPress. Each disagreement between the two
//! is a row of [`difference`].

mod argument;
pub mod difference;
mod documented;
pub mod drift;
mod event_ids;
mod fatal;
mod fields;
pub mod global;
mod kind;
mod namespace;
mod operation;
pub mod patch;
mod published;
mod query;
pub mod response;
mod rule;
mod rule_meaning;
pub mod strict;
mod table;
mod versions;

pub use argument::{Argument, ClockUse, DefaultValue, Role, Schema};
pub use documented::Documented;
pub use event_ids::EventIds;
pub use fatal::FatalShape;
pub use global::{Treatment, read_by_backend};
pub use kind::{Kind, RECORD_NUMBER, Route};
pub use namespace::{PLUGIN_NAMESPACE, SPECIFIED_NAMESPACE, calendar_namespace};
pub use operation::{Action, Operation, OperationId, Place};
pub use published::{
    ArgumentStanding, IndexFault, MOST_INDEX_BYTES, OperationInForce, PublishedIndex, TableInForce,
    TablesInForce,
};
pub use query::{PAGE_NUMBER, PAGE_SIZE};
pub use rule::Rule;
#[cfg(test)]
pub(crate) use rule_meaning::MEANINGS;
pub use rule_meaning::rule_meaning;
pub use strict::{LARGEST_PAGE, Relation, StrictRule};
pub use table::{Table, table};
pub use versions::{
    DatedDifference, FormerResponse, PluginVersion, SiteVersion, VersionChange, dated_differences,
};
