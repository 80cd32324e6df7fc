//! Recorded responses of real backends against the response schemas of the document, and the models behind them.

mod answers;
mod conformity;
mod examples;
mod mutations;

use calendar_edge_judge::contract::{Operation, Route, table};
use http::Method;
use serde_json::Value;

use crate::openapi::{document, operations};
use crate::support::json_schema::validator;

const INDEX: &str = include_str!("../../../fixtures/backend/INDEX.json");

/// One recorded exchange that the document describes.
struct Exchange {
    file: String,
    operation: &'static Operation,
    method: String,
    status: u64,
    body: Value,
}

impl Exchange {
    /// Every recorded response on a route of the table, in the form that the schemas describe.
    fn all() -> Vec<Self> {
        let index: Value = serde_json::from_str(INDEX).expect("the fixture is JSON");
        let entries = index.as_object().expect("a map");
        entries
            .iter()
            .filter_map(|(file, entry)| Self::of(file, entry))
            .collect()
    }

    fn of(file: &str, entry: &Value) -> Option<Self> {
        let request = &entry["request"];
        let query = request["query"].as_str().unwrap_or("");
        // These change the form of the response; the document lists neither with its operations.
        if query.contains("_envelope") || query.contains("_fields") {
            return None;
        }
        let method = request["method"].as_str().expect("a method");
        let parsed: Method = method.parse().expect("a method");
        let route = route(request["path"].as_str().expect("a path"))?;
        let operation = table().find(route, &parsed)?;
        let path = format!("{}/fixtures/backend/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("the fixture is there");
        Some(Self {
            file: file.to_owned(),
            operation,
            method: method.to_owned(),
            status: entry["status"].as_u64().expect("a status"),
            body: serde_json::from_str(&text).expect("the fixture is JSON"),
        })
    }
}

/// The route of a recorded path, read segment by segment.
fn route(path: &str) -> Option<Route> {
    let below = path.strip_prefix("/wp-json/tribe/events/v1")?;
    let segments: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
    Route::all().find(|route| {
        let template = route.template();
        let parts: Vec<&str> = template.split('/').filter(|part| !part.is_empty()).collect();
        parts.len() == segments.len()
            && parts
                .iter()
                .zip(&segments)
                .all(|(part, segment)| part.starts_with('{') || part == segment)
    })
}

#[test]
fn recorded_answers_keep_the_documented_schemas() {
    let document = document();
    let objects = operations(&document);
    let mut checked = 0;
    for exchange in Exchange::all() {
        let (_, _, object) = objects
            .iter()
            .find(|(operation, method, _)| {
                operation.id == exchange.operation.id && *method == exchange.method
            })
            .expect("documented");
        let mut response = &object["responses"][exchange.status.to_string()];
        if let Some(target) = response["$ref"].as_str() {
            response = document
                .pointer(target.trim_start_matches('#'))
                .expect("a response");
        }
        let schema = &response["content"]["application/json"]["schema"];
        assert!(
            schema.is_object(),
            "{}: {} is not documented",
            exchange.file,
            exchange.status
        );
        let checks = validator(&document, schema).check(&exchange.body);
        assert_eq!(checks, Ok(()), "{}", exchange.file);
        checked += 1;
    }
    assert!(checked >= 50, "{checked}");
}
