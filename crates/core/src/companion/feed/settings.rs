//! Settings of the feed of changes, and of webhooks that follow it.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::settings::keys::form::RECEIVER;
use crate::settings::keys::group::settings_group;
use crate::settings::keys::listening_form::file_like;
use crate::settings::keys::rule_form::KIND;
use crate::settings::mark_key::MarkKey;
use crate::settings::origin::unknown_origin;
use calendar_edge_judge::contract::Kind;

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

settings_group! {
    /// One table per receiver that the changes of the feed are posted to, see [feed.md](../guides/feed.md). Each edge
    /// with this table posts: in a `[fleet]` give it to one of them.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WebhookSettings {
        /// The receiver's URL, at a private address too. Redirects are not followed.
        pub url: Url = unknown_origin() => text(RECEIVER), "required";
        /// File with the secret of at least 32 bytes that signs each request.
        pub secret_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/webhook"])),
            "required";
        /// The key that is made of the secret.
        pub secret: Option<MarkKey> = None;
        /// The kinds of records: `events`, `venues`, `organizers`, `categories`, `tags`.
        pub kinds: Vec<Kind> = Vec::new() => list(KIND, 1), "all";
        /// Time for which changes are collected before they are posted together.
        pub batch: Duration = Duration::from_secs(2);
        /// The longest time of one attempt.
        pub timeout: Duration = Duration::from_secs(10);
    }
}

// === impl WebhookSettings ===

impl WebhookSettings {
    /// The receiver in logs, metrics and reports: without its path, which may be secret.
    pub fn name(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}
