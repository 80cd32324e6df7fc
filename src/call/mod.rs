//! Validation and canonical encoding: arguments against the table, pure.

mod canonical;

pub use canonical::CanonicalRequest;
