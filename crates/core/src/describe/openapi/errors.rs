//! Error bodies (backend.md section 3).

use serde_json::{Map, Value, json};

use super::inputs::reference;
use crate::errors;
use calendar_edge_judge::contract::response::{DETAILED_ERRORS, ERROR, ResponseModel, Shape};
use calendar_edge_judge::problem::{OwnError, Problem, Words};

/// The schema of the edge's own codes.
const EDGE_CODES: &str = "EdgeErrorCode";

/// The schemas of what is no model alone, by name: `error` is the model of every error.
pub(super) fn components(error: &Value) -> [(&'static str, Value); 4] {
    [
        (EDGE_CODES, edge_codes()),
        (ERROR.name, coded(error.clone())),
        ("OtherError", other()),
        ("BadRequest", bad_request()),
    ]
}

/// Codes of the site are open-ended; those of the edge are all known. The alternatives exclude each other, and each has its
/// type: generated clients then take either.
fn coded(mut error: Value) -> Value {
    let code = &mut error["properties"]["code"];
    *code = json!({
        "description": code["description"],
        "oneOf": [
            reference(EDGE_CODES),
            {"type": "string", "minLength": 1, "not": {"pattern": "^edge_"}},
        ],
        "examples": [
            "rest_no_route",
            "rest_forbidden",
            "event-not-accessible",
            errors::RATE_LIMITED.code,
            errors::OVERLOADED.code,
            errors::ORIGIN_FAILED.code,
        ],
    });
    error
}

/// Every code of the edge with its status, its meaning and its remedy.
fn edge_codes() -> Value {
    let all = || errors::ALL.iter().copied();
    let told = |error: &OwnError| format!("{}: {} {}", error.status, error.meaning, error.client);
    json!({
        "type": "string",
        "enum": all().map(|error| error.code).collect::<Vec<_>>(),
        "x-enum-descriptions": all().map(told).collect::<Vec<_>>(),
    })
}

/// The edge's own responses with this status, by code.
pub(super) fn examples(status: u16) -> Map<String, Value> {
    let errors = errors::ALL.iter().copied();
    errors
        // Requests to remove responses are no operation of the calendar.
        .filter(|error| error.status.as_u16() == status && *error != errors::PURGE_REPLAYED)
        .map(|error| {
            let value = Problem::Own(error).to_json(&Words::english());
            let example = json!({"summary": error.meaning, "value": value});
            (error.code.to_owned(), example)
        })
        .collect()
}

fn other() -> Value {
    let codes: Vec<&str> = DETAILED_ERRORS
        .iter()
        .filter_map(|model| code_of(model))
        .collect();
    json!({
        "allOf": [reference(ERROR.name)],
        "properties": {"code": {"not": {"enum": codes}}},
    })
}

/// The only code of a model.
fn code_of(model: &ResponseModel) -> Option<&'static str> {
    model.members().find_map(|member| match member.shape {
        Shape::Exactly(code) if member.name == "code" => Some(code),
        _ => None,
    })
}

fn bad_request() -> Value {
    let detailed = DETAILED_ERRORS.iter().map(|model| reference(model.name));
    let all: Vec<Value> = detailed.chain([reference("OtherError")]).collect();
    json!({ "oneOf": all })
}
