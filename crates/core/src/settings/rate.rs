//! The number of requests that a period may have.

use std::time::Duration;

/// A number of requests per period. They may come as one burst; further ones are admitted evenly over the
/// period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Requests, 1 or more.
    pub requests: u32,
    /// The period.
    pub period: Duration,
}
