//! Every recorded response has the shape in the contract, in the models and in the document alike.

use std::collections::{BTreeSet, HashMap};

use calendar_edge_core::settings::Mode;
use calendar_edge_judge::call::{ForwardableCall, Outcome};
use calendar_edge_judge::contract::response::{DETAILED_ERRORS, ERROR, ROUTE_DESCRIPTION, Shape, models};
use calendar_edge_judge::contract::table;
use serde::Deserialize;
use serde_json::Value;

use super::conformity::{Conformity as _, MismatchKind, described};
use crate::corpus::Record;
use crate::judging::{Edge, NAMESPACE, settings, well_formed};
use crate::openapi::document;
use crate::support::json_schema::{Compiled, schema_of};

/// A recorded response, and the shape that it has to have.
pub(super) struct ShapedAnswer {
    pub(super) id: String,
    pub(super) shape: Shape,
    pub(super) body: Value,
    /// True if the caller requested some members only.
    is_trimmed: bool,
    /// True if WordPress performed another operation than the edge would: the caller named another method or path.
    is_overridden: bool,
}

/// The complete responses of the recorded calls.
pub(super) fn answers() -> Vec<ShapedAnswer> {
    let mut unjudging = settings();
    unjudging.mode = Mode::Off;
    let edge = Edge::new(&unjudging);
    let calls = well_formed()
        .into_iter()
        .filter_map(|(record, request)| match edge.outcome(&request) {
            Outcome::Forward(call) => ShapedAnswer::of(&record, Some(&call)),
            Outcome::Refuse(_) => ShapedAnswer::of(&record, None),
        });
    calls.collect()
}

/// The shape of an error: that of its code, or of any error.
pub(super) fn error_shape(body: &Value) -> Shape {
    let of_code = DETAILED_ERRORS.into_iter().find(|model| {
        let code = model.members().find(|member| member.name == "code");
        code.is_some_and(|code| code.shape.takes(&body["code"]))
    });
    Shape::Model(of_code.unwrap_or(&ERROR))
}

impl ShapedAnswer {
    /// The response to a call that the edge forwards; none: it refuses the call, so that its operation is not known.
    fn of(record: &Record, call: Option<&ForwardableCall>) -> Option<Self> {
        let mut status = record.response.status;
        let mut body: Value = serde_json::from_str(unscripted(record.response.text()?)).ok()?;
        if call.is_some_and(|call| call.expects_envelope) {
            status = u16::try_from(body["status"].as_u64()?).ok()?;
            body = body["body"].take();
        }
        // WordPress describes a route that it does not have, which is no route of the contract, by an empty list.
        if call.is_none() && record.request.method == "OPTIONS" && body == Value::Array(Vec::new()) {
            return None;
        }
        let shape = match (status, call.and_then(ForwardableCall::operation)) {
            (200..300, Some(operation)) => operation.id.success(),
            (200..300, None) => Shape::Model(&ROUTE_DESCRIPTION),
            _ => error_shape(&body),
        };
        let sent = sent(record, call);
        Some(Self {
            id: record.id.clone(),
            shape,
            body,
            is_trimmed: sent.contains("_fields")
                || sent.contains("context=") && !sent.contains("context=edit"),
            is_overridden: call.is_none()
                || sent.contains("_method=")
                || sent.contains("x-http-method-override"),
        })
    }

    /// The faults of the response. Of a trimmed response members may be missing, and of all of them an empty list
    /// stays.
    fn faults(&self) -> Vec<String> {
        if self.is_overridden
            && models()
                .into_iter()
                .any(|model| Shape::Model(model).takes(&self.body))
        {
            return Vec::new();
        }
        let found = self.shape.mismatches(&self.body);
        let is_left_out = |kind: &MismatchKind| match kind {
            MismatchKind::Missing => true,
            MismatchKind::Wrong { found, .. } => *found == "a list",
        };
        let counted = found
            .iter()
            .filter(|one| !self.is_trimmed || !is_left_out(&one.kind));
        counted.map(|one| format!("{}: {one}", self.id)).collect()
    }

    /// True if its shape follows from its operation alone.
    const fn is_plain(&self) -> bool {
        !self.is_trimmed && !self.is_overridden
    }
}

/// All that a caller sent besides the path, in small letters: the forwarded query, the sent one, headers and body.
fn sent(record: &Record, call: Option<&ForwardableCall>) -> String {
    let request = &record.request;
    let forwarded = call
        .and_then(|call| call.request().query(NAMESPACE))
        .unwrap_or_default();
    let query = request.query.as_deref().unwrap_or_default();
    let body = request.body();
    format!(
        "{forwarded} {query} {:?} {}",
        request.headers,
        String::from_utf8_lossy(&body)
    )
    .to_lowercase()
}

/// The JSON in a script for `_jsonp`.
fn unscripted(body: &str) -> &str {
    let script = body
        .strip_prefix("/**/")
        .and_then(|script| script.strip_suffix(')'));
    script
        .and_then(|script| script.split_once('('))
        .map_or(body, |(_, json)| json)
}

#[test]
fn every_recorded_answer_has_its_shape() {
    let answers = answers();
    let faults: Vec<String> = answers.iter().flat_map(ShapedAnswer::faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    println!("{} answers", answers.len());
    let whole = answers.iter().filter(|answer| answer.is_plain()).count();
    assert!(whole > 1500, "{whole} of {}", answers.len());
}

/// The document is written from the models: a validator of JSON Schema and the models agree about every response.
#[test]
fn the_document_takes_every_recorded_answer() {
    let document = document();
    let mut validators: HashMap<String, Compiled> = HashMap::new();
    for answer in answers().into_iter().filter(ShapedAnswer::is_plain) {
        let validator = validators
            .entry(described(answer.shape))
            .or_insert_with(|| schema_of(&document, answer.shape));
        assert_eq!(validator.check(&answer.body), Ok(()), "{}", answer.id);
    }
    assert!(validators.len() > 12, "{:?}", validators.keys());
}

#[test]
fn every_model_stands_in_the_document() {
    let document = document();
    for model in models() {
        let schema = &document["components"]["schemas"][model.name];
        assert!(schema["properties"].is_object(), "{}", model.name);
    }
}

/// The beginning of a response of another installation: `fixtures/versions/answers.jsonl`.
#[derive(Debug, Deserialize)]
struct Beginning {
    version: String,
    id: String,
    method: String,
    target: String,
    answer: String,
}

impl Beginning {
    fn shape(&self) -> Shape {
        let path = self.target.split('?').next().expect("a path");
        let path = path.replace("%2F", "/").to_lowercase();
        let route = super::route(&path).expect("a route");
        let operation = table().find(route, &self.method.parse().expect("a method"));
        operation.map_or(Shape::Model(&ROUTE_DESCRIPTION), |operation| {
            operation.id.success()
        })
    }

    /// The response with every list and object ended after its last whole member.
    fn ended(&self) -> Value {
        let text = &self.answer;
        let places = text.match_indices([',', '}', ']']).map(|(place, _)| place).rev();
        let ends = std::iter::once(text.len()).chain(places);
        let mut whole = ends.filter_map(|end| serde_json::from_str(&closed(&text[..end])).ok());
        whole.next().expect("the beginning of a JSON document")
    }
}

/// A text with the brackets that it leaves open.
fn closed(text: &str) -> String {
    let (mut open, mut in_text, mut is_escaped) = (Vec::new(), false, false);
    for letter in text.chars() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if in_text => is_escaped = true,
            '"' => in_text = !in_text,
            '{' if !in_text => open.push('}'),
            '[' if !in_text => open.push(']'),
            '}' | ']' if !in_text => drop(open.pop()),
            _ => {}
        }
    }
    let ends: String = open.into_iter().rev().collect();
    format!("{text}{ends}")
}

/// Pro, Tickets, WPML and old versions: their recorded responses have the types of the models.
#[test]
fn the_answers_of_other_installations_have_the_same_types() {
    let text = std::fs::read_to_string("fixtures/versions/answers.jsonl").expect("the records are there");
    let mut versions = BTreeSet::new();
    for line in text.lines() {
        let beginning: Beginning = serde_json::from_str(line).expect("a record");
        let found = beginning.shape().mismatches(&beginning.ended());
        let wrong: Vec<String> = found
            .iter()
            .filter(|one| one.kind != MismatchKind::Missing)
            .map(ToString::to_string)
            .collect();
        assert!(
            wrong.is_empty(),
            "{} {}: {wrong:?}",
            beginning.version,
            beginning.id
        );
        versions.insert(beginning.version);
    }
    assert_eq!(versions.len(), 9, "{versions:?}");
}
