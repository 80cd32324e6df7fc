//! Timeouts.

use super::keys::group::settings_group;
use std::ops::RangeInclusive;
use std::time::Duration;

const TEN_MILLIS_TO_AN_HOUR: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_hours(1);

settings_group! {
    /// Each timeout covers a whole phase, not the gap between two bytes.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Timeouts {
        /// Time to receive the head of a request.
        pub client_head: Duration = Duration::from_secs(10);
        /// Time to receive the body of a request (408).
        pub client_body: Duration = Duration::from_secs(30) => seconds(1..=3600);
        /// Client: total time that it may pause a request body before [`Limits::min_body_rate`](super::Limits)
        /// applies.
        pub client_body_grace: Duration = Duration::from_secs(5);
        /// Client: time that a response may wait for it; reading at [`Limits::min_response_rate`](super::Limits)
        /// refills this time.
        pub client_write: Duration = Duration::from_secs(30);
        /// Time that a keep-alive connection may stay open without a request. It is longer than a proxy in front keeps
        /// its connections, or that proxy would send requests on one that the edge is closing: nginx and AWS keep them
        /// for 60 s, Caddy for 2 minutes, Google Cloud for 10, Envoy for an hour. If connections are scarce, idle ones
        /// make room.
        pub client_idle: Duration = Duration::from_mins(61);
        /// Origin: a call waits for one of [`OriginSettings::max_in_flight`](super::OriginSettings::max_in_flight),
        /// within half of `origin_read` or `origin_write`.
        pub origin_queue: Duration = Duration::from_secs(5);
        /// Origin: connect, TLS included.
        pub origin_connect: Duration = Duration::from_secs(2);
        /// Origin: the first byte of the response.
        pub origin_first_byte: Duration = Duration::from_secs(8);
        /// Time for a whole read at the site.
        pub origin_read: Duration = Duration::from_secs(12) => time(TEN_MILLIS_TO_AN_HOUR);
        /// Time for a whole write at the site, which may fetch an image meanwhile.
        pub origin_write: Duration = Duration::from_secs(30) => time(TEN_MILLIS_TO_AN_HOUR);
        /// Time for a request to the rest of the site until its response begins, including an upload, and again until it ends.
        pub site: Duration = Duration::from_mins(5);
        /// Time that running requests have to finish after a stop signal. Idle connections stay open for the first
        /// second, for requests in transit.
        pub drain: Duration = Duration::from_secs(10) => seconds(0..=3600);
    }
}

// === impl Timeouts ===

impl Timeouts {
    /// The time for a whole exchange of one call.
    pub const fn of_call(&self, is_write: bool) -> Duration {
        if is_write {
            self.origin_write
        } else {
            self.origin_read
        }
    }

    /// The longest time for a whole read exchange, of any operation: deadlines of reads are made of it.
    pub const fn longest_read(&self) -> Duration {
        self.origin_read
    }

    /// The longest time for a whole write exchange, of any operation: after it no write changes what the cache has
    /// stored.
    pub const fn longest_write(&self) -> Duration {
        self.origin_write
    }
}
