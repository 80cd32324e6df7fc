//! Settings of the feed of changes, and of webhooks that follow it.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::mark_key::MarkKey;
use calendar_edge_judge::contract::Kind;

/// The feed of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedSettings {
    /// True if readers are told of changes.
    pub enabled: bool,
    /// Maximum number of records whose last change is kept.
    pub records: usize,
    /// Maximum number of readers that wait or have a stream.
    pub readers: usize,
    /// The same for one address.
    pub readers_per_address: usize,
    /// The longest time that a reader waits for an answer.
    pub longest_wait: Duration,
}

/// A receiver of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSettings {
    /// Where changes are posted.
    pub url: Url,
    /// The kinds that it is told of; empty: all.
    pub kinds: Vec<Kind>,
    /// The file with the secret that signs requests.
    pub secret_file: Option<PathBuf>,
    /// The key that is made of the secret.
    pub secret: Option<MarkKey>,
    /// How long changes are collected before they are posted.
    pub batch: Duration,
    /// The longest time of one attempt.
    pub timeout: Duration,
}

// === impl FeedSettings ===

impl Default for FeedSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            records: 10_000,
            readers: 256,
            readers_per_address: 8,
            longest_wait: Duration::from_secs(30),
        }
    }
}

// === impl WebhookSettings ===

impl WebhookSettings {
    /// The defaults for a receiver.
    pub const fn at(url: Url) -> Self {
        Self {
            url,
            kinds: Vec::new(),
            secret_file: None,
            secret: None,
            batch: Duration::from_secs(2),
            timeout: Duration::from_secs(10),
        }
    }

    /// The receiver in logs, metrics and reports: without its path, which may be secret.
    pub fn name(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}
