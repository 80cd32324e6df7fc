//! Error bodies (backend.md section 3).

use serde_json::{Map, Value, json};

use super::super::catalogue::Language;
use super::inputs::reference;
use crate::errors::EdgeError;
use calendar_edge_judge::problem::Words;

/// Codes whose `data` has additional members, with the name of their schema.
const DETAILED: &[(&str, &str)] = &[
    ("rest_missing_callback_param", "MissingParameters"),
    ("rest_invalid_param", "InvalidParameters"),
    ("rest_invalid_json", "InvalidJson"),
];

/// The schema of the edge's own codes.
const EDGE_CODES: &str = "EdgeErrorCode";

/// The error schemas by name.
pub(super) fn components(language: Language) -> Map<String, Value> {
    let mut schemas = Map::new();
    schemas.insert(EDGE_CODES.to_owned(), edge_codes(language));
    schemas.insert("Error".to_owned(), error());
    for (code, name) in DETAILED {
        schemas.insert((*name).to_owned(), detailed(code));
    }
    schemas.insert("OtherError".to_owned(), other());
    schemas.insert("BadRequest".to_owned(), bad_request());
    schemas
}

fn error() -> Value {
    json!({
        "type": "object",
        "required": ["code", "message"],
        "properties": {
            "code": {
                "type": "string",
                "minLength": 1,
                // Codes of the site are open-ended; those of the edge are all known.
                "anyOf": [reference(EDGE_CODES), {"not": {"pattern": "^edge_"}}],
                "examples": [
                    "rest_no_route",
                    "rest_forbidden",
                    "event-not-accessible",
                    EdgeError::RateLimited.code(),
                    EdgeError::Overloaded.code(),
                    EdgeError::OriginFailed.code(),
                ],
            },
            "message": {"type": "string"},
            // Here WordPress prints null or a text if an error has no status.
            "data": {
                "type": ["object", "array", "string", "null"],
                "items": {},
                "properties": {"status": {"type": "integer", "minimum": 400, "maximum": 599}},
            },
        },
    })
}

/// Every code of the edge with its status, its meaning and its remedy.
fn edge_codes(language: Language) -> Value {
    let code = |error: EdgeError| {
        json!({
            "const": error.code(),
            "title": error.status().to_string(),
            "description": format!("{} {}", language.error(error), language.remedy(error)),
        })
    };
    let codes: Vec<Value> = EdgeError::ALL.iter().copied().map(code).collect();
    json!({"type": "string", "oneOf": codes})
}

/// The edge's own responses with this status, by code.
pub(super) fn examples(status: u16, language: Language) -> Map<String, Value> {
    let errors = EdgeError::ALL.iter().copied();
    errors
        // Requests to remove answers are no operation of the calendar.
        .filter(|error| error.status().as_u16() == status && *error != EdgeError::PurgeReplayed)
        .map(|error| {
            let value = error.problem().to_json(&Words::english());
            let example = json!({"summary": language.error(error), "value": value});
            (error.code().to_owned(), example)
        })
        .collect()
}

fn detailed(code: &str) -> Value {
    let (required, properties) = match code {
        "rest_missing_callback_param" => (
            json!(["status", "params"]),
            json!({"params": {"type": "array", "items": {"type": "string"}, "minItems": 1}}),
        ),
        "rest_invalid_json" => (
            json!(["status", "json_error_code", "json_error_message"]),
            json!({
                "json_error_code": {"type": "integer", "minimum": 1},
                "json_error_message": {"type": "string"},
            }),
        ),
        _ => (json!(["status", "params", "details"]), invalid_parameters()),
    };
    let mut properties = properties;
    properties["status"] = json!({"const": 400});
    json!({
        "type": "object",
        "required": ["code", "message", "data"],
        "properties": {
            "code": {"const": code},
            "message": {"type": "string"},
            "data": {"type": "object", "required": required, "properties": properties},
        },
    })
}

fn invalid_parameters() -> Value {
    let detail = json!({
        "type": "object",
        "required": ["code", "message"],
        "properties": {
            "code": {"type": "string"},
            "message": {"type": "string"},
            "data": {"type": ["object", "array", "string", "null"], "items": {}},
        },
    });
    json!({
        "params": {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
        // An unkeyed PHP array, printed as a list when it is empty.
        "details": {
            "type": ["object", "array"],
            "items": {},
            "maxItems": 0,
            "additionalProperties": detail,
        },
    })
}

fn other() -> Value {
    let codes: Vec<&str> = DETAILED.iter().map(|(code, _)| *code).collect();
    json!({
        "allOf": [reference("Error")],
        "properties": {"code": {"not": {"enum": codes}}},
    })
}

fn bad_request() -> Value {
    let detailed = DETAILED.iter().map(|(_, name)| reference(name));
    let all: Vec<Value> = detailed.chain([reference("OtherError")]).collect();
    json!({ "oneOf": all })
}
