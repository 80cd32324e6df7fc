//! Decisions about reads that came before: found by their target, without reading it again.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use arc_swap::ArcSwapOption;

use crate::calls::JudgedCall;
use calendar_edge_core::gateway::decision::OpenedCall;

/// The last decisions about valid reads that [nothing but their
/// target](calendar_edge_core::gateway::decision::Decider::sole_target) decides.
///
/// A decider is pure and belongs to one set of settings and tables. So does this: it is made with the decider and
/// dropped with it, and nothing in it can outlive what it was decided by.
#[derive(Debug)]
pub(in crate::gateway) struct KnownReads {
    /// Each target has one place, by its hash; the last one that came has it.
    places: Box<[ArcSwapOption<KnownRead>]>,
    /// Random, so that no client can choose targets that share a place.
    hasher: RandomState,
}

/// A valid read without a finding.
#[derive(Debug)]
pub(in crate::gateway) struct KnownRead {
    target: Box<str>,
    /// The request of which only the head is read.
    pub(in crate::gateway) opened: Arc<OpenedCall>,
    pub(in crate::gateway) call: Arc<JudgedCall>,
}

/// The number of places. With the two bounds below, all of them take a few megabytes at most.
const PLACES: usize = 1024;

/// Maximum bytes of a target that is remembered.
const LONGEST: usize = 512;

/// Maximum parameters of a target that is remembered.
const MOST_PAIRS: usize = 24;

// === impl KnownReads ===

impl KnownReads {
    pub(in crate::gateway) fn new() -> Self {
        Self {
            places: (0..PLACES).map(|_| ArcSwapOption::empty()).collect(),
            hasher: RandomState::new(),
        }
    }

    /// The decision about this target.
    pub(in crate::gateway) fn find(&self, target: &str) -> Option<Arc<KnownRead>> {
        let place = self.place(target)?.load();
        let known = place.as_ref().filter(|known| *known.target == *target)?;
        Some(Arc::clone(known))
    }

    /// Remembers the call of a target, which was judged without findings, if it is valid.
    pub(in crate::gateway) fn note(&self, target: &str, opened: &Arc<OpenedCall>, call: &Arc<JudgedCall>) {
        let is_short = target.bytes().filter(|byte| *byte == b'&').count() < MOST_PAIRS;
        let is_valid = call.validated().is_some();
        if let (true, true, Some(place)) = (is_short, is_valid, self.place(target)) {
            place.store(Some(Arc::new(KnownRead {
                target: target.into(),
                opened: Arc::clone(opened),
                call: Arc::clone(call),
            })));
        }
    }

    fn place(&self, target: &str) -> Option<&ArcSwapOption<KnownRead>> {
        if target.len() > LONGEST {
            return None;
        }
        let hash = usize::try_from(self.hasher.hash_one(target) % PLACES as u64).ok()?;
        self.places.get(hash)
    }
}
