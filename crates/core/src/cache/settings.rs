//! The cache of responses to anonymous reads.

use crate::settings::keys::group::settings_group;
use std::time::Duration;

settings_group! {
    /// The cache of responses to anonymous reads. Calls with credentials, cookies of a login, a nonce or a password
    /// pass it by, and so does every call that was not judged (`mode`). A write through the edge removes what it may
    /// have changed before its response leaves.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CacheSettings {
        /// Store responses to anonymous reads.
        pub enabled: bool = true => flag();
        /// Maximum memory of all stored responses. Frequently requested ones stay. A body larger than a sixteenth of
        /// this is not stored.
        pub memory: u64 = 64 << 20 => size(1 << 20..=64 << 30);
        /// Time that a stored response is fresh without reports of a companion plugin; always that of 404 and 410, and
        /// of responses that depend on the moment.
        pub fresh: Duration = Duration::from_secs(1) => seconds(0..=86_400);
        /// The same while the companion plugin reports changes. Responses that depend on the day end with the site's
        /// day.
        pub fresh_with_purge: Duration = Duration::from_hours(1) => seconds(0..=30 * 86_400);
        /// Time after that in which a stale response is served at once, and a new one is fetched.
        pub stale_while_revalidate: Duration = Duration::from_secs(30) => seconds(0..=86_400);
        /// Time after it went stale in which a response is served if the site fails, times out or is overloaded.
        pub stale_on_error: Duration = Duration::from_hours(24) => seconds(0..=30 * 86_400);
        /// Time after which a silent companion plugin counts as gone.
        pub reconcile: Duration = Duration::from_secs(10) => seconds(1..=3600);
        /// Time that clients may store a response, in whole seconds. `0s`: they revalidate each time, and get 304 if
        /// nothing has changed.
        pub client_max_age: Duration = Duration::ZERO => seconds(0..=86_400);
    }
}

// === impl CacheSettings ===

impl CacheSettings {
    /// The largest body that is kept, in bytes: a few large responses must not push out all others.
    pub fn largest_body(&self) -> usize {
        usize::try_from(self.memory / 16).unwrap_or(usize::MAX)
    }
}
