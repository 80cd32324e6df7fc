//! Admission: which clients may call, and how often. Pure, with the clock passed in.

mod bucket_store;
mod budgets;
mod charges;
mod client;
mod failed_logins;
#[cfg(test)]
mod flood_tests;
mod gcra;
mod known_logins;
mod login;
mod named_accounts;
mod rate_limit_fields;
#[cfg(test)]
mod sample_tests;
mod settlement;
#[cfg(test)]
mod settlement_tests;
mod shard;
mod shared_buckets;
mod taken;
mod writers;

pub use bucket_store::{BucketKey, BucketStore};
pub use gcra::Level;

pub use budgets::{BUDGETS, Budgets};
pub use charges::Charges;
pub use client::{Client, CostClass};
pub use login::Login;
pub use named_accounts::needs_names;
pub use rate_limit_fields::{Exceeded, RateLimitStatus, whole_seconds};

pub use shared_buckets::SharedBuckets;
pub use taken::{Settlement, Taken};
pub use writers::Writers;
