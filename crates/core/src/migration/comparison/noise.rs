//! The share of calls in which one backend differs from itself, by path.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::class::DifferenceClass;
use super::findings::{PathFinding, PathFindings};
use super::reported_call::name_of;
use calendar_edge_judge::contract::{OperationId, table};

/// The most paths that are remembered.
const MOST_PATHS: usize = 2_000;

/// A backend has to differ from itself so many times before a path is noise: one edit between two responses is none.
const LEAST: u32 = 2;

/// The paths at which a backend differs from itself when it gets a call twice, such as nonces and times of now.
///
/// A path is noise while its backend differs from itself there more often than the other backend differs from two equal
/// responses. Both are counted where a call was sent twice, and halved each day.
#[derive(Debug, Clone, Default)]
pub(super) struct Noise {
    paths: BTreeMap<NoisePath, NoiseCounts>,
}

/// A path of an operation. A member that is absent in one of two responses is another kind of difference than another
/// value.
type NoisePath = (Option<OperationId>, String, bool);

/// A path as a file keeps it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptNoise {
    operation: String,
    path: String,
    is_absent: bool,
    #[serde(flatten)]
    counts: NoiseCounts,
}

/// Numbers of calls that were sent twice.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct NoiseCounts {
    /// The backend differed from itself.
    itself: u32,
    /// It did not, and the other backend differed from it.
    other: u32,
}

// === impl Noise ===

impl Noise {
    /// Takes the differences between two responses of one backend to one call, and those of the other backend's
    /// response from the first of them. Once 2000 paths are known, no further ones are learnt, and stay different.
    pub(super) fn learn(
        &mut self,
        operation: Option<OperationId>,
        itself: &PathFindings,
        other: &PathFindings,
    ) {
        let is_different = |finding: &&PathFinding| finding.class == DifferenceClass::Different;
        for finding in itself.iter().filter(is_different) {
            let key = key(operation, finding);
            if self.paths.len() < MOST_PATHS || self.paths.contains_key(&key) {
                let counts = self.paths.entry(key).or_default();
                counts.itself = counts.itself.saturating_add(1);
            }
        }
        for finding in other.iter().filter(is_different) {
            if !itself.differ_at(finding)
                && let Some(counts) = self.paths.get_mut(&key(operation, finding))
            {
                counts.other = counts.other.saturating_add(1);
            }
        }
    }

    /// Returns true if a difference is one that the backend has from itself.
    pub(super) fn covers(&self, operation: Option<OperationId>, finding: &PathFinding) -> bool {
        let counts = self.paths.get(&key(operation, finding));
        counts.is_some_and(|counts| counts.itself >= LEAST && counts.itself > counts.other)
    }

    /// Halves all counts, so that noise of the past is forgotten.
    pub(super) fn fade(&mut self) {
        self.paths.retain(|_, counts| {
            counts.itself /= 2;
            counts.other /= 2;
            counts.itself > 0
        });
    }

    /// All paths, for a file.
    pub(super) fn kept(&self) -> Vec<KeptNoise> {
        let paths = self.paths.iter();
        let kept = paths.map(|((operation, path, is_absent), counts)| KeptNoise {
            operation: name_of(*operation).to_owned(),
            path: path.clone(),
            is_absent: *is_absent,
            counts: *counts,
        });
        kept.collect()
    }

    /// The noise of a file, within the bounds of a new one. Operations that the table does not have are left out.
    pub(super) fn of_kept(kept: Vec<KeptNoise>) -> Self {
        let known = kept.into_iter().filter_map(|kept| {
            let operation = table().named(&kept.operation).map(|row| row.id);
            let is_known = operation.is_some() || kept.operation == name_of(None);
            is_known.then_some(((operation, kept.path, kept.is_absent), kept.counts))
        });
        Self {
            paths: known.take(MOST_PATHS).collect(),
        }
    }
}

fn key(operation: Option<OperationId>, finding: &PathFinding) -> NoisePath {
    (operation, finding.path.clone(), finding.is_absent)
}
