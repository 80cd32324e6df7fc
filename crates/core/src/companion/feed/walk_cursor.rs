//! Where a reader stands on its way through all records, as a text that it does not look into.

use super::feed_token::{FeedKey, FeedPosition, MalformedToken, POSITION_BYTES, first};
use super::known_records::RecordName;
use calendar_edge_judge::contract::Kind;

/// A place on the way through all records of some kinds, in the order of kinds and numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkCursor {
    /// Every change up to this position is in what was read, and in what follows.
    pub start: FeedPosition,
    /// The kinds that are read; empty: all.
    pub kinds: Vec<Kind>,
    /// The last record that was read.
    pub last: RecordName,
}

/// The version of the form below, which distinguishes a cursor from a token of the feed.
const VERSION: u8 = 2;

/// Position, kinds, and kind and number of the last record.
const CURSOR_BYTES: usize = POSITION_BYTES + 1 + 1 + 8;

// === impl WalkCursor ===

impl WalkCursor {
    /// In front of all records of these kinds.
    pub const fn first(start: FeedPosition, kinds: Vec<Kind>) -> Self {
        Self {
            start,
            kinds,
            last: RecordName::LEAST,
        }
    }

    /// The cursor as a text of the site with this key.
    pub fn write(&self, key: &FeedKey) -> String {
        let kinds = self.kinds.iter().fold(0, |kinds, kind| kinds | bit(*kind));
        let mut content = self.start.to_bytes().to_vec();
        content.extend([kinds, bit(self.last.kind)]);
        content.extend(self.last.id.to_be_bytes());
        key.sealed(VERSION, &content)
    }

    /// The cursor that a text has.
    ///
    /// # Errors
    ///
    /// When the text is none of this site and secret, or was changed.
    pub fn read(text: &str, key: &FeedKey) -> Result<Self, MalformedToken> {
        let content = key.opened::<CURSOR_BYTES>(VERSION, text)?.ok_or(MalformedToken)?;
        let (start, rest) = content.split_at_checked(POSITION_BYTES).ok_or(MalformedToken)?;
        let [kinds, kind, id @ ..] = rest else {
            return Err(MalformedToken);
        };
        let named = |bits: u8| Kind::ALL.into_iter().filter(move |kind| bits & bit(*kind) != 0);
        Ok(Self {
            start: FeedPosition::from_bytes(start),
            kinds: named(*kinds).collect(),
            last: RecordName {
                kind: named(*kind).next().ok_or(MalformedToken)?,
                id: u64::from_be_bytes(first(id)),
            },
        })
    }

    /// True if records of this kind are read.
    pub(super) fn reads(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// The bit of a kind. The order of kinds is that of the specification, and other edges read the cursor.
const fn bit(kind: Kind) -> u8 {
    1 << kind as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::MarkKey;
    use crate::unix_time::UnixTime;

    fn key(root: &str) -> FeedKey {
        let secret = MarkKey::new(b"a secret of thirty-two characters").unwrap();
        FeedKey::new(&secret, &root.parse().unwrap())
    }

    fn cursor(kinds: &[Kind]) -> WalkCursor {
        let start = FeedPosition {
            number: 812,
            at: UnixTime::from_secs(1_763_769_600),
        };
        let last = RecordName {
            kind: Kind::Tag,
            id: u64::MAX - 1,
        };
        WalkCursor {
            last,
            ..WalkCursor::first(start, kinds.to_vec())
        }
    }

    #[test]
    fn cursors_hold_at_every_edge_of_the_site_and_nowhere_else() {
        let (ours, other) = (
            key("http://wp.example/wp-json"),
            key("http://wp.example/de/wp-json"),
        );
        for kinds in [&[][..], &[Kind::Venue], &[Kind::Event, Kind::Tag], &Kind::ALL] {
            let text = cursor(kinds).write(&ours);
            assert_eq!(WalkCursor::read(&text, &ours), Ok(cursor(kinds)));
            assert_eq!(WalkCursor::read(&text, &other), Err(MalformedToken));
        }
    }

    #[test]
    fn neither_a_token_nor_a_changed_cursor_is_taken() {
        let key = key("http://wp.example/wp-json");
        let text = cursor(&[]).write(&key);
        assert_eq!(key.read(&text), Err(MalformedToken), "a token is no cursor");
        let token = key.write(cursor(&[]).start);
        assert_eq!(WalkCursor::read(&token, &key), Err(MalformedToken));
        for place in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(WalkCursor::read(&changed, &key), Err(MalformedToken), "{place}");
        }
    }
}
