//! The feed of changes: the log that outlives a restart, and its public routes.

mod change_feed;
mod change_reader;
mod feed_readers;
mod feed_route;
mod feed_stream;
mod followed_log;
mod judging;
mod metrics;
mod record_walk;

pub(crate) use change_feed::ChangeFeed;
pub(crate) use change_reader::FeedParts;
pub(crate) use feed_route::FeedRoute;
pub(crate) use judging::{ReadsRecords, RecordRead};
