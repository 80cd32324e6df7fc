//! A record as the site sends it.

use jiff::civil::DateTime;
use serde_json::{Map, Value};

/// A record of the site, before an update.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadRecord {
    members: Map<String, Value>,
}

/// A moment to the second, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordDate(DateTime);

/// Members that differ from one response to the next: the plugin spells e-mail addresses in another way each time.
const RANDOM: &str = "json_ld";

const MODIFIED: &str = "modified_utc";

/// Date and time as the site writes them.
const SITE_DATE: &str = "%Y-%m-%d %H:%M:%S";

/// Date and time as `If-Unmodified-Since` may have them: recipients must accept all three (RFC 9110 section 5.6.7).
const HTTP_DATES: [&str; 3] = [
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %e %H:%M:%S %Y",
];

// === impl ReadRecord ===

impl ReadRecord {
    /// Reads the body of a response; `None` if it is not the record of an event, a venue or an organizer.
    pub fn read(body: &[u8]) -> Option<Self> {
        let Value::Object(members) = serde_json::from_slice(body).ok()? else {
            return None;
        };
        let mut record = Value::Object(members);
        drop_random(&mut record);
        match record {
            Value::Object(members) => Some(Self { members }).filter(|record| record.text(MODIFIED).is_some()),
            _ => None,
        }
    }

    /// Its number, by which it is one record at every address.
    pub fn id(&self) -> Option<u64> {
        self.member("id")?.as_u64()
    }

    /// When it was last changed, by its `modified_utc`; `None` for a draft that was never published.
    pub fn modified(&self) -> Option<RecordDate> {
        let text = self.text(MODIFIED)?;
        DateTime::strptime(SITE_DATE, text).ok().map(RecordDate)
    }

    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        self.members.get(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.member(name)?.as_str()
    }
}

fn drop_random(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove(RANDOM);
            members.values_mut().for_each(drop_random);
        }
        Value::Array(elements) => elements.iter_mut().for_each(drop_random),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

// === impl RecordDate ===

impl RecordDate {
    /// Reads the value of `If-Unmodified-Since`; `None` if it is no date, which is then as good as absent.
    pub fn of_header(value: &str) -> Option<Self> {
        let mut forms = HTTP_DATES.iter();
        forms.find_map(|form| DateTime::strptime(form, value).ok().map(Self))
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

    #[test]
    fn dates_of_headers_are_compared_with_those_of_records() {
        let record = ReadRecord::read(br#"{"modified_utc":"2026-11-20 08:39:45"}"#).unwrap();
        let of = |value| RecordDate::of_header(value);
        assert_eq!(of("Fri, 20 Nov 2026 08:39:45 GMT"), record.modified());
        assert!(of("Fri, 20 Nov 2026 08:39:44 GMT") < record.modified());
        assert_eq!(of("Friday, 20-Nov-26 08:39:45 GMT"), record.modified());
        assert_eq!(of("Fri Nov 20 08:39:45 2026"), record.modified());
        assert_eq!(
            of("Sun Nov  6 08:49:37 1994"),
            of("Sun, 06 Nov 1994 08:49:37 GMT")
        );
        assert_eq!(
            of("Sunday, 06-Nov-94 08:49:37 GMT"),
            of("Sun, 06 Nov 1994 08:49:37 GMT")
        );
        assert!(of("Sun Nov  6 08:49:37 1994").is_some());
        assert_eq!(of("2026-11-20"), None);
    }
}
