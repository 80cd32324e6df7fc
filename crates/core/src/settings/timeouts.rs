//! Timeouts.

use std::time::Duration;

/// Timeouts; each covers a whole phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    /// Client: the whole request head.
    pub client_head: Duration,
    /// Client: the whole request body.
    pub client_body: Duration,
    /// Client: total time that it may pause a request body before [`Limits::min_body_rate`](super::Limits)
    /// applies.
    pub client_body_grace: Duration,
    /// Client: time that a response may wait for it; reading at [`Limits::min_response_rate`](super::Limits)
    /// refills this time.
    pub client_write: Duration,
    /// Client: an idle keep-alive connection.
    pub client_idle: Duration,
    /// Origin: a call waits for one of [`OriginSettings::max_in_flight`](super::OriginSettings::max_in_flight), within
    /// half of `origin_read` or `origin_write`.
    pub origin_queue: Duration,
    /// Origin: connect, TLS included.
    pub origin_connect: Duration,
    /// Origin: the first byte of the response.
    pub origin_first_byte: Duration,
    /// Origin: a whole read exchange.
    pub origin_read: Duration,
    /// Origin: a whole write exchange.
    pub origin_write: Duration,
    /// Origin, rest of the site: until the response begins, uploads included, and again until it ends.
    pub site: Duration,
    /// Drain at shutdown.
    pub drain: Duration,
}

// === impl Timeouts ===

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            client_head: Duration::from_secs(10),
            client_body: Duration::from_secs(30),
            client_body_grace: Duration::from_secs(5),
            client_write: Duration::from_secs(30),
            client_idle: Duration::from_mins(1),
            origin_queue: Duration::from_secs(5),
            origin_connect: Duration::from_secs(2),
            origin_first_byte: Duration::from_secs(8),
            origin_read: Duration::from_secs(12),
            origin_write: Duration::from_secs(30),
            site: Duration::from_mins(5),
            drain: Duration::from_secs(10),
        }
    }
}
