//! The public route of the feed of changes, and the reads by which it finds out what anonymous readers see.

pub(super) mod feed_route;
mod feed_stream;
pub(super) mod follower;
pub(super) mod record_reads;
