//! Path, parameter names and body of a call, in the spelling that the strict profile requires.

use serde::de::IgnoredAny;

use super::strict_names::Names;
use crate::call::reading::RawCall;
use crate::contract::{Action, Operation, Route, strict};
use crate::policy::Policy;
use crate::problem::{Fault, InvalidParameter, OwnError, Problem};
use crate::routing::RouteMatch;
use crate::wordpress::payload::{ContentHeaders, JsonError, JsonRefusal, Plus, decode, json_shape};

/// Returns true if a path is the only accepted spelling of its route.
pub(in crate::call) fn path_holds(call: &RawCall<'_>, matched: &RouteMatch, policy: &Policy) -> bool {
    let path = call.target.spelling.as_ref().map_or("", |raw| raw.path.as_str());
    let mut bases = policy.bases(call.target.root);
    bases.any(|base| path_is_exact(path, &base, matched))
}

/// The objection to the spelling of a call; usually `None`.
pub(in crate::call) fn check_shape(
    call: &RawCall<'_>,
    operation: &Operation,
    policy: &Policy,
) -> Option<Problem> {
    if !path_holds(call, call.target.matched.as_ref()?, policy) {
        return Some(Problem::NoRoute);
    }
    let query = call.target.spelling.as_ref().map_or("", |raw| raw.query.as_str());
    let extra: Vec<&str> = policy.extra_parameters(operation).collect();
    let names = Names {
        operation,
        extra: &extra,
        others: policy.undeclared(operation),
    };
    if !names.hold_in_query(query) {
        return Some(misspelt("query"));
    }
    check_body(call, names)
}

/// Returns true for a path in exact case, without extra slashes, and with ids without leading zeros.
/// Collections may have one trailing slash. The path must begin with one of the public bases as configured.
fn path_is_exact(path: &str, base: &str, matched: &RouteMatch) -> bool {
    let Some(path) = path.strip_prefix(base) else {
        return false;
    };
    let Ok(parameter) = str::from_utf8(matched.parameter.as_deref().unwrap_or_default()) else {
        return false;
    };
    let is_strict = match matched.route {
        Route::Index | Route::Doc | Route::Collection(_) => true,
        Route::Item(_) => is_strict_id(parameter),
        Route::BySlug(_) => is_strict_slug(parameter),
    };
    let below = matched.route.parts(parameter).concat();
    let takes_slash =
        matches!(matched.route, Route::Index | Route::Collection(_)) && !matched.is_calendar_file;
    let path = path.strip_suffix('/').filter(|_| takes_slash).unwrap_or(path);
    match path.strip_suffix(".ics") {
        Some(name) if matched.is_calendar_file => is_strict && name == below,
        _ => is_strict && path == below && !matched.is_calendar_file,
    }
}

fn is_strict_id(id: &str) -> bool {
    !id.starts_with('0') && id.len() <= strict::ID_DIGITS
}

/// Returns true if a segment, decoded once, is text without control and path characters, and does not name a
/// script.
fn is_strict_slug(segment: &str) -> bool {
    let decoded = decode(segment.as_bytes(), Plus::Literal);
    let Ok(slug) = std::str::from_utf8(&decoded) else {
        return false;
    };
    slug.len() <= strict::SLUG_BYTES
        && !slug
            .chars()
            .any(|character| character.is_control() || "/\\?#".contains(character))
        && !matches!(slug, "" | "." | "..")
        && !slug.to_ascii_lowercase().as_bytes().ends_with(b".php")
}

/// The objection to the type of a body, independent of its content (T-02).
pub(in crate::call) fn check_media(call: &RawCall<'_>, operation: &Operation) -> Option<Problem> {
    let is_untyped = call.body.is_empty() && call.content.content_type().is_none();
    let holds = !takes_body(operation) || is_untyped || media_type(call.content).is_some();
    (!holds).then_some(Problem::Own(OwnError::UNSUPPORTED_MEDIA_TYPE))
}

fn takes_body(operation: &Operation) -> bool {
    operation.is_write() && operation.id.action != Action::Delete
}

fn check_body(call: &RawCall<'_>, names: Names<'_>) -> Option<Problem> {
    if !takes_body(names.operation) {
        return (!call.body.is_empty()).then_some(Problem::Own(OwnError::UNEXPECTED_BODY));
    }
    if call.body.len() > strict::BODY_BYTES {
        return Some(Problem::Own(OwnError::BODY_TOO_LARGE));
    }
    match media_type(call.content) {
        Some(MediaType::Json) => check_json(call.body, names),
        Some(MediaType::Form) => (!names.hold_in_form(call.body)).then(|| misspelt("body")),
        None if call.body.is_empty() && call.content.content_type().is_none() => None,
        None => Some(Problem::Own(OwnError::UNSUPPORTED_MEDIA_TYPE)),
    }
}

enum MediaType {
    Json,
    Form,
}

/// The media type, if it is one of the two accepted ones, sent in one header and without a content coding.
fn media_type(content: ContentHeaders<'_>) -> Option<MediaType> {
    let value = content.plain_type()?.to_str().ok()?.to_ascii_lowercase();
    let (essence, parameters) = value.split_once(';').unwrap_or((&value, "charset=utf-8"));
    match (essence.trim(), parameters.trim().replace('"', "").as_str()) {
        ("application/json", "charset=utf-8") => Some(MediaType::Json),
        ("application/x-www-form-urlencoded", "charset=utf-8") => Some(MediaType::Form),
        _ => None,
    }
}

fn check_json(body: &[u8], names: Names<'_>) -> Option<Problem> {
    let shape = match json_shape(body, strict::JSON_DEPTH) {
        Ok(shape) => shape,
        Err(refusal @ (JsonRefusal::Invalid(JsonError::Depth) | JsonRefusal::TooManyElements)) => {
            return Some(refusal.into());
        }
        // A body that is no JSON is WordPress's to word; what PHP calls empty is none.
        Err(JsonRefusal::Invalid(_)) => return None,
    };
    // A second parser must also accept the body as JSON (RFC 8259).
    let is_json = serde_json::from_slice::<IgnoredAny>(body).is_ok();
    let holds = shape
        .names
        .is_some_and(|sent| sent.iter().all(|name| names.hold_name(name)))
        && is_json
        && !shape.duplicates
        && shape.largest_object <= strict::OBJECT_MEMBERS
        && shape.longest_list <= strict::JSON_ELEMENTS;
    (!holds).then(|| misspelt("body"))
}

fn misspelt(place: &'static str) -> Problem {
    let reason = "It holds a parameter that is not declared, repeated or oddly spelt.";
    Problem::Invalid(vec![InvalidParameter {
        name: place,
        fault: Fault::Strict(reason),
    }])
}
