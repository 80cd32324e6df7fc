//! The feed of changes: the log that outlives a restart, who may follow it, and the receivers that it is posted to.

mod change_feed;
mod feed_file;
mod feed_readers;
mod judging;
mod receiver;
mod webhooks;

pub(crate) use change_feed::ChangeFeed;
pub(crate) use feed_readers::TooManyReaders;
pub(crate) use judging::ReadsRecords;
pub(crate) use webhooks::{Receivers, WebhookService, deliver_webhooks};
