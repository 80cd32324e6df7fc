//! The feed of changes: the site's changes since a token, as far as an anonymous reader may see them, and all records.

mod change_log;
#[cfg(test)]
mod change_log_model;
#[cfg(test)]
mod change_log_tests;
pub(crate) mod checks;
mod consistency;
mod feed_query;
mod feed_token;
mod known_records;
mod numbered;
mod page;
mod record_chunk;
mod record_verdict;
pub(crate) mod settings;
mod walk_cursor;

pub use change_log::{ChangeLog, DueRecord};
pub use consistency::check_settings;
pub use feed_query::{FeedPart, FeedQuery, InvalidArgument};
pub use feed_token::{FeedKey, FeedPosition, MalformedToken};
pub use known_records::RecordName;
pub use page::{ChangedRecord, FeedPage, WhatChanged};
pub use record_chunk::{RecordChunk, WalkedRecords};
pub use record_verdict::RecordVerdict;
pub use walk_cursor::WalkCursor;
