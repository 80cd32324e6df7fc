//! Admission: which clients may call, and how often. Pure, with the clock passed in.

mod bucket_store;
mod budgets;
mod client;
mod fields;
mod gcra;
mod named_accounts;
mod receipt;
mod shard;
mod shared_buckets;
mod writers;

pub use bucket_store::{BucketKey, BucketStore};
pub use gcra::Level;

pub use budgets::{BUDGETS, Budgets, Exceeded};
pub use client::{Client, CostClass};
pub use fields::{RateLimitStatus, whole_seconds};
pub use named_accounts::NamedAccounts;
pub use receipt::Receipt;
pub use shared_buckets::SharedBuckets;
pub use writers::Writers;
