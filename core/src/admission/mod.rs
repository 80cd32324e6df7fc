//! Admission: which clients may call, and how often. Pure, with the clock passed in.

mod bucket_store;
mod budgets;
mod client;
mod fields;
mod gcra;
mod writers;

pub use bucket_store::{BucketKey, BucketStore};
pub use gcra::Level;

pub use budgets::{Budgets, Exceeded, SharedBuckets};
pub use client::{Client, CostClass};
pub use fields::{RateLimitStatus, whole_seconds};
pub use writers::Writers;
