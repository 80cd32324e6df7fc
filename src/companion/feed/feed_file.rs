//! The file that keeps the log of changes over a restart.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::server::state_file;
use calendar_edge_core::companion::feed::{ChangeLog, FeedPosition};
use calendar_edge_core::unix_time::UnixTime;

/// What is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FeedFile {
    /// The site and the secret that it belongs to.
    id: String,
    log: String,
    delivered: Delivered,
}

/// The position up to which each receiver has the changes.
pub(super) type Delivered = BTreeMap<String, FeedPosition>;

// === impl FeedFile ===

impl FeedFile {
    pub(super) fn new(id: String, log: &ChangeLog, delivered: &Delivered) -> Self {
        Self {
            id,
            log: log.to_json(),
            delivered: delivered.clone(),
        }
    }

    /// What was kept of this log. A file that cannot be read is said: the log begins anew, and readers read all once.
    pub(super) fn read(path: &Path, id: &str) -> Option<Self> {
        let kept = fs::read(path).and_then(|text| Ok(serde_json::from_slice::<Self>(&text)?));
        match kept {
            Ok(kept) => Some(kept).filter(|kept| kept.id == id),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "the log of changes cannot be read");
                None
            }
        }
    }

    /// The log, for at most so many records, and the positions of receivers.
    pub(super) fn open(self, most: usize, now: UnixTime) -> (Option<ChangeLog>, Delivered) {
        (ChangeLog::from_json(&self.log, most, now), self.delivered)
    }

    /// Replaces the file, and makes its directory.
    pub(super) fn write(&self, path: &Path) {
        if let Err(error) = state_file::replace_json(path, self) {
            tracing::warn!(%error, path = %path.display(), "the log of changes cannot be kept");
        }
    }
}
