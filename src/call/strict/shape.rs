//! Path, parameter names and body of a call, as the strict profile wants them spelt.

use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, Method, StatusCode};

use super::names::{form_names_hold, query_names_hold};
use crate::call::reading::RawCall;
use crate::contract::{Operation, Route};
use crate::payload::{JsonShape, json_shape};
use crate::problem::{Fault, InvalidParameter, Problem};
use crate::target::RouteMatch;

/// Bytes of a request body.
const BODY_BYTES: usize = 1024 * 1024;

/// Nesting of a JSON body.
const JSON_DEPTH: usize = 32;

/// Members of one JSON object.
const OBJECT_MEMBERS: usize = 200;

/// Elements of one JSON list.
const LIST_ELEMENTS: usize = 1000;

/// What is wrong with the spelling of a call; nothing, most of the time.
pub(in crate::call) fn check_shape(
    call: &RawCall<'_>,
    matched: &RouteMatch,
    operation: &Operation,
) -> Option<Problem> {
    let (path, query) = call
        .spot
        .spelling
        .as_ref()
        .map_or(("", ""), |raw| (raw.path.as_str(), raw.query.as_str()));
    if !path_is_exact(path, matched) {
        return Some(Problem::NoRoute);
    }
    if !query_names_hold(query, operation) {
        return Some(misspelt("query"));
    }
    check_body(call, operation)
}

/// Exact case, no odd slashes, ids without leading zeros; one trailing slash on collections.
fn path_is_exact(path: &str, matched: &RouteMatch) -> bool {
    let parameter = matched.parameter.as_deref().unwrap_or_default();
    let below = match matched.route {
        Route::Index => String::new(),
        Route::Doc => "/doc".to_owned(),
        Route::Collection(kind) => format!("/{}", kind.collection()),
        Route::Item(kind) => match std::str::from_utf8(parameter) {
            Ok(id) if is_strict_id(id) => format!("/{}/{id}", kind.collection()),
            _ => return false,
        },
        Route::BySlug(kind) => match std::str::from_utf8(parameter) {
            Ok(slug) if is_strict_slug(slug) => format!("/{}/by-slug/{slug}", kind.collection()),
            _ => return false,
        },
    };
    let slashed = matches!(matched.route, Route::Index | Route::Collection(_));
    let path = if slashed {
        path.strip_suffix('/').unwrap_or(path)
    } else {
        path
    };
    let above = path.strip_suffix(below.as_str()).unwrap_or_default();
    above.starts_with('/') && !above.contains("//") && !above.contains('%') && !above.contains("index.php")
}

fn is_strict_id(id: &str) -> bool {
    !id.starts_with('0') && id.len() <= 16
}

/// Decodes once to text without controls and path characters; not a script.
fn is_strict_slug(segment: &str) -> bool {
    let decoded = crate::payload::decode(segment.as_bytes(), crate::payload::Plus::Literal);
    let Ok(slug) = String::from_utf8(decoded) else {
        return false;
    };
    slug.len() <= 200
        && !slug
            .chars()
            .any(|character| character.is_control() || "/\\?#".contains(character))
        && !matches!(slug.as_str(), "" | "." | "..")
        && !slug.as_bytes().ends_with(b".php")
}

fn check_body(call: &RawCall<'_>, operation: &Operation) -> Option<Problem> {
    let takes_body = operation.is_write() && *call.method != Method::DELETE;
    if !takes_body {
        return (!call.body.is_empty()).then_some(UNEXPECTED_BODY);
    }
    if call.body.len() > BODY_BYTES {
        return Some(TOO_LARGE);
    }
    match media_type(call.headers) {
        Some(MediaType::Json) => check_json(call.body, operation),
        Some(MediaType::Form) => (!form_names_hold(call.body, operation)).then(|| misspelt("body")),
        None if call.body.is_empty() && !call.headers.contains_key(CONTENT_TYPE) => None,
        None => Some(UNSUPPORTED),
    }
}

enum MediaType {
    Json,
    Form,
}

/// One of the two types, in one header, without coding.
fn media_type(headers: &HeaderMap) -> Option<MediaType> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (types.next(), types.next()) else {
        return None;
    };
    if headers.contains_key(CONTENT_ENCODING) {
        return None;
    }
    let value = value.to_str().ok()?.to_ascii_lowercase();
    let (essence, parameters) = value.split_once(';').unwrap_or((&value, "charset=utf-8"));
    match (essence.trim(), parameters.trim().replace('"', "").as_str()) {
        ("application/json", "charset=utf-8") => Some(MediaType::Json),
        ("application/x-www-form-urlencoded", "charset=utf-8") => Some(MediaType::Form),
        _ => None,
    }
}

fn check_json(body: &[u8], operation: &Operation) -> Option<Problem> {
    // A body that is no JSON is WordPress's to word.
    let shape = json_shape(body, JSON_DEPTH).ok()?;
    let JsonShape {
        names: Some(names),
        duplicates: false,
        largest_object,
        longest_list,
    } = shape
    else {
        return Some(misspelt("body"));
    };
    let in_path = operation.id.route.path_parameter();
    let known = |name: &Vec<u8>| {
        operation
            .argument(name)
            .is_some_and(|argument| Some(argument.name) != in_path)
    };
    let holds = names.iter().all(known) && largest_object <= OBJECT_MEMBERS && longest_list <= LIST_ELEMENTS;
    (!holds).then(|| misspelt("body"))
}

fn misspelt(place: &'static str) -> Problem {
    let reason = "It holds a parameter that is not declared, repeated or oddly spelt.";
    Problem::Invalid(vec![InvalidParameter {
        name: place,
        fault: Fault::Strict(reason),
    }])
}

const UNEXPECTED_BODY: Problem = Problem::edge(
    StatusCode::BAD_REQUEST,
    "edge_unexpected_body",
    "This operation takes no body.",
);

const TOO_LARGE: Problem = Problem::edge(
    StatusCode::PAYLOAD_TOO_LARGE,
    "edge_body_too_large",
    "The request body is too large.",
);

const UNSUPPORTED: Problem = Problem::edge(
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    "edge_unsupported_media_type",
    "The body must be application/json or application/x-www-form-urlencoded.",
);
