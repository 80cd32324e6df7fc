//! What comparisons with the site have shown about one shape of reads.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

/// Whether the copy answers reads of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Standing {
    /// The site answers, and each response is compared with that of the copy.
    Watched,
    /// The copy answers, and some of its responses are compared afterwards.
    Proven,
    /// The site answers, because a response of the copy was different. It is compared as a watched one.
    Suspended,
}

/// The comparisons of one shape, and what became of its reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShapeProof {
    standing: Standing,
    /// The comparisons without a difference since the standing changed.
    equal: u64,
    /// So many are needed before the copy answers.
    needed: u64,
    /// The reads that the copy answered.
    answered: u64,
    /// Those since the last one that was compared.
    unsampled: u64,
    /// Hashes of the first different reads that were compared without a difference since a start, up to
    /// [`Self::NEEDED`].
    #[serde(skip)]
    equal_reads: HashSet<u64>,
    /// The reads that the copy cannot answer, by the reason.
    asked: BTreeMap<String, u64>,
    /// All comparisons, and those with a difference.
    compared: u64,
    differences: u64,
    /// The target of the last one. `calendar-edge migration compare` asks for it again.
    example: Option<String>,
}

// === impl Standing ===

impl Standing {
    /// The name in documents and metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

// === impl ShapeProof ===

impl ShapeProof {
    /// So many equal comparisons prove a shape.
    const NEEDED: u64 = 300;

    /// So many prove it again, after the site has changed, by the same rules.
    const NEEDED_AGAIN: u64 = 30;

    /// One of so many responses of the copy is compared afterwards: a prime, so that a client that repeats some reads in a
    /// circle has each of them compared.
    const SAMPLED: u64 = 199;

    /// Whether the copy answers.
    pub const fn standing(&self) -> Standing {
        self.standing
    }

    /// Counts a response of the copy. True if it is to be compared with the site afterwards, which may be free for that:
    /// one that never was, because few reads may have proven the shape, or enough others were not.
    pub(super) fn answers(&mut self, read: impl Hash, is_free: bool) -> bool {
        self.answered += 1;
        self.unsampled += 1;
        let is_due = is_free && (self.unsampled >= Self::SAMPLED || self.is_new(read));
        if is_due {
            self.unsampled = 0;
        }
        is_due
    }

    /// Counts a read that the copy cannot answer.
    pub(super) fn asks(&mut self, reason: &str) {
        match self.asked.get_mut(reason) {
            Some(count) => *count += 1,
            None => drop(self.asked.insert(reason.to_owned(), 1)),
        }
    }

    /// Whether a read is another one than those compared, which are few.
    fn is_new(&self, read: impl Hash) -> bool {
        self.has_few_reads() && !self.equal_reads.contains(&hash(read))
    }

    fn has_few_reads(&self) -> bool {
        (self.equal_reads.len() as u64) < Self::NEEDED
    }

    /// A comparison showed no difference. True if the copy answers from now on.
    pub(super) fn is_equal(&mut self, read: impl Hash) -> bool {
        self.equal += 1;
        self.compared += 1;
        if self.has_few_reads() {
            self.equal_reads.insert(hash(read));
        }
        let is_proven = self.standing != Standing::Proven && self.equal >= self.needed;
        if is_proven {
            self.stand(Standing::Proven);
        }
        is_proven
    }

    /// A comparison showed a difference. True if that is news: the first one, or the copy answered until now.
    pub(super) fn differs(&mut self, target: &str) -> bool {
        let is_news = self.standing == Standing::Proven || self.differences == 0;
        self.compared += 1;
        self.differences += 1;
        self.example = Some(target.to_owned());
        self.needed = Self::NEEDED;
        self.stand(Standing::Suspended);
        is_news
    }

    /// The site makes responses in another way: everything is to be proven again.
    pub(super) fn doubt(&mut self, is_same_rules: bool) {
        self.needed = if is_same_rules && self.standing == Standing::Proven {
            Self::NEEDED_AGAIN
        } else {
            Self::NEEDED
        };
        self.stand(Standing::Watched);
    }

    /// How often the shape was asked for, to find the one to forget.
    pub(super) fn uses(&self) -> u64 {
        self.answered + self.compared + self.asked.values().sum::<u64>()
    }

    fn stand(&mut self, standing: Standing) {
        self.standing = standing;
        self.equal = 0;
        if standing != Standing::Proven {
            self.equal_reads.clear();
        }
    }
}

fn hash(read: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    read.hash(&mut hasher);
    hasher.finish()
}

impl Default for ShapeProof {
    fn default() -> Self {
        Self {
            standing: Standing::Watched,
            equal: 0,
            needed: Self::NEEDED,
            answered: 0,
            unsampled: 0,
            equal_reads: HashSet::new(),
            asked: BTreeMap::new(),
            compared: 0,
            differences: 0,
            example: None,
        }
    }
}
