//! A service that answers the reads of venues as WordPress with The Events Calendar does.
//!
//! It is an example of a first step off WordPress: editors keep working there, the service follows the site, and the
//! edge cuts the reads of venues over to it (`docs/guides/migration.md`). [`import`] copies what the site publishes into
//! `SQLite`, [`store`] answers queries, and [`api`] speaks HTTP.

pub mod api;
pub mod import;
pub mod query;
pub mod store;
