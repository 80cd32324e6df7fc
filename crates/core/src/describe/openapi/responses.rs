//! Responses: success by operation, problems by status.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::catalogue;
use super::inputs::reference;
use super::{errors, models};
use calendar_edge_judge::contract::response::ROUTE_DESCRIPTION;
use calendar_edge_judge::contract::{Action, Kind, Operation};

/// The problems that operations can return: status, name of the component, and meaning.
const PROBLEMS: &[(u16, &str, &str)] = &[
    (
        400,
        "BadRequest",
        "A parameter is missing or invalid, the body is no JSON, or the request can be read in two ways. A \
         record that does not exist is an invalid `id` or `slug`.",
    ),
    (
        401,
        "Unauthorized",
        "The caller is not known, or the credentials are wrong.",
    ),
    (403, "Forbidden", "The caller may not do this."),
    (404, "NotFound", "No such route, page or namespace."),
    (414, "TargetTooLong", "The target is too long."),
    (421, "Misdirected", "The gateway does not serve this host."),
    (429, "TooManyRequests", "Too many requests."),
    (431, "HeadersTooLarge", "The headers are too large."),
    (500, "WordPressFailed", "WordPress failed in a way it describes."),
    (502, "OriginFailed", "The origin gave no usable response."),
    (
        503,
        "Unavailable",
        "No capacity, or the origin is known to be down.",
    ),
    (504, "OriginTimeout", "The origin is too slow."),
    (508, "LoopDetected", "An error."),
    (408, "RequestTimeout", "The request did not arrive in time."),
    (413, "BodyTooLarge", "The body is too large."),
    (
        415,
        "BodyEncoding",
        "The body is encoded in a way that is not read.",
    ),
    (
        409,
        "Conflict",
        "The record changed while a PATCH was merged with it.",
    ),
    (
        412,
        "PreconditionFailed",
        "The precondition of the request is false.",
    ),
    (410, "AlreadyTrashed", "The record is already in the trash."),
];

/// The headers of responses: their meanings, and true where they are numbers.
const HEADERS: &[(&str, &str, bool)] = &[
    ("X-Request-Id", "Identifies the request in the logs.", false),
    ("X-TEC-Total", "Records that match, on all pages.", true),
    ("X-TEC-TotalPages", "Pages there are.", true),
    ("Location", "The new term in WordPress's own API.", false),
    ("Retry-After", "Seconds to wait before the next attempt.", true),
    (
        "Proxy-Status",
        "The reason why the gateway responded itself (RFC 9209).",
        false,
    ),
];

/// The responses of an operation, by status.
pub(super) fn of(operation: &Operation) -> Value {
    let is_of_post = operation.id.kind().is_some_and(|kind| !kind.is_term());
    let mut all = problems(|status| match status {
        408 | 413 | 415 => operation.is_write(),
        409 | 412 => is_of_post && operation.id.action == Action::Update,
        410 => is_of_post && operation.id.action == Action::Delete,
        _ => true,
    });
    all.extend([success(operation)]);
    json!(all)
}

/// The problems with such a status.
fn problems(is_possible: impl Fn(u16) -> bool) -> BTreeMap<u16, Value> {
    let possible = PROBLEMS.iter().filter(|(status, ..)| is_possible(*status));
    let reference = |name| json!({"$ref": format!("#/components/responses/{name}")});
    possible
        .map(|(status, name, _)| (*status, reference(name)))
        .collect()
}

/// The status and body of a success.
fn success(operation: &Operation) -> (u16, Value) {
    let mut headers = vec!["X-Request-Id"];
    match operation.id.action {
        Action::List => headers.extend(["X-TEC-Total", "X-TEC-TotalPages"]),
        Action::Create if operation.id.kind().is_some_and(Kind::is_term) => headers.push("Location"),
        Action::Describe | Action::Create | Action::Read | Action::Update | Action::Delete => {}
    }
    let response = json!({
        "description": catalogue::success(operation.id),
        "headers": header_references(&headers),
        "content": {"application/json": {"schema": models::schema(operation.id.success())}},
    });
    (operation.id.success_status().as_u16(), response)
}

/// The responses to OPTIONS, which every route supports.
pub(super) fn of_route() -> Value {
    let description = json!({
        "description": "Methods and arguments, as the site publishes them",
        "headers": header_references(&["X-Request-Id"]),
        "content": {"application/json": {"schema": reference(ROUTE_DESCRIPTION.name)}},
    });
    let mut responses = problems(|status| !matches!(status, 408..=410 | 412 | 413 | 415));
    responses.insert(200, description);
    json!(responses)
}

fn header_references(names: &[&str]) -> Value {
    let reference = |name: &&str| json!({"$ref": format!("#/components/headers/{name}")});
    names.iter().map(|name| (*name, reference(name))).collect()
}

// === components ===

/// The problem responses by name.
pub(super) fn components() -> Map<String, Value> {
    let problems = PROBLEMS.iter();
    problems
        .map(|(status, name, meaning)| ((*name).to_owned(), problem(*status, meaning)))
        .collect()
}

fn problem(status: u16, meaning: &str) -> Value {
    let schema = if status == 400 { "BadRequest" } else { "Error" };
    let mut headers = vec!["X-Request-Id", "Proxy-Status"];
    if matches!(status, 429 | 503) {
        headers.push("Retry-After");
    }
    let mut content = json!({"schema": reference(schema)});
    let examples = errors::examples(status);
    if !examples.is_empty() {
        content["examples"] = Value::Object(examples);
    }
    json!({
        "description": meaning,
        "headers": header_references(&headers),
        "content": {"application/json": content},
    })
}

/// The headers by name.
pub(super) fn headers() -> Map<String, Value> {
    let header = |(name, meaning, is_number): &(&str, &str, bool)| {
        let schema = if *is_number {
            json!({"type": "integer", "minimum": 0})
        } else {
            json!({"type": "string"})
        };
        (
            (*name).to_owned(),
            json!({"description": meaning, "schema": schema}),
        )
    };
    HEADERS.iter().map(header).collect()
}
