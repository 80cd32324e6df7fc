//! The log of changes with the site that it belongs to, as a file keeps it over a restart.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::server::Keep;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::feed::{ChangeLog, FeedKey};
use calendar_edge_core::settings::Settings;
use calendar_edge_core::unix_time::UnixTime;

/// The log, and what it belongs to.
#[derive(Debug)]
pub(super) struct FollowedLog {
    /// None before a feed is switched on.
    pub(super) of: Option<FeedPlace>,
    most: usize,
    /// None until the site has shown a number.
    pub(super) log: Option<ChangeLog>,
}

/// The site that is followed, and where its log is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FeedPlace {
    pub(super) root: Url,
    pub(super) key: Arc<FeedKey>,
    /// None: nothing outlives the edge.
    pub(super) file: Option<PathBuf>,
}

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FeedFile {
    /// The site and the secret that it belongs to.
    id: String,
    log: ChangeLog,
}

/// The file in the directory of the settings.
const FILE: &str = "feed.json";

// === impl FollowedLog ===

impl FollowedLog {
    /// The log of this place, as an earlier run has kept it.
    pub(super) fn of(of: Option<FeedPlace>, kept: Option<FeedFile>, settings: &Settings) -> Self {
        let most = settings.feed.records;
        let id = of.as_ref().map(FeedPlace::log_id);
        let kept = kept.filter(|kept| Some(&kept.id) == id.as_ref());
        let log = kept.map(|FeedFile { mut log, .. }| {
            log.resize(most, unix_time());
            log
        });
        Self { of, most, log }
    }

    pub(super) fn doubted(&self) -> UnixTime {
        self.log.as_ref().map(ChangeLog::doubted).unwrap_or_default()
    }

    /// True if this is the log of a root's site.
    pub(super) fn is_of(&self, root: &Url) -> bool {
        self.of.as_ref().is_some_and(|of| of.root == *root)
    }

    pub(super) fn settle(&mut self, settled: u64) {
        let now = unix_time();
        let log = self
            .log
            .get_or_insert_with(|| ChangeLog::begin(settled, self.most, now));
        log.settle(settled, now);
    }

    pub(super) fn resize(&mut self, most: usize) {
        self.most = most;
        if let Some(log) = &mut self.log {
            log.resize(most, unix_time());
        }
    }
}

impl Keep for FollowedLog {
    const WHAT: &'static str = "the log of changes";
    const UNREAD: &'static str = "it begins anew, and readers read everything once";

    fn document(&self) -> Option<impl Serialize + 'static> {
        Some(FeedFile {
            id: self.of.as_ref()?.log_id(),
            log: self.log.clone()?,
        })
    }
}

// === impl FeedPlace ===

impl FeedPlace {
    /// The first root; none without a secret.
    pub(super) fn of(settings: &Settings) -> Option<Self> {
        let key = settings.origin.mark_key.as_ref()?;
        let root = settings.roots.first().map(|root| &root.origin_url);
        let root = root.unwrap_or(&settings.origin.url).clone();
        Some(Self {
            key: Arc::new(FeedKey::new(key, &root)),
            root,
            file: settings.state_file(FILE),
        })
    }

    /// Distinguishes the log from those of other sites.
    fn log_id(&self) -> String {
        self.key.name_of("log")
    }
}
