//! Settings of the feed of changes.

use std::time::Duration;

use crate::settings::keys::group::settings_group;

settings_group! {
    /// The feed of changes, see [feed.md](../guides/feed.md).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FeedSettings {
        /// Serve `{root}/calendar-edge/v1/changes` and `…/records`. Needs `origin.secret_file`, the companion plugin,
        /// and the cache.
        pub enabled: bool = false => flag();
        /// Maximum number of records whose last change is kept.
        pub records: usize = 10_000;
        /// Maximum number of readers that wait or have a stream.
        pub readers: usize = 256;
        /// The same for one address.
        pub readers_per_address: usize = 8;
        /// The longest time that a reader waits for a response.
        pub longest_wait: Duration = Duration::from_secs(30);
    }
}
