//! Who may call, and how often: pure, with the clock passed in.

mod bucket_store;
mod budgets;
mod fields;
mod gcra;
mod visitor;
mod writers;

pub use bucket_store::{BucketKey, BucketStore};
pub use gcra::Level;

pub use budgets::{Budgets, Exceeded, SharedBuckets};
pub use fields::{RateLimitStatus, whole_seconds};
pub use visitor::{Call, Visitor};
pub use writers::Writers;
