//! The shapes of reads of one site, and what comparisons have shown about each.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::shape_proof::{ShapeProof, Standing};
use crate::limits::QuestionSpacing;

/// What is proven about the copy of one site, for as long as the site makes its responses in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShapeBook {
    /// The version of the rules by which the copy answers.
    rules: String,
    /// How the site makes responses; none before it has told.
    fingerprint: Option<String>,
    shapes: BTreeMap<String, ShapeProof>,
    #[serde(skip)]
    samples: QuestionSpacing,
}

// === impl ShapeBook ===

impl ShapeBook {
    /// The most shapes. Clients choose arguments, so that there could be very many.
    const MOST: usize = 1000;

    /// Nothing is proven about these rules.
    pub fn new(rules: &str) -> Self {
        Self {
            rules: rules.to_owned(),
            fingerprint: None,
            shapes: BTreeMap::new(),
            samples: QuestionSpacing::default(),
        }
    }

    /// The book that an earlier run has kept; a new one if it cannot be read. What was proven by other rules is doubted.
    pub fn from_json(text: &str, rules: &str) -> Self {
        let Ok(kept) = serde_json::from_str::<Self>(text) else {
            return Self::new(rules);
        };
        let mut book = Self::new(rules);
        book.shapes = kept.shapes;
        if kept.rules == rules {
            book.fingerprint = kept.fingerprint;
        } else {
            book.doubt(false);
        }
        book
    }

    /// Writes the book for a later run.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Takes the site's fingerprint. True if it is another one: what was proven is to be proven again, by fewer comparisons
    /// if the versions of the site's software are the same.
    pub fn adopt(&mut self, fingerprint: &str) -> bool {
        let versions = |text: &str| text.split_once('/').map(|(versions, _)| versions.to_owned());
        let earlier = self.fingerprint.replace(fingerprint.to_owned());
        let Some(earlier) = earlier.filter(|earlier| earlier != fingerprint) else {
            return false;
        };
        let earlier = versions(&earlier);
        self.doubt(earlier.is_some() && earlier == versions(fingerprint));
        true
    }

    fn doubt(&mut self, is_same_rules: bool) {
        let shapes = self.shapes.values_mut();
        shapes.for_each(|proof| proof.doubt(is_same_rules));
    }

    /// The shapes and their proofs, for operators.
    pub const fn shapes(&self) -> &BTreeMap<String, ShapeProof> {
        &self.shapes
    }

    /// Whether the copy answers reads of a shape.
    pub fn standing(&self, shape: &str) -> Standing {
        let proof = self.shapes.get(shape);
        proof.map_or(Standing::Watched, ShapeProof::standing)
    }

    /// Counts a response of the copy. True if it is to be compared with the site afterwards, until [`Self::sampled`].
    pub fn answers(&mut self, shape: &str, read: impl Hash, now: Instant) -> bool {
        let is_free = self.samples.is_free(now);
        let is_due = self.proof(shape).answers(read, is_free);
        if is_due {
            self.samples.begins(now);
        }
        is_due
    }

    /// A response of the copy was compared, whatever came of it.
    pub fn sampled(&mut self, now: Instant) {
        self.samples.ended(now);
    }

    /// Counts a read that the copy cannot answer.
    pub fn asks(&mut self, shape: &str, reason: &str) {
        self.proof(shape).asks(reason);
    }

    /// A response of the copy was equal to that of the site. True if the copy answers the shape from now on.
    pub fn is_equal(&mut self, shape: &str, read: impl Hash) -> bool {
        self.proof(shape).is_equal(read)
    }

    /// A response of the copy was different. True if that is news: the first time, or the copy answered until now.
    pub fn differs(&mut self, shape: &str, target: &str) -> bool {
        self.proof(shape).differs(target)
    }

    fn proof(&mut self, shape: &str) -> &mut ShapeProof {
        if self.shapes.len() >= Self::MOST && !self.shapes.contains_key(shape) {
            self.forget_one();
        }
        self.shapes.entry(shape.to_owned()).or_default()
    }

    /// Forgets the shape that was asked for least. It is proven anew when it comes back.
    fn forget_one(&mut self) {
        let least = self.shapes.iter().min_by_key(|(_, proof)| proof.uses());
        if let Some(shape) = least.map(|(shape, _)| shape.clone()) {
            self.shapes.remove(&shape);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Duration;

    use super::*;

    const SHAPE: &str = "list_events search=words";

    fn proven(book: &mut ShapeBook) -> usize {
        (1..1000).find(|read| book.is_equal(SHAPE, read)).unwrap()
    }

    #[test]
    fn a_shape_is_proven_by_comparisons_without_a_difference() {
        let mut book = ShapeBook::new("1");
        assert_eq!(proven(&mut book), 300);
        assert_eq!(book.standing(SHAPE), Standing::Proven);
        assert_eq!(book.standing("list_events"), Standing::Watched);
        assert!(book.differs(SHAPE, "/events?search=a"), "it was answered");
        assert_eq!(book.standing(SHAPE), Standing::Suspended);
        assert!(!book.differs(SHAPE, "/events?search=b"));
        assert_eq!(proven(&mut book), 300, "a difference is paid for in full");
    }

    #[test]
    fn some_responses_of_the_copy_are_compared() {
        let mut book = ShapeBook::new("1");
        proven(&mut book);
        let now = Instant::now();
        let sampled = (1..=600).filter(|read| {
            let is_due = book.answers(SHAPE, read, now);
            book.sampled(now);
            is_due
        });
        assert_eq!(sampled.count(), 3);
    }

    #[test]
    fn a_read_that_was_not_compared_yet_is_due_however_a_shape_was_proven() {
        let mut book = ShapeBook::new("1");
        assert_eq!((1..1000).find(|_| book.is_equal(SHAPE, "a")), Some(300));
        let now = Instant::now();
        assert!(!book.answers(SHAPE, "a", now));
        for _ in 0..2 {
            assert!(book.answers(SHAPE, "b", now), "it is not known to be equal");
            book.sampled(now);
        }
        book.is_equal(SHAPE, "b");
        assert!(!book.answers(SHAPE, "b", now));
        for other in 2..300 {
            book.is_equal(SHAPE, other);
        }
        assert!(!book.answers(SHAPE, "c", now), "enough were compared");
        book.differs(SHAPE, "/events?search=d");
        assert_eq!((1..1000).find(|_| book.is_equal(SHAPE, "a")), Some(300));
        assert!(book.answers(SHAPE, "b", now));
    }

    #[test]
    fn each_read_that_a_client_repeats_in_a_circle_is_compared() {
        let now = Instant::now();
        for circle in [2, 10, 50, 200] {
            let mut book = ShapeBook::new("1");
            proven(&mut book);
            let compared: HashSet<_> = (0..circle * 199)
                .filter(|read| {
                    let is_due = book.answers(SHAPE, read % circle, now);
                    book.sampled(now);
                    is_due
                })
                .map(|read| read % circle)
                .collect();
            assert_eq!(compared.len(), circle);
        }
    }

    #[test]
    fn one_response_is_compared_at_a_time_and_the_site_rests_in_between() {
        let mut book = ShapeBook::new("1");
        proven(&mut book);
        let now = Instant::now();
        let at = |milliseconds| now + Duration::from_millis(milliseconds);
        let mut until_due =
            |milliseconds| (1..=1000).find(|read| book.answers(SHAPE, read, at(milliseconds)));
        assert_eq!(until_due(0), Some(199));
        assert_eq!(until_due(10), None, "one is being compared");
        book.sampled(at(100));
        assert!(
            (1..=1000).all(|read| !book.answers(SHAPE, read, at(499))),
            "it took a tenth of a second"
        );
        assert!(book.answers(SHAPE, 1, at(500)), "one is overdue");
    }

    #[test]
    fn another_fingerprint_doubts_what_was_proven() {
        let mut book = ShapeBook::new("1");
        assert!(!book.adopt("6.7 6.10/a"));
        proven(&mut book);
        assert!(!book.adopt("6.7 6.10/a"));
        assert!(book.adopt("6.7 6.10/b"));
        assert_eq!(book.standing(SHAPE), Standing::Watched);
        assert_eq!(proven(&mut book), 30, "the versions are the same");
        assert!(book.adopt("6.7 6.11/b"));
        assert_eq!(proven(&mut book), 300, "the versions are others");
        assert!(book.adopt("b"));
        assert!(book.adopt("c"));
        assert_eq!(proven(&mut book), 300, "no versions are told");
        book.adopt("6.7 6.11/c");
        book.adopt("6.7 6.11/d");
        assert_eq!(proven(&mut book), 300, "it was not proven again in between");
    }

    #[test]
    fn a_kept_book_holds_for_the_same_rules() {
        let mut book = ShapeBook::new("1");
        book.adopt("6.7 6.10/a");
        proven(&mut book);
        book.asks(SHAPE, "include");
        let kept = book.to_json();
        let mut same = ShapeBook::from_json(&kept, "1");
        assert_eq!(same.standing(SHAPE), Standing::Proven);
        let now = Instant::now();
        assert!(same.answers(SHAPE, 1, now), "the first response after a start");
        let mut other = ShapeBook::from_json(&kept, "2");
        assert_eq!(other.standing(SHAPE), Standing::Watched);
        assert_eq!(proven(&mut other), 300);
        assert_eq!(ShapeBook::from_json("{", "1"), ShapeBook::new("1"));
    }

    #[test]
    fn shapes_are_bounded() {
        let mut book = ShapeBook::new("1");
        proven(&mut book);
        for number in 0..2 * ShapeBook::MOST {
            book.asks(&format!("list_events {number}"), "include");
        }
        assert_eq!(book.shapes().len(), ShapeBook::MOST);
        assert_eq!(book.standing(SHAPE), Standing::Proven, "it is used most");
    }
}
