//! A record as the copy of the calendar needs it: what decides which reads have it, and the parts of its body.

use calendar_edge_judge::contract::Kind;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// An event, venue or organizer. Of what an anonymous visitor may not read, there are only number, kind, status, slug,
/// place and links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordFact {
    /// Its number.
    pub id: u64,
    /// What it is.
    pub kind: PostKind,
    /// The status of the post, such as `publish`.
    pub status: String,
    /// Whether it has a password.
    #[serde(default)]
    pub password: bool,
    /// When it was published, on the site's clock.
    pub date: String,
    /// The name in its address, as the database has it.
    pub slug: String,
    /// The post above it, 0 if there is none.
    #[serde(default)]
    pub parent: u64,
    /// Its image, 0 if there is none.
    #[serde(default)]
    pub image: u64,
    /// Whether lists leave it out: the mark exists, whatever it says.
    #[serde(default)]
    pub hidden: bool,
    /// Whether it is among the featured: the mark exists, whatever it says.
    #[serde(default)]
    pub featured: bool,
    /// The venues that it names, in the order in which they are printed.
    #[serde(default)]
    pub venues: Vec<u64>,
    /// The organizers that it names, in the order in which they are printed.
    #[serde(default)]
    pub organizers: Vec<u64>,
    /// Its categories and tags, in the order in which they are printed.
    #[serde(default)]
    pub terms: Vec<u64>,
    /// When an event takes place.
    #[serde(default)]
    pub occurrences: Vec<Occurrence>,
    /// The texts that a search reads, folded. Events: title, excerpt, content; others: all that their search reads. None
    /// where no search reads them.
    #[serde(default)]
    pub texts: Option<Vec<String>>,
    /// What a list prints of it, with `null` for each record in it.
    #[serde(default)]
    pub body: Option<PrintedBody>,
    /// What a read of the record alone prints beside that.
    #[serde(default)]
    pub json_ld: Option<PrintedBody>,
    /// The member in front of which that stands; none: behind all.
    #[serde(default)]
    pub before: Option<String>,
    /// Why only the site can print it.
    #[serde(default)]
    pub ask: Option<String>,
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

/// A row of the table of occurrences: its number, start and end in the event's zone, start and end in UTC, all as
/// `YYYY-MM-DD HH:MM:SS`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence(pub u64, pub String, pub String, pub String, pub String);

/// JSON in the bytes in which the site prints it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Box<RawValue>", into = "Box<RawValue>")]
pub struct PrintedBody(Box<str>);

// === impl RecordFact ===

impl RecordFact {
    /// Whether it is published: everybody may read it, an event with a password by that.
    pub fn is_public(&self) -> bool {
        self.status == "publish"
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

// === impl PrintedBody ===

impl PrintedBody {
    /// The bytes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for PrintedBody {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} bytes", self.0.len())
    }
}

impl From<Box<RawValue>> for PrintedBody {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw.into())
    }
}

impl From<PrintedBody> for Box<RawValue> {
    fn from(body: PrintedBody) -> Self {
        // It was read as JSON, and is never changed.
        RawValue::from_string(body.0.into()).unwrap_or_default()
    }
}
