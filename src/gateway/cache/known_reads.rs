//! Decisions about reads that were asked before: found by their target, without reading it again.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;

use crate::backend::WrittenUrl;
use calendar_edge_core::call::{ForwardableCall, Judgement, Outcome};
use calendar_edge_core::gateway::decision::OpenedCall;

/// The last decisions about valid reads that [nothing but their target](calendar_edge_core::gateway::decision::Decider::sole_target)
/// decides.
///
/// A decider is pure and belongs to one set of settings and tables. So does this: it is made with the decider and
/// dropped with it, and nothing in it can outlive what it was decided by.
#[derive(Debug)]
pub(in crate::gateway) struct KnownReads {
    /// Each target has one place, by its hash; the last one that was asked has it.
    places: Box<[ArcSwapOption<KnownRead>]>,
    /// Random, so that nobody can choose targets that share a place.
    hasher: RandomState,
}

/// A valid read without a finding.
#[derive(Debug)]
pub(in crate::gateway) struct KnownRead {
    target: Box<str>,
    opened: Arc<OpenedCall>,
    call: Arc<ForwardableCall>,
    /// The URL of the call at its backend.
    written: WrittenUrl,
    /// The key of the site's answer in the cache, where it depends on the call alone.
    key: OnceLock<Arc<str>>,
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

    /// What was decided about this target.
    pub(in crate::gateway) fn find(&self, target: &str) -> Option<Arc<KnownRead>> {
        let place = self.place(target)?.load();
        let known = place.as_ref().filter(|known| *known.target == *target)?;
        Some(Arc::clone(known))
    }

    /// Remembers what was decided about a target: if its call is valid, forwarded, and without findings.
    pub(in crate::gateway) fn note(&self, target: &str, opened: &Arc<OpenedCall>, judgement: &Judgement) {
        let Outcome::Forward(call) = &judgement.outcome else {
            return;
        };
        let is_short = target.bytes().filter(|byte| *byte == b'&').count() < MOST_PAIRS;
        let is_plain = judgement.findings.is_empty() && call.validated().is_some();
        if let (true, true, Some(place)) = (is_short, is_plain, self.place(target)) {
            place.store(Some(Arc::new(KnownRead {
                target: target.into(),
                opened: Arc::clone(opened),
                call: Arc::clone(call),
                written: WrittenUrl::default(),
                key: OnceLock::new(),
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

// === impl KnownRead ===

impl KnownRead {
    /// The request of which only the head is read.
    pub(in crate::gateway) const fn opened(&self) -> &Arc<OpenedCall> {
        &self.opened
    }

    /// The judged call.
    pub(in crate::gateway) const fn call(&self) -> &Arc<ForwardableCall> {
        &self.call
    }

    /// The URL of the call at its backend, which is written at most once.
    pub(in crate::gateway) const fn written(&self) -> &WrittenUrl {
        &self.written
    }

    /// The key of the site's answer, which is made at most once. It must depend on nothing but the call.
    pub(in crate::gateway) fn key(&self, key: impl FnOnce() -> Arc<str>) -> Arc<str> {
        Arc::clone(self.key.get_or_init(key))
    }
}
