//! The way through all records that every client may read, and one chunk of it.

use bytes::Bytes;
use http::StatusCode;
use serde_json::json;

use super::feed_token::FeedPosition;
use super::known_records::RecordName;
use super::page::push_with_record;
use super::record_verdict::RecordVerdict;
use super::walk_cursor::WalkCursor;

/// The records that every client could read at one moment.
///
/// A reader that walks through them and then reads the feed from the position of its first chunk has all records as
/// they are then: a record that a later chunk lacks, or has in a later state, has changed behind that position. So each
/// chunk may be of another moment, as long as none is of an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedRecords {
    /// The position of the feed at that moment.
    pub start: FeedPosition,
    /// Every change up to this number is in the names.
    pub through: u64,
    /// The records in the order of kinds and numbers.
    names: Vec<RecordName>,
}

/// Some records on the way, as far as there is room for them.
#[derive(Debug)]
pub struct RecordChunk {
    json: Vec<u8>,
    room: usize,
    /// The bytes that the next record may have.
    pub left: usize,
    /// The last record that was taken, or passed over.
    pub last: Option<RecordName>,
    /// True if a record was left to the next chunk.
    pub is_full: bool,
}

// === impl WalkedRecords ===

impl WalkedRecords {
    /// These records, in whatever order, at a position of the feed.
    pub fn new(start: FeedPosition, through: u64, mut names: Vec<RecordName>) -> Self {
        names.sort_unstable();
        Self {
            start,
            through,
            names,
        }
    }

    /// The records behind a cursor.
    pub fn after(&self, cursor: &WalkCursor) -> impl Iterator<Item = RecordName> {
        let first = self.names.partition_point(|name| *name <= cursor.last);
        let behind = self.names.get(first..).unwrap_or_default().iter();
        behind.copied().filter(|name| cursor.reads(name.kind))
    }
}

// === impl RecordChunk ===

impl RecordChunk {
    /// An empty chunk with room for so many bytes of records.
    pub const fn new(room: usize) -> Self {
        Self {
            json: Vec::new(),
            room,
            left: room,
            last: None,
            is_full: false,
        }
    }

    /// Takes the next record as it was found: status and body, which is absent if it is too large, or nothing if the
    /// edge refuses the read to every client.
    ///
    /// A record that no client may read is not named. One that cannot be read now is named without its content, and
    /// so is one that is larger than the whole room.
    pub fn take(&mut self, name: RecordName, found: Option<(StatusCode, Option<Bytes>)>) {
        if self.is_full {
            return;
        }
        let record = match found {
            None => None,
            Some((StatusCode::OK, body)) => {
                let fitting = body.filter(|body| !body.is_empty() && body.len() <= self.left);
                self.is_full = fitting.is_none() && self.left < self.room;
                Some(fitting)
            }
            Some((status, body)) => {
                let verdict =
                    RecordVerdict::of_response(name.kind, status, body.as_deref().unwrap_or_default());
                (verdict == RecordVerdict::Failed).then_some(None)
            }
        };
        if self.is_full {
            return;
        }
        self.last = Some(name);
        if let Some(record) = record {
            self.push(name, record.as_ref());
        }
    }

    fn push(&mut self, name: RecordName, record: Option<&Bytes>) {
        self.left -= record.map_or(0, Bytes::len);
        if !self.json.is_empty() {
            self.json.push(b',');
        }
        let named = json!({"kind": name.kind.singular(), "id": name.id});
        push_with_record(&mut self.json, named.to_string().into_bytes(), record);
    }

    /// The chunk as JSON, with the cursor of the next one, none behind the last record, and the token from which the
    /// feed lists later changes.
    pub fn to_json(&self, next: Option<&str>, changes: &str) -> Bytes {
        let end = format!("],\"next\":{},\"changes\":\"{changes}\"}}", json!(next));
        [b"{\"records\":[", &self.json[..], end.as_bytes()]
            .concat()
            .into()
    }
}

#[cfg(test)]
mod tests {
    use calendar_edge_judge::contract::Kind;
    use serde_json::Value;

    use super::*;
    use crate::unix_time::UnixTime;

    const START: FeedPosition = FeedPosition {
        number: 7,
        at: UnixTime::from_secs(9),
    };

    fn name(kind: Kind, id: u64) -> RecordName {
        RecordName { kind, id }
    }

    fn found(status: u16, body: &str) -> (StatusCode, Option<Bytes>) {
        let status = StatusCode::from_u16(status).unwrap();
        (status, Some(Bytes::copy_from_slice(body.as_bytes())))
    }

    fn read(chunk: &RecordChunk) -> Value {
        serde_json::from_slice(&chunk.to_json(None, "AQ")).unwrap()
    }

    #[test]
    fn each_record_of_the_kinds_comes_once_in_order() {
        let names = [
            name(Kind::Tag, 3),
            name(Kind::Event, 900),
            name(Kind::Venue, 4),
            name(Kind::Event, 20),
            name(Kind::Organizer, 1),
        ];
        let walked = WalkedRecords::new(START, 7, names.to_vec());
        for (kinds, expected) in [
            (vec![], vec![20, 900, 4, 1, 3]),
            (vec![Kind::Tag, Kind::Event], vec![20, 900, 3]),
            (vec![Kind::Category], vec![]),
        ] {
            let mut cursor = WalkCursor::first(START, kinds);
            let mut seen = Vec::new();
            loop {
                let next = walked.after(&cursor).next();
                let Some(next) = next else { break };
                seen.push(next.id);
                cursor.last = next;
            }
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn what_nobody_may_read_is_not_named_and_what_cannot_be_read_now_is() {
        let mut chunk = RecordChunk::new(1000);
        for (id, found) in [
            (1, Some(found(200, "{\n\"id\":1}"))),
            (2, Some(found(403, r#"{"code":"event-not-accessible"}"#))),
            (3, None),
            (4, Some(found(502, "{}"))),
            (5, Some(found(403, r#"{"error":"blocked"}"#))),
            (6, Some(found(404, r#"{"code":"rest-event-not-found"}"#))),
        ] {
            chunk.take(name(Kind::Event, id), found);
        }
        let expected = json!({
            "records": [
                {"kind": "event", "id": 1, "record": {"id": 1}}, {"kind": "event", "id": 4}, {"kind": "event", "id": 5},
            ],
            "next": null,
            "changes": "AQ",
        });
        assert_eq!(read(&chunk), expected);
        assert_eq!(chunk.last, Some(name(Kind::Event, 6)));
        let further: Value = serde_json::from_slice(&chunk.to_json(Some("Ag"), "AQ")).unwrap();
        assert_eq!(further["next"], "Ag");
    }

    #[test]
    fn a_record_without_room_begins_the_next_chunk_and_is_only_named_if_no_chunk_has_room() {
        let large = || found(200, &json!("x".repeat(60)).to_string());
        let mut chunk = RecordChunk::new(100);
        chunk.take(name(Kind::Event, 1), Some(large()));
        assert_eq!(chunk.left, 38);
        for (id, found) in [(2, large()), (3, found(200, "1"))] {
            chunk.take(name(Kind::Event, id), Some(found));
        }
        assert!(chunk.is_full);
        assert_eq!(chunk.last, Some(name(Kind::Event, 1)), "nothing overtakes it");
        for too_large in [large(), (StatusCode::OK, None)] {
            let mut chunk = RecordChunk::new(50);
            chunk.take(name(Kind::Event, 2), Some(too_large));
            chunk.take(name(Kind::Event, 3), Some(found(200, "{}")));
            let expected = json!([{"kind": "event", "id": 2}, {"kind": "event", "id": 3, "record": {}}]);
            assert_eq!(read(&chunk)["records"], expected);
        }
    }
}
