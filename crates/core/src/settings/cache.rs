//! The cache of answers to anonymous reads.

use std::path::PathBuf;
use std::time::Duration;

/// What the cache may keep, and for how long it serves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSettings {
    /// True if answers to anonymous reads are kept.
    pub enabled: bool,
    /// Maximum bytes of all kept answers.
    pub memory: u64,
    /// Time that an answer is served without asking the site, while no companion plugin is heard.
    pub fresh: Duration,
    /// The same while the companion plugin is heard, which says what has changed.
    pub fresh_with_purge: Duration,
    /// Time after that in which an answer is still served, while the site is asked for a new one.
    pub stale_while_revalidate: Duration,
    /// Time after it went stale in which an answer is served if the site fails.
    pub stale_on_error: Duration,
    /// Time after which a silent companion plugin counts as gone.
    pub reconcile: Duration,
    /// Time that clients may keep an answer without asking, in whole seconds; 0: they ask each time.
    pub client_max_age: Duration,
    /// File that holds the kept answers over a restart; none: they are lost.
    pub snapshot: Option<PathBuf>,
}

// === impl CacheSettings ===

impl CacheSettings {
    /// The largest body that is kept, in bytes: a few large answers must not push out all others.
    pub fn largest_body(&self) -> usize {
        usize::try_from(self.memory / 16).unwrap_or(usize::MAX)
    }
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            memory: 64 * 1024 * 1024,
            fresh: Duration::from_secs(1),
            fresh_with_purge: Duration::from_hours(1),
            stale_while_revalidate: Duration::from_secs(30),
            stale_on_error: Duration::from_hours(24),
            reconcile: Duration::from_secs(10),
            client_max_age: Duration::ZERO,
            snapshot: None,
        }
    }
}
