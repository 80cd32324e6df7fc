//! The file that keeps what rules and shares must not forget over a restart.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::server::state_file;
use crate::telemetry::unix_time;
use calendar_edge_core::migration::cutover::{PersistedRules, Returned, RuleRecord, ShareKey};
use calendar_edge_core::settings::CutoverRule;

/// What is kept, and where; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Keeper {
    kept: Arc<Mutex<PersistedState>>,
}

#[derive(Debug)]
struct PersistedState {
    rules: PersistedRules,
    /// None: nothing outlives the edge.
    file: Option<PathBuf>,
    /// Why the file could not be read at start.
    unreadable: Option<String>,
    /// The last write has failed: the file lacks something.
    is_unwritten: bool,
}

/// The file in the directory of the settings.
const FILE: &str = "migration.json";

/// The most rules that are kept, so that names of the past do not add up.
const MOST_RULES: usize = 1_000;

// === impl Keeper ===

impl Keeper {
    /// What an earlier run has kept. A file that cannot be read is said loudly, and no guarded rule takes anybody.
    pub(super) fn open(directory: Option<&Path>, rules: &[CutoverRule]) -> Self {
        let guarded = rules.iter().any(|rule| rule.guard.is_some());
        let file = file_in(directory);
        let mut unreadable = None;
        let rules = match file.as_deref().map(read) {
            None | Some(Ok(None)) => fresh(),
            Some(Ok(Some(rules))) => rules,
            Some(Err(error)) => {
                tracing::error!(
                    %error,
                    "what the guards of rules have found cannot be read: no guarded rule takes a call until an \
                     operator resumes it"
                );
                unreadable = Some(error.to_string());
                fresh()
            }
        };
        if guarded && file.is_none() {
            tracing::warn!("without `state_dir` a restart resumes rules whose calls a guard has returned");
        }
        let kept = PersistedState {
            rules,
            file,
            unreadable,
            is_unwritten: false,
        };
        Self {
            kept: Arc::new(Mutex::new(kept)),
        }
    }

    /// The directory of new settings, which takes over what is known.
    pub(super) fn adapt(&self, directory: Option<&Path>) {
        let file = file_in(directory);
        let mut kept = self.kept.lock();
        if kept.file != file {
            kept.file = file;
            drop(kept);
            self.write();
        }
    }

    /// The key that the places of clients depend on.
    pub(super) fn share_key(&self) -> ShareKey {
        self.kept.lock().rules.share_key
    }

    /// What is known about a rule.
    pub(super) fn standing(&self, rule: &CutoverRule) -> RuleRecord {
        let kept = self.kept.lock();
        let known = kept.rules.rules.get(&rule.name).cloned();
        known.unwrap_or_else(|| {
            let reason = kept.unreadable.clone().filter(|_| rule.guard.is_some());
            RuleRecord {
                returned: reason.map(returned_now),
                ..RuleRecord::default()
            }
        })
    }

    /// Keeps what is known about a rule. The file is written on another thread.
    pub(super) fn keep(&self, name: &str, standing: RuleRecord) {
        let mut kept = self.kept.lock();
        let rules = &mut kept.rules.rules;
        if rules.contains_key(name) || rules.len() < MOST_RULES {
            rules.insert(name.to_owned(), standing);
        }
        let has_file = kept.file.is_some();
        drop(kept);
        if has_file {
            self.write_soon();
        }
    }

    /// Writes on another thread where there is one: a call that trips a guard must not wait for a disk.
    fn write_soon(&self) {
        let this = self.clone();
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || this.write())),
            Err(_) => self.write(),
        }
    }

    /// Writes all that is known; what it holds when it is written counts, in whatever order the writers come.
    fn write(&self) {
        let mut kept = self.kept.lock();
        let Some(file) = &kept.file else { return };
        let text = kept.rules.to_json();
        let written = state_file::replace(file, |aside| aside.write_all(text.as_bytes()));
        match &written {
            Err(error) if !kept.is_unwritten => tracing::error!(
                %error,
                file = %file.display(),
                "what the guards of rules have found cannot be kept: a restart would forget it"
            ),
            Ok(()) if kept.is_unwritten => tracing::info!(
                file = %file.display(),
                "what the guards of rules have found is kept again"
            ),
            Ok(()) | Err(_) => {}
        }
        kept.is_unwritten = written.is_err();
    }

    /// Writes again what could not be written.
    pub(super) fn write_again(&self) {
        let is_unwritten = self.kept.lock().is_unwritten;
        if is_unwritten {
            self.write();
        }
    }
}

/// No rules, and a key of the system's random numbers.
fn fresh() -> PersistedRules {
    let mut key = [0; ShareKey::BYTES];
    for (number, part) in key.chunks_mut(8).enumerate() {
        part.copy_from_slice(&RandomState::new().hash_one(number).to_ne_bytes());
    }
    PersistedRules {
        share_key: ShareKey::new(key),
        rules: BTreeMap::new(),
    }
}

fn file_in(directory: Option<&Path>) -> Option<PathBuf> {
    directory.map(|directory| directory.join(FILE))
}

fn returned_now(reason: String) -> Returned {
    Returned {
        reason,
        at: unix_time().as_secs(),
    }
}

/// The kept rules; none if there is no file yet.
fn read(file: &Path) -> io::Result<Option<PersistedRules>> {
    let broken = |error: &dyn std::fmt::Display| {
        let text = format!("{} cannot be read: {error}", file.display());
        io::Error::new(ErrorKind::InvalidData, text)
    };
    match fs::read_to_string(file) {
        Ok(text) => PersistedRules::parse(&text)
            .map(Some)
            .map_err(|error| broken(&error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(broken(&error)),
    }
}
