//! The verdict of an anonymous reader's response about a record: readable, or denied by the site.

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use calendar_edge_judge::contract::{Kind, RECORD_NUMBER};

/// The result of an anonymous read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordVerdict {
    /// The record, with the time of its change as the site prints it.
    Readable(Option<Box<str>>),
    /// The site does not show it.
    Hidden,
    /// The site did not respond.
    Failed,
    /// The edge refuses the request, as it refuses it to every reader.
    Refused,
}

/// The members of a record that are read.
#[derive(Deserialize)]
struct RecordTime {
    #[serde(default)]
    modified_utc: Option<Box<str>>,
}

/// The ends of codes that begin with the kind of the record.
const OF_RECORD: [&str; 4] = [
    "-not-accessible",
    "-not-found",
    "-password-protected",
    "-no-longer-available",
];

// === impl RecordVerdict ===

impl RecordVerdict {
    /// The verdict of a response about a record. Only the site can deny the record to this reader, and only in words
    /// about the record: anything else, such as the refusal of a firewall, is a failure.
    pub fn of_response(kind: Kind, status: StatusCode, body: &[u8]) -> Self {
        if status == StatusCode::OK && !body.is_empty() {
            let read = serde_json::from_slice::<RecordTime>(body);
            return Self::Readable(read.ok().and_then(|record| record.modified_utc));
        }
        match serde_json::from_slice(body) {
            Ok(refusal) if status.is_client_error() && is_about_record(&refusal, kind) => Self::Hidden,
            _ => Self::Failed,
        }
    }
}

/// True if the site refuses this record to this reader, in the words of any version of the plugin.
fn is_about_record(refusal: &Value, kind: Kind) -> bool {
    let kind = kind.singular();
    match refusal.get("code").and_then(Value::as_str).unwrap_or_default() {
        // Older versions, and other plugins: the number is that of no such record.
        "rest_invalid_param" => {
            let named = refusal.pointer("/data/params").and_then(Value::as_object);
            named.is_some_and(|params| params.keys().eq([RECORD_NUMBER]))
        }
        "rest_term_invalid" => true,
        code if code == format!("rest-{kind}-not-found") => true,
        code if code == format!("rest-invalid-{kind}-id") => true,
        code => OF_RECORD.contains(&code.strip_prefix(kind).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: Kind, status: u16, body: &str) -> RecordVerdict {
        RecordVerdict::of_response(kind, StatusCode::from_u16(status).unwrap(), body.as_bytes())
    }

    #[test]
    fn words_about_the_record_hide_it() {
        let no_number =
            r#"{"code":"rest_invalid_param","data":{"status":400,"params":{"id":"Invalid parameter."}}}"#;
        for (kind, status, body) in [
            (Kind::Event, 403, r#"{"code":"event-not-accessible"}"#),
            (Kind::Event, 403, r#"{"code":"event-password-protected"}"#),
            (Kind::Event, 403, r#"{"code":"event-no-longer-available"}"#),
            (Kind::Event, 404, r#"{"code":"rest-event-not-found"}"#),
            (Kind::Event, 400, r#"{"code":"rest-invalid-event-id"}"#),
            (Kind::Venue, 403, r#"{"code":"venue-not-accessible","data":null}"#),
            (Kind::Tag, 404, r#"{"code":"rest_term_invalid","data":"x"}"#),
            (Kind::Category, 400, no_number),
        ] {
            assert_eq!(found(kind, status, body), RecordVerdict::Hidden, "{body}");
        }
    }

    #[test]
    fn other_words_tell_nothing_of_it() {
        let more = r#"{"code":"rest_invalid_param","data":{"params":{"id":"x","lang":"x"}}}"#;
        for (status, body) in [
            (400, more),
            (403, r#"{"code":"venue-not-accessible"}"#),
            (403, r#"{"error":"blocked"}"#),
            (403, "<h1>Forbidden</h1>"),
            (404, r#"{"code":"rest_no_route"}"#),
            (401, r#"{"code":"rest_not_logged_in"}"#),
            (500, r#"{"code":"event-not-accessible"}"#),
            (200, ""),
        ] {
            assert_eq!(found(Kind::Event, status, body), RecordVerdict::Failed, "{body}");
        }
        assert_eq!(found(Kind::Event, 200, "{}"), RecordVerdict::Readable(None));
    }
}
