//! A service that answers a calendar's API as WordPress with The Events Calendar does, from records of its own.
//!
//! It is a start for a service that replaces WordPress. [`import`] reads an export of the edge, [`follow`] keeps the
//! records level by the messages of the companion plugin, and [`api`] answers. The records are typed rows of a
//! [`store`]; every answer is assembled from them. `README.md` lists the calls that it claims.

#![allow(
    clippy::indexing_slicing,
    reason = "an index of a JSON value gives null where there is nothing"
)]

pub mod api;
mod assembled;
mod call;
pub mod caller;
mod columns;
mod error;
pub mod follow;
pub mod import;
mod json_ld;
mod kind;
mod lists;
pub mod query;
mod records;
pub mod seal;
pub mod secret;
pub mod site;
pub mod store;
mod texts;
mod venue_writes;
