//! The records of which it is known whether anonymous readers see them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::cache::{Dependencies, Tag};
use calendar_edge_judge::contract::Kind;

/// A record by its kind and number, in files written as its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RecordName {
    /// Its kind.
    pub kind: Kind,
    /// Its number at the site.
    pub id: u64,
}

/// The records that anonymous readers saw (true), or requested and did not see (false); any other may be in either
/// state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct KnownRecords(HashMap<RecordName, bool>);

// === impl RecordName ===

impl RecordName {
    /// The one before all others.
    pub(super) const LEAST: Self = Self {
        kind: Kind::Event,
        id: 0,
    };

    /// The record that a tag names.
    pub(super) const fn of(tag: &Tag) -> Option<Self> {
        match tag {
            Tag::Record(kind, id) => Some(Self { kind: *kind, id: *id }),
            Tag::Image(_) | Tag::Collection(_) | Tag::Relations => None,
        }
    }

    /// The records that a response shows.
    pub(super) fn shown_by(answer: &Dependencies) -> impl Iterator<Item = Self> {
        let tags: &[Tag] = match answer {
            Dependencies::On(tags) => tags,
            Dependencies::OnEverything => &[],
        };
        tags.iter().filter_map(Self::of)
    }
}

impl TryFrom<String> for RecordName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let tag: Option<Tag> = text.parse().ok();
        tag.as_ref().and_then(Self::of).ok_or("not the tag of a record")
    }
}

impl From<RecordName> for String {
    fn from(name: RecordName) -> Self {
        Tag::Record(name.kind, name.id).to_string()
    }
}

// === impl KnownRecords ===

impl KnownRecords {
    /// The most records that are known, about 4 MiB. Of further ones nothing is known, which is always safe.
    pub(super) const MOST: usize = 100_000;

    /// True if anonymous readers saw a record, false if they did not; none: that is not known.
    pub(super) fn are_shown(&self, name: RecordName) -> Option<bool> {
        self.0.get(&name).copied()
    }

    /// Notes whether anonymous readers see a record. True if that was not known.
    pub(super) fn note(&mut self, name: RecordName, is_shown: bool) -> bool {
        if self.0.len() >= Self::MOST && !self.0.contains_key(&name) {
            return false;
        }
        self.0.insert(name, is_shown) != Some(is_shown)
    }

    /// These may have become public.
    pub(super) fn doubt(&mut self, names: &[RecordName]) {
        for name in names {
            if self.are_shown(*name) == Some(false) {
                self.0.remove(name);
            }
        }
    }

    /// Any hidden record may have become public.
    pub(super) fn doubt_all(&mut self) {
        self.0.retain(|_, is_shown| *is_shown);
    }
}
