//! The walk from a response of the site's version to the wanted one.

use bytes::Bytes;
use http::StatusCode;
use serde_json::{Value, json};

use super::member_cutter::{MemberCut, MemberCutter};
use crate::contract::{
    DatedDifference, FormerResponse, Operation, PluginVersion, VersionChange, dated_differences,
};
use crate::problem::{Fault, InvalidParameter, Problem, Words, to_php_json};

/// The translation of responses into those of a wanted version, in the words of one site.
#[derive(Debug, Clone)]
pub struct Translation {
    wanted: PluginVersion,
    words: Words,
    /// Made once, because most responses of events pass them: the newest row first.
    members: Vec<(MemberCutter, &'static DatedDifference)>,
}

/// The response of the wanted version in place of a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslatedResponse {
    /// The status of the response itself: that of the site in an envelope.
    pub status: StatusCode,
    /// The body, laid out and wrapped as the one that it replaces.
    pub body: Bytes,
    /// The row that applied.
    pub row: &'static DatedDifference,
}

// === impl Translation ===

impl Translation {
    /// Translates into a version, in the words of the site as far as they were learnt.
    pub fn new(wanted: PluginVersion, words: Words) -> Self {
        let younger = dated_differences().iter().rev().filter(|row| row.since > wanted);
        let members = younger.filter_map(|row| Some((cutter(row)?, row))).collect();
        Self {
            wanted,
            words,
            members,
        }
    }

    /// The rows between the wanted version and the newest that are about an operation, the newest first.
    pub fn rows(&self, operation: &Operation) -> impl Iterator<Item = &'static DatedDifference> {
        let younger = dated_differences().iter().rev();
        let younger = younger.filter(|row| row.since > self.wanted);
        younger.filter(|row| row.concerns(operation))
    }

    /// The cutters of the members that the wanted version does not have, with their rows.
    pub fn members(
        &self,
        operation: &Operation,
    ) -> impl Iterator<Item = (MemberCutter, &'static DatedDifference)> {
        let concerned = self.members.iter().filter(|(_, row)| row.concerns(operation));
        concerned.cloned()
    }

    /// The response of the wanted version in place of one that refuses; none: it is the same, or does not show it. The
    /// body of an enveloped response holds its status.
    pub fn refusal(
        &self,
        operation: &Operation,
        (status, is_enveloped): (StatusCode, bool),
        body: &[u8],
    ) -> Option<TranslatedResponse> {
        self.rows(operation).find_map(|row| {
            let VersionChange::Refusal {
                status: known,
                code,
                former,
            } = row.change
            else {
                return None;
            };
            let is_met = is_enveloped || known == status.as_u16();
            if !is_met || memchr::memmem::find(body, code.as_bytes()).is_none() {
                return None;
            }
            let (before, json, behind) = around_object(body)?;
            let mut document: Value = serde_json::from_slice(json).ok()?;
            let replaced = if is_enveloped {
                if document.get("status")?.as_u64()? != u64::from(known) {
                    return None;
                }
                document.get_mut("body")?
            } else {
                &mut document
            };
            if replaced.get("code").and_then(Value::as_str) != Some(code) {
                return None;
            }
            let (found, replacement) = self.former(former, StatusCode::from_u16(known).ok()?)?;
            *replaced = replacement;
            if let (true, Some(status)) = (is_enveloped, document.get_mut("status")) {
                *status = found.as_u16().into();
            }
            let written = to_php_json(&document, json.starts_with(b"{\n"));
            Some(TranslatedResponse {
                status: if is_enveloped { status } else { found },
                body: [before, &written, behind].concat().into(),
                row,
            })
        })
    }

    /// Status and document of the response of older versions.
    fn former(&self, former: FormerResponse, status: StatusCode) -> Option<(StatusCode, Value)> {
        match former {
            FormerResponse::InvalidNumber => {
                let (name, fault) = ("id", Fault::Invalid);
                let problem = Problem::Invalid(vec![InvalidParameter { name, fault }]);
                Some((problem.status(), problem.to_json(&self.words)))
            }
            FormerResponse::Error { code, message } => Some((
                status,
                json!({"code": code, "message": message, "data": {"status": status.as_u16()}}),
            )),
            FormerResponse::Success(document) => Some((StatusCode::OK, serde_json::from_str(document).ok()?)),
        }
    }
}

/// The cutter of the member that a row is about.
fn cutter(row: &DatedDifference) -> Option<MemberCutter> {
    match row.change {
        VersionChange::Member(name) => Some(MemberCutter::new(name, MemberCut::Whole)),
        VersionChange::Several(name) => Some(MemberCutter::new(name, MemberCut::ButFirst)),
        VersionChange::Arguments(_)
        | VersionChange::CrashesOnArray(_)
        | VersionChange::EventNumbers
        | VersionChange::Refusal { .. }
        | VersionChange::Unshown => None,
    }
}

/// An object with what stands around it, as in the call of a script.
fn around_object(body: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let start = body.iter().position(|byte| *byte == b'{')?;
    let end = body.iter().rposition(|byte| *byte == b'}')? + 1;
    Some((body.get(..start)?, body.get(start..end)?, body.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::table;
    use crate::problem::Message;

    const UNKNOWN: &str = r#"{"code":"rest-event-not-found","message":"Event with ID 999 does not exist.","data":{"status":404}}"#;
    const INVALID_ID: &str = r#"{"code":"rest_invalid_param","message":"Invalid parameter(s): id","data":{"status":400,"params":{"id":"Invalid parameter."},"details":[]}}"#;

    fn operation(name: &str) -> &'static Operation {
        table().named(name).expect(name)
    }

    fn into_version(version: &str) -> Translation {
        Translation::new(PluginVersion::chosen(version).expect(version), Words::english())
    }

    fn translated(
        name: &str,
        status: u16,
        body: &str,
        is_enveloped: bool,
    ) -> Option<(u16, String, &'static str)> {
        let status = StatusCode::from_u16(status).expect("a status");
        let found = into_version("6.10").refusal(operation(name), (status, is_enveloped), body.as_bytes())?;
        let body = String::from_utf8(found.body.to_vec()).expect("text");
        Some((found.status.as_u16(), body, found.row.name))
    }

    #[test]
    fn an_unknown_event_is_an_invalid_number() {
        for name in ["events.read", "events.update", "events.delete"] {
            let found = translated(name, 404, UNKNOWN, false);
            assert_eq!(
                found,
                Some((400, INVALID_ID.to_owned(), "event_unknown")),
                "{name}"
            );
        }
        let other = r#"{"code":"rest-invalid-event-id","message":"The specified ID is not a valid event.","data":{"status":400}}"#;
        let found = translated("events.read", 400, other, false);
        assert_eq!(found, Some((400, INVALID_ID.to_owned(), "not_an_event")));
    }

    #[test]
    fn what_is_no_refusal_of_a_row_stays() {
        for (name, status, body) in [
            ("venues.read", 404, UNKNOWN),
            ("events.read", 403, UNKNOWN),
            (
                "events.read",
                404,
                r#"{"code":"rest_no_route","message":"rest-event-not-found"}"#,
            ),
            ("events.read", 404, "rest-event-not-found"),
            ("events.read", 404, r#"["rest-event-not-found",{}]"#),
        ] {
            assert_eq!(
                translated(name, status, body, false),
                None,
                "{name} {status} {body}"
            );
        }
        let newest = into_version("6.17.2");
        let found = newest.refusal(
            operation("events.read"),
            (StatusCode::NOT_FOUND, false),
            UNKNOWN.as_bytes(),
        );
        assert_eq!(found, None);
    }

    #[test]
    fn an_update_by_an_unknown_slug_was_a_success() {
        let found = translated("events.by-slug.update", 404, UNKNOWN, false).expect("translated");
        let recorded =
            include_str!("../../../../fixtures/backend/error-event-update-missing-slug-is-200.json");
        let recorded: Value = serde_json::from_str(recorded).expect("JSON");
        assert_eq!(
            (found.0, serde_json::from_str::<Value>(&found.1).expect("JSON")),
            (200, recorded)
        );
    }

    #[test]
    fn envelopes_scripts_and_indents_stay() {
        let enveloped = format!(r#"{{"body":{UNKNOWN},"status":404,"headers":{{"Allow":"GET"}}}}"#);
        let found = translated("events.read", 200, &enveloped, true).expect("translated");
        assert_eq!(found.0, 200);
        assert_eq!(
            found.1,
            format!(r#"{{"body":{INVALID_ID},"status":400,"headers":{{"Allow":"GET"}}}}"#)
        );
        let found = translated("events.read", 404, &format!("/**/f({UNKNOWN})"), false).expect("translated");
        assert_eq!(found.1, format!("/**/f({INVALID_ID})"));
        let pretty = to_php_json(&serde_json::from_str(UNKNOWN).expect("JSON"), true);
        let pretty = String::from_utf8(pretty).expect("text");
        let found = translated("events.read", 404, &pretty, false).expect("translated");
        let expected = to_php_json(&serde_json::from_str(INVALID_ID).expect("JSON"), true);
        assert_eq!(found.1.as_bytes(), expected);
    }

    #[test]
    fn a_refusal_has_the_words_of_the_site() {
        let mut words = Words::english();
        assert!(words.name(Message::InvalidOne, "Ungültig."));
        let german = Translation::new(PluginVersion::SPECIFIED, words);
        let found = german.refusal(
            operation("events.read"),
            (StatusCode::NOT_FOUND, false),
            UNKNOWN.as_bytes(),
        );
        let body = found.expect("translated").body;
        assert!(body.ends_with(br#""params":{"id":"Ung\u00fcltig."},"details":[]}}"#));
    }

    #[test]
    fn members_go_that_the_wanted_version_does_not_have() {
        let names = |version: &str, name: &str| -> Vec<&str> {
            let translation = into_version(version);
            translation
                .members(operation(name))
                .map(|(_, row)| row.name)
                .collect()
        };
        assert_eq!(names("6.10", "events.list"), ["custom_fields"]);
        assert_eq!(
            names("5.12", "events.read"),
            ["custom_fields", "several_venues", "currency_code"]
        );
        assert_eq!(names("6.17.2", "events.list"), [""; 0]);
        assert_eq!(names("5.12", "venues.list"), [""; 0]);
    }
}
