//! Paths at which one backend differs from itself.

use std::collections::BTreeSet;

use super::class::DifferenceClass;
use super::findings::PathFindings;
use calendar_edge_judge::contract::OperationId;

/// The most paths that are remembered.
const MOST_PATHS: usize = 2_000;

/// The paths at which a backend differs from itself when it is asked twice, such as nonces and times of now.
#[derive(Debug, Clone, Default)]
pub struct Noise {
    paths: BTreeSet<(Option<OperationId>, String)>,
}

// === impl Noise ===

impl Noise {
    /// Learns from two answers of one backend to the same call; once 2000 paths are known, no further ones are
    /// learnt, and stay different.
    pub fn learn(&mut self, operation: Option<OperationId>, differences: &PathFindings) {
        for finding in differences.iter() {
            let is_noise = finding.class == DifferenceClass::Different;
            if is_noise && self.paths.len() < MOST_PATHS {
                self.paths.insert((operation, finding.path));
            }
        }
    }

    /// Returns true if the answers to an operation differ at a path by themselves.
    pub fn covers(&self, operation: Option<OperationId>, path: &str) -> bool {
        self.paths.contains(&(operation, path.to_owned()))
    }
}
