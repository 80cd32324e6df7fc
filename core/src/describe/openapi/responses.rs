//! Responses: success by operation, problems by status.

use serde_json::{Map, Value, json};

use super::super::catalogue::{Language, Phrase};
use super::inputs::reference;
use super::{bodies, errors};
use calendar_edge_judge::contract::{Action, Kind, Operation, Route};

/// The problems that every operation can return, with their component names.
const PROBLEMS: &[(u16, &str)] = &[
    (400, "BadRequest"),
    (401, "Unauthorized"),
    (403, "Forbidden"),
    (404, "NotFound"),
    (414, "TargetTooLong"),
    (421, "Misdirected"),
    (429, "TooManyRequests"),
    (431, "HeadersTooLarge"),
    (500, "WordPressFailed"),
    (502, "OriginFailed"),
    (503, "Unavailable"),
    (504, "OriginTimeout"),
];

/// The problems of operations that read a body.
const BODY_PROBLEMS: &[(u16, &str)] = &[
    (408, "RequestTimeout"),
    (413, "BodyTooLarge"),
    (415, "BodyEncoding"),
];

/// The problems of a PATCH that the edge merges with its record.
const MERGE_PROBLEMS: &[(u16, &str)] = &[(409, "Conflict"), (412, "PreconditionFailed")];

/// The problems of operations that move a record to the trash.
const TRASH_PROBLEMS: &[(u16, &str)] = &[(410, "AlreadyTrashed")];

const HEADERS: &[&str] = &[
    "X-Request-Id",
    "X-TEC-Total",
    "X-TEC-TotalPages",
    "Location",
    "Retry-After",
    "Proxy-Status",
];

/// The responses of an operation, by status.
pub(super) fn of(operation: &Operation, language: Language) -> Value {
    let (status, response) = success(operation, language);
    let mut all = vec![(status, response)];
    let mut add = |problems: &[(u16, &str)]| {
        let references = problems
            .iter()
            .map(|(status, name)| (*status, json!({"$ref": format!("#/components/responses/{name}")})));
        all.extend(references);
    };
    add(PROBLEMS);
    if operation.is_write() {
        add(BODY_PROBLEMS);
    }
    if operation.id.action == Action::Update && operation.id.kind().is_some_and(|kind| !kind.is_term()) {
        add(MERGE_PROBLEMS);
    }
    if operation.id.action == Action::Delete && operation.id.kind().is_some_and(|kind| !kind.is_term()) {
        add(TRASH_PROBLEMS);
    }
    all.sort_by_key(|(status, _)| *status);
    let responses: Map<String, Value> = all
        .into_iter()
        .map(|(status, response)| (status.to_string(), response))
        .collect();
    Value::Object(responses)
}

/// The status and body of a success (backend.md section 9).
fn success(operation: &Operation, language: Language) -> (u16, Value) {
    let status = match operation.id.action {
        Action::Create => 201,
        Action::Describe | Action::List | Action::Read | Action::Update | Action::Delete => 200,
    };
    let mut headers = vec!["X-Request-Id"];
    match operation.id.action {
        Action::List => headers.extend(["X-TEC-Total", "X-TEC-TotalPages"]),
        Action::Create if operation.id.kind().is_some_and(Kind::is_term) => headers.push("Location"),
        Action::Describe | Action::Create | Action::Read | Action::Update | Action::Delete => {}
    }
    let response = json!({
        "description": language.phrase(Phrase::Success(operation.id)),
        "headers": header_references(&headers),
        "content": {"application/json": {"schema": success_schema(operation)}},
    });
    (status, response)
}

fn success_schema(operation: &Operation) -> Value {
    let Some(kind) = operation.id.kind() else {
        return match operation.id.route {
            Route::Index => reference("NamespaceIndex"),
            Route::Doc | Route::Collection(_) | Route::Item(_) | Route::BySlug(_) => {
                json!({"type": "object"})
            }
        };
    };
    let one = bodies::component(kind);
    match (operation.id.action, operation.id.route) {
        (Action::List, _) => reference(&format!("{one}List")),
        // An update of an event that does not exist succeeds with a list of errors (backend.md section 7).
        (Action::Update, Route::BySlug(Kind::Event)) => {
            json!({"anyOf": [reference(one), reference("UpdateErrors")]})
        }
        (Action::Describe | Action::Create | Action::Read | Action::Update | Action::Delete, _) => {
            reference(one)
        }
    }
}

fn header_references(names: &[&str]) -> Value {
    let references: Map<String, Value> = names
        .iter()
        .map(|name| {
            let target = format!("#/components/headers/{name}");
            ((*name).to_owned(), json!({"$ref": target}))
        })
        .collect();
    Value::Object(references)
}

// === components ===

/// The problem responses by name.
pub(super) fn components(language: Language) -> Map<String, Value> {
    let all = PROBLEMS
        .iter()
        .chain(BODY_PROBLEMS)
        .chain(MERGE_PROBLEMS)
        .chain(TRASH_PROBLEMS);
    all.map(|(status, name)| ((*name).to_owned(), problem(*status, language)))
        .collect()
}

fn problem(status: u16, language: Language) -> Value {
    let schema = if status == 400 { "BadRequest" } else { "Error" };
    let mut headers = vec!["X-Request-Id", "Proxy-Status"];
    if matches!(status, 429 | 503) {
        headers.push("Retry-After");
    }
    let mut content = json!({"schema": reference(schema)});
    let examples = errors::examples(status, language);
    if !examples.is_empty() {
        content["examples"] = Value::Object(examples);
    }
    json!({
        "description": language.phrase(Phrase::Problem(status)),
        "headers": header_references(&headers),
        "content": {"application/json": content},
    })
}

/// The headers by name.
pub(super) fn headers(language: Language) -> Map<String, Value> {
    HEADERS
        .iter()
        .map(|name| {
            let header = json!({
                "description": language.phrase(Phrase::Header(name)),
                "schema": header_schema(name),
            });
            ((*name).to_owned(), header)
        })
        .collect()
}

fn header_schema(name: &str) -> Value {
    match name {
        "X-TEC-Total" | "X-TEC-TotalPages" | "Retry-After" => json!({"type": "integer", "minimum": 0}),
        _ => json!({"type": "string"}),
    }
}
