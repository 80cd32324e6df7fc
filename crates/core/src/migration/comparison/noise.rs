//! The share of calls in which one backend differs from itself, by path.

use serde::{Deserialize, Serialize};

use super::class::DifferenceClass;
use super::findings::{PathFinding, PathFindings};
use calendar_edge_judge::contract::{Operation, table};

/// The most paths that are remembered.
const MOST_PATHS: usize = 2_000;

/// A backend has to differ from itself so many times before a path is noise: one edit between two responses is none.
const LEAST: u32 = 2;

/// The paths at which a backend differs from itself when it gets a call twice, such as nonces and times of now.
///
/// A path is noise while its backend differs from itself there more often than the other backend differs from two equal
/// responses. Both are counted where a call was sent twice, and halved each day.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Noise(Vec<NoisePath>);

/// A path of an operation, with numbers of calls that were sent twice.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct NoisePath {
    operation: String,
    path: String,
    /// A member that is absent in one of two responses is another kind of difference than another value.
    is_absent: bool,
    /// The backend differed from itself.
    itself: u32,
    /// It did not, and the other backend differed from it.
    other: u32,
}

// === impl Noise ===

impl Noise {
    /// Takes the differences between two responses of one backend to one call, and those of the other backend's
    /// response from the first of them. Once 2000 paths are known, no further ones are learnt, and stay different.
    pub(super) fn learn(&mut self, operation: &Operation, itself: &PathFindings, other: &PathFindings) {
        let is_different = |finding: &&PathFinding| finding.class == DifferenceClass::Different;
        for finding in itself.iter().filter(is_different) {
            if let Some(known) = self.0.iter_mut().find(|known| known.is_at(operation, finding)) {
                known.itself = known.itself.saturating_add(1);
            } else if self.0.len() < MOST_PATHS {
                self.0.push(NoisePath {
                    operation: operation.name.clone(),
                    path: finding.path.clone(),
                    is_absent: finding.is_absent,
                    itself: 1,
                    other: 0,
                });
            }
        }
        for finding in other.iter().filter(is_different) {
            if !itself.differ_at(finding)
                && let Some(known) = self.0.iter_mut().find(|known| known.is_at(operation, finding))
            {
                known.other = known.other.saturating_add(1);
            }
        }
    }

    /// Returns true if a difference is one that the backend has from itself.
    pub(super) fn covers(&self, operation: &Operation, finding: &PathFinding) -> bool {
        let known = self.0.iter().find(|known| known.is_at(operation, finding));
        known.is_some_and(|known| known.itself >= LEAST && known.itself > known.other)
    }

    /// Halves all counts, so that noise of the past is forgotten.
    pub(super) fn fade(&mut self) {
        self.0.retain_mut(|known| {
            known.itself /= 2;
            known.other /= 2;
            known.itself > 0
        });
    }

    /// Keeps the bounds of new noise in that of a file. Operations that the table does not have are left out.
    pub(super) fn bound(&mut self) {
        self.0.retain(|known| table().named(&known.operation).is_some());
        self.0.truncate(MOST_PATHS);
    }
}

// === impl NoisePath ===

impl NoisePath {
    fn is_at(&self, operation: &Operation, finding: &PathFinding) -> bool {
        self.is_absent == finding.is_absent && self.path == finding.path && self.operation == operation.name
    }
}
