//! The feed of changes: the log that outlives a restart, its public routes, and the receivers that it is posted to.

mod change_feed;
mod change_reader;
mod feed_readers;
mod feed_route;
mod feed_stream;
mod followed_log;
mod judging;
mod metrics;
mod receiver;
mod record_walk;
mod webhooks;

pub(crate) use change_feed::ChangeFeed;
pub(crate) use change_reader::FeedParts;
pub(crate) use feed_route::FeedRoute;
pub(crate) use judging::{ReadsRecords, RecordRead};
pub(crate) use webhooks::{Receivers, deliver_webhooks};
