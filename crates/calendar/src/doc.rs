//! The plugin's own documentation route: a small `OpenAPI` 3.0 document about the same table.

use serde_json::{Map, Value as Json, json};

use calendar_edge_judge::contract::{Action, Argument, Documented, Operation, Route, Schema, table};

/// `GET /doc`
pub(crate) fn document(api: &str) -> Json {
    let paths = Route::all().filter(|route| *route != Route::Index);
    let paths = paths.map(|route| (route.template(), path(route)));
    json!({
        "openapi": "3.0.0",
        "info": {
            "version": "1.0.0",
            "title": "Calendar REST API",
            "description": "Events, venues, organizers, categories and tags.",
        },
        "components": {"schemas": []},
        "servers": [{"url": format!("{api}/")}],
        "paths": paths.collect::<Map<_, _>>(),
    })
}

fn path(route: Route) -> Json {
    let operations = table().on_route(route);
    let operations = operations.map(|operation| (verb(operation).to_owned(), describe(operation)));
    Json::Object(operations.collect())
}

/// The plugin documents one verb an operation.
fn verb(operation: &Operation) -> &'static str {
    match operation.id.action {
        Action::Describe | Action::List | Action::Read => "get",
        Action::Create | Action::Update => "post",
        Action::Delete => "delete",
    }
}

fn describe(operation: &Operation) -> Json {
    let in_path = operation.id.route.path_parameter();
    let (fields, parameters): (Vec<&Argument>, Vec<&Argument>) = operation
        .arguments
        .iter()
        .partition(|argument| writes(operation) && in_path != Some(argument.name));
    let mut members = json!({});
    if !parameters.is_empty() {
        let parameters = parameters.iter();
        members["parameters"] = parameters.map(|argument| parameter(argument, in_path)).collect();
    }
    if !fields.is_empty() {
        let properties: Map<String, Json> = fields
            .iter()
            .map(|argument| (argument.name.to_owned(), property(argument)))
            .collect();
        let content = json!({"application/json": {"schema": {"type": "object", "properties": properties}}});
        members["requestBody"] = json!({"content": content});
    }
    members["responses"] = responses(operation);
    members
}

fn writes(operation: &Operation) -> bool {
    matches!(operation.id.action, Action::Create | Action::Update)
}

fn parameter(argument: &Argument, in_path: Option<&str>) -> Json {
    let is_path = in_path == Some(argument.name);
    json!({
        "name": argument.name,
        "in": if is_path { "path" } else { "query" },
        "description": argument.meaning,
        "required": is_path,
        "schema": type_of(argument),
    })
}

fn property(argument: &Argument) -> Json {
    let mut property = type_of(argument);
    property["description"] = argument.meaning.into();
    property
}

fn type_of(argument: &Argument) -> Json {
    match (argument.documented, argument.schema) {
        (Documented::IntegerList, _) => json!({"type": "array", "items": {"type": "integer"}}),
        (Documented::Integer, _) | (_, Some(Schema::Integer)) => json!({"type": "integer"}),
        (Documented::Boolean, _) | (_, Some(Schema::Boolean)) => json!({"type": "boolean"}),
        (Documented::Double, _) => json!({"type": "number"}),
        (Documented::Any, None) => json!({}),
        _ => json!({"type": "string"}),
    }
}

fn responses(operation: &Operation) -> Json {
    let statuses: &[(&str, &str)] = match operation.id.action {
        Action::Describe => &[("200", "Documentation of the interface")],
        Action::List => &[
            ("200", "The records that match"),
            ("400", "A parameter is invalid"),
            ("404", "The page does not exist"),
        ],
        Action::Create => &[
            ("201", "The new record"),
            ("400", "A parameter is missing or invalid"),
            ("403", "The user may not write"),
        ],
        Action::Read => &[
            ("200", "The record"),
            ("400", "The record does not exist"),
            ("403", "The record does not show to the user"),
        ],
        Action::Update => &[
            ("200", "The changed record"),
            ("400", "A parameter is invalid"),
            ("403", "The user may not write"),
        ],
        Action::Delete => &[
            ("200", "The deleted record"),
            ("400", "The record does not exist"),
            ("403", "The user may not write"),
            ("410", "The record is in the trash"),
        ],
    };
    let responses = statuses
        .iter()
        .map(|(status, text)| ((*status).to_owned(), json!({"description": text})));
    Json::Object(responses.collect())
}
