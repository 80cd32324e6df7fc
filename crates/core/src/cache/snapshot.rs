//! The form in which kept responses outlive the process.
//!
//! A snapshot begins with [`SNAPSHOT_HEADER`]. Each response follows as two lengths, a head in JSON, the body, and a digest of both.
//! Two lengths of zero end it: a file without them was not written to its end.

use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

use super::dependencies::Dependencies;
use super::freshness::LifetimeFacts;
use super::stated::StatedLife;
use crate::unix_time::UnixTime;

/// The first bytes of every snapshot of this version.
pub const SNAPSHOT_HEADER: &[u8] = b"calendar-edge cache 1\n";

/// The bytes of a digest.
const SEAL: usize = 16;

/// The largest head, in bytes: a key within the limit of targets, and some headers.
const LARGEST_HEAD: u32 = 1 << 20;

/// One response without its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotHead {
    /// Everything that the response depends on.
    pub key: String,
    /// The status.
    pub status: u16,
    /// Names and values of the headers; a value that is not text is left out.
    pub headers: Vec<(String, String)>,
    /// When it was asked for, in milliseconds since 1970.
    pub at: u64,
    /// When it changes by itself, in milliseconds since 1970.
    pub turns_at: Option<u64>,
    /// True if it is a short-lived answer.
    pub is_brief: bool,
    /// The tags that it depends on; none: everything.
    pub tags: Option<Vec<String>>,
}

/// The lengths of a head and a body, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotLengths {
    /// The head; 0 ends the snapshot.
    pub head: u32,
    /// The body.
    pub body: u32,
}

// === impl SnapshotHead ===

impl SnapshotHead {
    /// The facts that the lifetime of the response depends on. What changed while no edge ran is not known.
    pub fn filled(&self) -> LifetimeFacts {
        LifetimeFacts {
            at: UnixTime::from_millis(self.at),
            turns_at: self.turns_at.map(UnixTime::from_millis),
            is_brief: self.is_brief,
            is_restored: true,
            is_of_backend: false,
            // A response that must not be served stale is in no snapshot.
            stated: StatedLife::default(),
        }
    }

    /// The tags of a response by their names.
    pub fn names(dependencies: &Dependencies) -> Option<Vec<String>> {
        match dependencies {
            Dependencies::On(tags) => Some(tags.iter().map(ToString::to_string).collect()),
            Dependencies::OnEverything => None,
        }
    }

    /// What the response depends on; everything, if a tag is not known here.
    pub fn dependencies(&self) -> Dependencies {
        let parsed = self.tags.as_ref().and_then(|tags| {
            let tags: Result<Box<[_]>, _> = tags.iter().map(|tag| tag.parse()).collect();
            tags.ok()
        });
        parsed.map_or(Dependencies::OnEverything, Dependencies::On)
    }
}

// === impl SnapshotLengths ===

impl SnapshotLengths {
    /// The end of a snapshot.
    pub const END: Self = Self { head: 0, body: 0 };

    /// The lengths as they are written.
    pub fn to_bytes(self) -> [u8; 8] {
        (u64::from(self.head) << 32 | u64::from(self.body)).to_be_bytes()
    }

    /// Reads lengths. `None` if a head or a body is longer than any that can be there; `largest_body` is in bytes.
    pub fn read(bytes: [u8; 8], largest_body: usize) -> Option<Self> {
        let both = u64::from_be_bytes(bytes);
        let lengths = Self {
            head: u32::try_from(both >> 32).ok()?,
            body: u32::try_from(both & u64::from(u32::MAX)).ok()?,
        };
        let fits = usize::try_from(lengths.body).is_ok_and(|body| body <= largest_body);
        (lengths.head <= LARGEST_HEAD && fits).then_some(lengths)
    }
}

/// The digest of one response.
pub fn snapshot_seal(head: &[u8], body: &[u8]) -> [u8; SEAL] {
    let mut context = Context::new(&SHA256);
    context.update(head);
    context.update(body);
    let mut seal = [0; SEAL];
    for (place, byte) in seal.iter_mut().zip(context.finish().as_ref()) {
        *place = *byte;
    }
    seal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Tag;
    use calendar_edge_judge::contract::Kind;

    fn head() -> SnapshotHead {
        SnapshotHead {
            key: "k".to_owned(),
            status: 200,
            headers: vec![("vary".to_owned(), "Origin".to_owned())],
            at: 1_800_000_000_123,
            turns_at: None,
            is_brief: false,
            tags: Some(vec!["event:5".to_owned(), "events".to_owned()]),
        }
    }

    #[test]
    fn heads_are_read_as_they_were_written() {
        let json = serde_json::to_vec(&head()).unwrap();
        let read: SnapshotHead = serde_json::from_slice(&json).unwrap();
        assert_eq!(read, head());
        let tags = [Tag::Record(Kind::Event, 5), Tag::Collection(Kind::Event)];
        assert_eq!(read.dependencies(), Dependencies::On(Box::new(tags)));
        assert_eq!(SnapshotHead::names(&read.dependencies()), head().tags);
        let at = UnixTime::from_millis(1_800_000_000_123);
        assert_eq!((read.filled().at, read.filled().turns_at), (at, None));
        assert_eq!(at.as_millis(), head().at);
        assert!(read.filled().is_restored);
    }

    #[test]
    fn unknown_tags_depend_on_everything() {
        for tags in [None, Some(vec!["event:5".to_owned(), "planet:3".to_owned()])] {
            assert_eq!(
                SnapshotHead { tags, ..head() }.dependencies(),
                Dependencies::OnEverything
            );
        }
    }

    #[test]
    fn lengths_are_bounded() {
        let lengths = SnapshotLengths { head: 7, body: 300 };
        assert_eq!(SnapshotLengths::read(lengths.to_bytes(), 300), Some(lengths));
        assert_eq!(SnapshotLengths::read(lengths.to_bytes(), 299), None);
        assert_eq!(SnapshotLengths::read([255; 8], usize::MAX), None);
    }

    #[test]
    fn seals_tell_heads_and_bodies_apart() {
        assert_eq!(snapshot_seal(b"a", b"b"), snapshot_seal(b"a", b"b"));
        assert_ne!(snapshot_seal(b"a", b"b"), snapshot_seal(b"a", b"c"));
    }
}
