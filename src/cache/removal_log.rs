//! Which removals came after which fill: numbers instead of clocks.
//!
//! Each removal is the next generation. For every tag the generation of its last removal is known, in a table of fixed
//! size: tags that share a place there are removed together, which removes too much and never too little.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};

use calendar_edge_core::cache::{Dependencies, Removal, Tag};
use parking_lot::Mutex;

/// The places for tags: 512 KiB.
const PLACES: usize = 1 << 16;

/// The removals so far.
#[derive(Debug)]
pub(super) struct RemovalLog {
    /// The generation of the last removal.
    current: AtomicU64,
    /// The generation of the last removal of everything.
    everything: AtomicU64,
    /// The generation of the last removal of each tag.
    of_tags: Box<[AtomicU64]>,
    hasher: RandomState,
    removing: Mutex<()>,
}

// === impl RemovalLog ===

impl RemovalLog {
    pub(super) fn new() -> Self {
        Self {
            current: AtomicU64::new(0),
            everything: AtomicU64::new(0),
            of_tags: (0..PLACES).map(|_| AtomicU64::new(0)).collect(),
            hasher: RandomState::new(),
            removing: Mutex::new(()),
        }
    }

    /// The generation of the last removal.
    pub(super) fn current(&self) -> u64 {
        self.current.load(Ordering::Acquire)
    }

    /// Begins the next generation, and returns it.
    pub(super) fn remove(&self, removal: &Removal) -> u64 {
        let _one_at_a_time = self.removing.lock();
        let next = self.current.load(Ordering::Relaxed) + 1;
        match removal {
            Removal::All => self.everything.store(next, Ordering::Release),
            Removal::Tags(tags) => {
                for tag in tags {
                    self.place(tag).store(next, Ordering::Release);
                }
            }
        }
        // Last: a reader of this generation sees its removals.
        self.current.store(next, Ordering::Release);
        next
    }

    /// Returns true if nothing was removed since a fill began at a generation. `checked` is the generation up to which
    /// this is known, and is moved on.
    pub(super) fn holds(&self, dependencies: &Dependencies, checked: &AtomicU64) -> bool {
        let known = checked.load(Ordering::Relaxed);
        let current = self.current();
        if known == current {
            return true;
        }
        let is_whole = self.everything.load(Ordering::Acquire) <= known;
        let holds = is_whole
            && match dependencies {
                Dependencies::OnEverything => false,
                Dependencies::On(tags) => tags
                    .iter()
                    .all(|tag| self.place(tag).load(Ordering::Acquire) <= known),
            };
        if holds {
            // An older number may win a race; then the next look costs once more.
            checked.store(current, Ordering::Relaxed);
        }
        holds
    }

    #[expect(clippy::indexing_slicing, reason = "the remainder is within the table")]
    fn place(&self, tag: &Tag) -> &AtomicU64 {
        let hash = usize::try_from(self.hasher.hash_one(tag)).unwrap_or(usize::MAX);
        &self.of_tags[hash % PLACES]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use calendar_edge_judge::contract::Kind;

    fn on(numbers: &[u64]) -> Dependencies {
        Dependencies::On(
            numbers
                .iter()
                .map(|number| Tag::Record(Kind::Event, *number))
                .collect(),
        )
    }

    fn removal(numbers: &[u64]) -> Removal {
        Removal::Tags(
            numbers
                .iter()
                .map(|number| Tag::Record(Kind::Event, *number))
                .collect(),
        )
    }

    #[test]
    fn a_removal_ends_what_was_asked_for_before_it() {
        let generations = RemovalLog::new();
        let begun = AtomicU64::new(generations.current());
        assert!(generations.holds(&on(&[1, 2]), &begun));
        assert_eq!(generations.remove(&removal(&[2])), 1);
        assert!(!generations.holds(&on(&[1, 2]), &begun));
        assert!(!generations.holds(&Dependencies::OnEverything, &begun));
        let later = AtomicU64::new(generations.current());
        assert!(generations.holds(&on(&[1, 2]), &later));
        assert_eq!(generations.remove(&Removal::All), 2);
        assert!(!generations.holds(&on(&[]), &later));
    }

    proptest! {
        #[test]
        fn what_depends_on_a_removed_tag_ends(
            before in prop::collection::vec(1_u64..40, 0..5),
            after in prop::collection::vec(prop::collection::vec(1_u64..40, 0..5), 0..5),
            shown in prop::collection::vec(1_u64..40, 0..5),
        ) {
            let generations = RemovalLog::new();
            generations.remove(&removal(&before));
            let begun = AtomicU64::new(generations.current());
            let mut must_end = false;
            for tags in &after {
                generations.remove(&removal(tags));
                must_end |= tags.iter().any(|tag| shown.contains(tag));
                prop_assert!(!must_end || !generations.holds(&on(&shown), &begun));
            }
            let later = AtomicU64::new(generations.current());
            prop_assert!(generations.holds(&on(&shown), &later));
        }
    }
}
