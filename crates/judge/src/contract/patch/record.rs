//! A record as the site sends it.

use jiff::civil::DateTime;
use serde_json::{Map, Value};

/// A record of the site, before an update.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadRecord {
    members: Map<String, Value>,
}

/// Members that differ from one response to the next: the plugin spells e-mail addresses in another way each time.
const RANDOM: &str = "json_ld";

const MODIFIED: &str = "modified_utc";

/// Date and time as the site writes them.
const SITE_DATE: &str = "%Y-%m-%d %H:%M:%S";

// === impl ReadRecord ===

impl ReadRecord {
    /// Reads the body of a response; `None` if it is not the record of an event, a venue or an organizer.
    pub fn read(body: &[u8]) -> Option<Self> {
        let mut members: Map<String, Value> = serde_json::from_slice(body).ok()?;
        drop_random(&mut members);
        Some(Self { members }).filter(|record| record.text(MODIFIED).is_some())
    }

    /// Its number, by which it is one record at every address.
    pub fn id(&self) -> Option<u64> {
        self.member("id")?.as_u64()
    }

    /// When it was last changed, by its `modified_utc`; `None` for a draft that was never published.
    pub fn modified(&self) -> Option<DateTime> {
        DateTime::strptime(SITE_DATE, self.text(MODIFIED)?).ok()
    }

    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        self.members.get(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.member(name)?.as_str()
    }
}

fn drop_random(members: &mut Map<String, Value>) {
    members.remove(RANDOM);
    members.values_mut().for_each(drop_random_within);
}

fn drop_random_within(value: &mut Value) {
    match value {
        Value::Object(members) => drop_random(members),
        Value::Array(elements) => elements.iter_mut().for_each(drop_random_within),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_compared_without_what_is_random() {
        let record = |mail: &str, title: &str| {
            let body = format!(
                r#"{{"modified_utc":"2026-11-20 08:39:45","title":"{title}","organizer":[{{"id":1,"json_ld":{{"email":"{mail}"}}}}]}}"#
            );
            ReadRecord::read(body.as_bytes()).unwrap()
        };
        assert_eq!(record("a&#64;b", "x"), record("a@b", "x"));
        assert_ne!(record("a@b", "x"), record("a@b", "y"));
    }

    #[test]
    fn other_answers_are_no_record() {
        for body in ["", "[]", "{}", r#"{"modified_utc":1}"#] {
            assert_eq!(ReadRecord::read(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn a_draft_that_was_never_published_has_no_date() {
        let draft = ReadRecord::read(br#"{"modified_utc":"0000-00-00 00:00:00"}"#);
        assert_eq!(draft.map(|draft| draft.modified()), Some(None));
    }
}
