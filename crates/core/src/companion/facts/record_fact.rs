//! A record by its number: what names it, and which moment of it is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use calendar_edge_judge::contract::Kind;
use serde::{Deserialize, Serialize};

/// An event, venue or organizer of any status. Nothing that it contains is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordFact {
    /// Its number.
    pub id: u64,
    /// Its kind.
    pub kind: PostKind,
    /// The status of the post, such as `publish`.
    pub status: String,
    /// True if it has a password.
    #[serde(default)]
    pub password: bool,
    /// The name in its address, as the database has it.
    pub slug: String,
    /// Another number once the record, or what it shows of others, is another. It has no further meaning.
    pub sum: u32,
}

/// The kinds of record that are posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PostKind {
    /// An event.
    Event,
    /// A venue.
    Venue,
    /// An organizer.
    Organizer,
}

// === impl RecordFact ===

impl RecordFact {
    /// True if it is published: without other plugins every client may read it, an event with a password by that.
    pub fn is_public(&self) -> bool {
        self.status == "publish"
    }

    pub(super) fn by_number(records: Vec<Self>) -> BTreeMap<u64, Arc<Self>> {
        let records = records.into_iter().map(|record| (record.id, Arc::new(record)));
        records.collect()
    }
}

// === impl PostKind ===

impl From<PostKind> for Kind {
    fn from(kind: PostKind) -> Self {
        match kind {
            PostKind::Event => Self::Event,
            PostKind::Venue => Self::Venue,
            PostKind::Organizer => Self::Organizer,
        }
    }
}
