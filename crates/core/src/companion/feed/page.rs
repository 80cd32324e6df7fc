//! The response of the feed: the changes since a position, and the position after them.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::feed_token::FeedPosition;
use super::known_records::RecordName;

/// The changes since a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPage {
    /// The last change of each record, in the order of their numbers.
    pub changes: Vec<ChangedRecord>,
    /// The position after them.
    pub next: FeedPosition,
    /// False if there may be changes that are not named: then the reader reads all records once, after this response.
    pub is_complete: bool,
}

/// The last change of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedRecord {
    /// The number of the change at the site.
    pub number: u64,
    /// The record.
    pub name: RecordName,
    /// The state of the record after it.
    pub what: WhatChanged,
}

/// The state of a record after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WhatChanged {
    /// Anonymous readers see it as it is now, with the time of its change as the site prints it; terms have none.
    Changed(Option<Box<str>>),
    /// They no longer see it.
    Gone,
}

// === impl FeedPage ===

impl FeedPage {
    /// Returns true if there is something to send.
    pub fn has_content(&self) -> bool {
        !self.changes.is_empty() || !self.is_complete
    }

    /// The page as JSON on one line, with the token of its end. `record` finds the JSON of a record that is to be included.
    pub fn to_json(&self, next: &str, mut record: impl FnMut(&ChangedRecord) -> Option<Bytes>) -> Bytes {
        let mut json = b"{\"changes\":[".to_vec();
        for (place, change) in self.changes.iter().enumerate() {
            if place > 0 {
                json.push(b',');
            }
            push_with_record(&mut json, change.to_json(), record(change).as_ref());
        }
        // A token has no letter that JSON escapes.
        let end = format!("],\"next\":\"{next}\",\"complete\":{}}}", self.is_complete);
        json.extend_from_slice(end.as_bytes());
        json.into()
    }
}

/// Writes a JSON object, with the JSON of a record as its last member.
pub(super) fn push_with_record(json: &mut Vec<u8>, object: Vec<u8>, record: Option<&Bytes>) {
    json.extend(object);
    if let Some(record) = record {
        json.pop();
        json.extend_from_slice(b",\"record\":");
        json.extend(record.trim_ascii().iter().copied().map(on_one_line));
        json.push(b'}');
    }
}

/// A byte of JSON without line ends, which a stream of events would end at. In a string they are escaped.
const fn on_one_line(byte: u8) -> u8 {
    match byte {
        b'\r' | b'\n' => b' ',
        byte => byte,
    }
}

// === impl ChangedRecord ===

impl ChangedRecord {
    /// Returns true if anonymous readers see the record.
    pub const fn is_readable(&self) -> bool {
        match self.what {
            WhatChanged::Changed(_) => true,
            WhatChanged::Gone => false,
        }
    }

    fn to_json(&self) -> Vec<u8> {
        let (what, modified_utc) = match &self.what {
            WhatChanged::Changed(modified) => ("changed", modified.as_deref()),
            WhatChanged::Gone => ("gone", None),
        };
        let (number, kind, id) = (self.number, self.name.kind.singular(), self.name.id);
        let mut written = json!({"n": number, "kind": kind, "id": id, "what": what});
        if let (Some(time), Some(members)) = (modified_utc, written.as_object_mut()) {
            members.insert("modified_utc".to_owned(), time.into());
        }
        written.to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use calendar_edge_judge::contract::Kind;
    use serde_json::{Value, json};

    use super::*;
    use crate::unix_time::UnixTime;

    #[test]
    fn records_of_several_lines_come_on_one() {
        let page = FeedPage {
            changes: vec![ChangedRecord {
                number: 7,
                name: RecordName {
                    kind: Kind::Event,
                    id: 50,
                },
                what: WhatChanged::Changed(None),
            }],
            next: FeedPosition {
                number: 7,
                at: UnixTime::from_secs(9),
            },
            is_complete: true,
        };
        let record = "\n{\r\n  \"title\": \"two\\nlines\",\r  \"id\": 50\n}\n";
        let text = page.to_json("AQ", |_| Some(record.into()));
        assert!(!text.iter().any(|byte| matches!(byte, b'\r' | b'\n')));
        let read: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(
            read["changes"][0]["record"],
            json!({"id": 50, "title": "two\nlines"})
        );
    }
}
