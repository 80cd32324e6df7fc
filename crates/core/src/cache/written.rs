//! The records and collections that a write may have changed.

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::removal::Removal;
use super::tag::Tag;
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::contract::{Kind, Route};

/// The statuses of refusals that come before any change.
const REFUSALS: [StatusCode; 6] = [
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::GONE,
    StatusCode::TOO_MANY_REQUESTS,
];

/// The responses that a write may have made outdated; `None` if the call is no write.
///
/// The site has the state before the write and the edge does not: which terms an event had, whether a venue was hidden.
/// So a write removes all lists of its kind, and the responses that show relations to it.
pub fn written_by(call: &ForwardableCall) -> Option<Removal> {
    let operation = call.operation().filter(|operation| operation.is_write())?;
    let route = &call.request().route;
    let kind = operation.id.kind()?;
    let mut tags = match (route.route, kind) {
        // The number is not known, and nothing else leads to all records of these kinds.
        (Route::BySlug(_), Kind::Venue | Kind::Organizer) => return Some(Removal::All),
        (_, Kind::Event) => {
            let mut tags: Vec<Tag> = Kind::ALL.into_iter().map(Tag::Collection).collect();
            tags.extend(nested(call.request().body.as_deref().unwrap_or_default()));
            tags
        }
        (_, kind) => vec![Tag::Collection(kind)],
    };
    tags.push(Tag::Relations);
    tags.extend(route.number().map(|number| Tag::Record(kind, number)));
    Some(Removal::Tags(tags))
}

/// Returns true if the site refused a write before it changed anything. The body is `None` if it was not read.
///
/// Else every client could remove responses by writes that the site refuses. An error of a handler does not show which
/// changes were stored before: an event may be refused after its new venue was created.
pub(super) fn refused_whole(status: StatusCode, body: Option<&[u8]>) -> bool {
    if REFUSALS.contains(&status) {
        return true;
    }
    status == StatusCode::BAD_REQUEST
        && body
            .and_then(error_code)
            .is_some_and(|code| code.starts_with("rest_"))
}

fn error_code(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Refused {
        code: String,
    }
    let refused: Refused = serde_json::from_slice(body).ok()?;
    Some(refused.code)
}

/// The records that an event names as objects, which may change them.
fn nested(body: &[u8]) -> Vec<Tag> {
    let Ok(Value::Object(members)) = serde_json::from_slice(body) else {
        return Vec::new();
    };
    let linked = [("venue", Kind::Venue), ("organizer", Kind::Organizer)];
    let linked = linked
        .into_iter()
        .filter_map(|(name, kind)| Some((kind, members.get(name)?)));
    linked
        .flat_map(|(kind, value)| numbers(value).map(move |number| Tag::Record(kind, number)))
        .collect()
}

fn numbers(value: &Value) -> impl Iterator<Item = u64> {
    let records = match value {
        Value::Array(list) => list.as_slice(),
        other => std::slice::from_ref(other),
    };
    records.iter().filter_map(|record| {
        let id = record.get("id")?;
        id.as_u64().or_else(|| id.as_str()?.parse().ok())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_refusals_before_any_change_are_known_to_change_nothing() {
        let invalid = br#"{"code":"rest_invalid_param","message":"x"}"#.as_slice();
        let late = br#"{"code":"could-not-create-venue","message":"x"}"#.as_slice();
        for (status, body, expected) in [
            (401, None, true),
            (403, None, true),
            (410, None, true),
            (400, Some(invalid), true),
            (400, Some(late), false),
            (400, None, false),
            (400, Some(b"x".as_slice()), false),
            (200, Some(invalid), false),
            (201, None, false),
            (500, Some(invalid), false),
            (302, None, false),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(refused_whole(status, body), expected, "{status} {body:?}");
        }
    }

    #[test]
    fn objects_name_the_records_that_an_event_may_change() {
        let names =
            |body: &str| -> Vec<String> { nested(body.as_bytes()).iter().map(Tag::to_string).collect() };
        assert_eq!(names(r#"{"venue":{"id":7,"venue":"x"}}"#), ["venue:7"]);
        assert_eq!(
            names(r#"{"organizer":[{"id":"9"},{"organizer":"New"},15],"venue":7}"#),
            ["organizer:9"]
        );
        assert_eq!(names("[]"), [""; 0]);
    }
}
