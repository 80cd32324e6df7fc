//! The states of rules and the key of shares, as a file keeps them over a restart.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use serde::Serialize;

use crate::server::{Keep, Kept};
use calendar_edge_core::migration::cutover::{PersistedRules, ShareKey};
use calendar_edge_core::settings::Settings;

/// The file in the directory of the settings.
pub(super) const FILE: &str = "migration.json";

/// The states that an earlier run has kept.
pub(super) fn open(settings: &Settings) -> Arc<Kept<PersistedRules>> {
    let file = settings.state_file(FILE);
    let rules = match Kept::<PersistedRules>::read(file.as_deref()) {
        Ok(kept) => kept.unwrap_or_else(|| PersistedRules::new(random_key(), None)),
        Err(error) => PersistedRules::new(random_key(), Some(error)),
    };
    if file.is_none() && settings.cutover.iter().any(|rule| rule.guard.is_some()) {
        tracing::warn!("without `state_dir` a restart resumes rules whose calls a guard has returned");
    }
    Kept::new(file, rules)
}

/// A key of the system's random numbers.
fn random_key() -> ShareKey {
    let mut key = [0; ShareKey::BYTES];
    for (number, part) in key.chunks_mut(8).enumerate() {
        part.copy_from_slice(&RandomState::new().hash_one(number).to_ne_bytes());
    }
    ShareKey::new(key)
}

impl Keep for PersistedRules {
    const WHAT: &'static str = "what the guards of rules have found";
    const UNREAD: &'static str = "no guarded rule takes a call until an operator resumes it";

    fn document(&self) -> Option<impl Serialize + 'static> {
        Some(self.clone())
    }
}
