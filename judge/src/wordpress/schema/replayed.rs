//! Verdicts beside those of a real WordPress, as `fixtures/surface/schema-cases.php` recorded them.

use proptest::prelude::*;
use serde::Deserialize;

use super::keywords::SchemaView;
use super::objection::{SchemaObjection, SchemaResult};
use super::phrases::SiteWords;
use super::schema_judge::SchemaJudge;
use super::{ArgumentCheck, ArgumentsVerdict, SiteArgument, judge_arguments, value_of_json};
use crate::wordpress::payload::{Parameters, Source};
use crate::wordpress::value::Value;

const CASES: &str = include_str!("../../../../fixtures/surface/schema-cases.jsonl");

/// One value, one schema, and what WordPress said: null, or code and words.
#[derive(Deserialize)]
struct SchemaCase {
    schema: serde_json::Value,
    value: serde_json::Value,
    validated: Option<Vec<String>>,
    sanitized: Option<Vec<String>>,
}

/// How often this judge was sure.
#[derive(Default)]
struct Certainty {
    sure: usize,
    unsure: usize,
}

// === impl SchemaCase ===

impl SchemaCase {
    fn replay(&self, score: &mut Certainty) -> Result<(), String> {
        if self.validated.as_ref().is_some_and(|said| said.len() == 1) {
            // WordPress failed.
            return Ok(());
        }
        let words = SiteWords::default();
        let judge = SchemaJudge::new(&words);
        let (schema, value) = (value_of_json(&self.schema), value_of_json(&self.value));
        let schema = SchemaView::of(&schema).map_err(|_| "no schema")?;
        let outcome = judge.validate(&value, schema, "arg");
        let is_valid = outcome.is_ok();
        score.take(outcome, self.validated.as_deref())?;
        if is_valid {
            let outcome = judge.sanitize(&value, schema, "arg").map(|_| ());
            score.take(outcome, self.sanitized.as_deref())?;
        }
        Ok(())
    }
}

// === impl Certainty ===

impl Certainty {
    fn take(&mut self, outcome: SchemaResult, said: Option<&[String]>) -> Result<(), String> {
        self.sure += 1;
        let found = match outcome {
            Ok(()) => None,
            Err(SchemaObjection::Refused(error)) => Some(vec![error.code.to_owned(), error.message]),
            Err(SchemaObjection::Unsure) => {
                self.sure -= 1;
                self.unsure += 1;
                return Ok(());
            }
        };
        if found.as_deref() == said {
            return Ok(());
        }
        Err(format!("WordPress said {said:?}, and the judge {found:?}"))
    }
}

/// Replays the recorded cases, or those of the file that `SCHEMA_CASES` names.
#[test]
fn verdicts_are_those_of_wordpress() {
    let named = std::env::var("SCHEMA_CASES").map(|file| std::fs::read_to_string(file).unwrap());
    let cases = named.as_deref().unwrap_or(CASES);
    let (mut score, mut wrong) = (Certainty::default(), Vec::new());
    for line in cases.lines() {
        let case: SchemaCase = serde_json::from_str(line).unwrap();
        if let Err(fault) = case.replay(&mut score) {
            wrong.push(format!("{fault}\n  {line}"));
        }
    }
    println!(
        "sure: {}, unsure: {}, wrong: {}",
        score.sure,
        score.unsure,
        wrong.len()
    );
    assert!(
        wrong.is_empty(),
        "{}",
        wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(score.sure > 10 * score.unsure, "the judge is sure about most");
}

/// Any JSON, with the names of keywords among its names.
fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "[a-z0-9#@., ]{0,6}".prop_map(Into::into),
        prop::sample::select(vec![
            "string", "object", "array", "integer", "number", "ip", "email", "a++"
        ])
        .prop_map(Into::into),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        let name = prop::sample::select(vec![
            "type",
            "format",
            "enum",
            "items",
            "properties",
            "anyOf",
            "oneOf",
            "pattern",
            "patternProperties",
            "required",
            "minimum",
            "multipleOf",
            "maxItems",
            "uniqueItems",
            "additionalProperties",
            "title",
            "a",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::vec((name, inner), 0..5).prop_map(|members| {
                members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}

/// A schema that combines itself so often that all of it would never end.
fn endless(levels: usize) -> serde_json::Value {
    let mut schema = serde_json::json!({"type": "object"});
    for _ in 0..levels {
        schema = serde_json::json!({"oneOf": [schema, schema, schema, schema], "enum": [1]});
    }
    schema
}

proptest! {
    #[test]
    fn no_schema_and_no_value_panic(schema in any_json(), value in any_json()) {
        let words = SiteWords::default();
        let (schema, value) = (value_of_json(&schema), value_of_json(&value));
        if let Ok(schema) = SchemaView::of(&schema) {
            let judge = SchemaJudge::new(&words);
            let _ = judge.validate(&value, schema, "arg");
            let _ = judge.sanitize(&value, schema, "arg");
        }
    }
}

#[test]
fn work_and_depth_are_bounded() {
    let words = SiteWords::default();
    let schema = value_of_json(&endless(9));
    let judge = SchemaJudge::new(&words);
    let outcome = judge.validate(&Value::text("x"), SchemaView::of(&schema).unwrap(), "arg");
    assert_eq!(outcome, Err(SchemaObjection::Unsure));

    let deep = (0..100).fold(
        serde_json::json!({}),
        |inner, _| serde_json::json!({"type": "array", "items": inner}),
    );
    let value = (0..100).fold(serde_json::json!([]), |inner, _| serde_json::json!([inner]));
    let (schema, value) = (value_of_json(&deep), value_of_json(&value));
    let judge = SchemaJudge::new(&words);
    let outcome = judge.validate(&value, SchemaView::of(&schema).unwrap(), "arg");
    assert_eq!(outcome, Err(SchemaObjection::Unsure));
}

/// The arguments of a route, what was sent, and what `WP_REST_Request` said: null, or code, words and parameters.
#[derive(Deserialize)]
struct RequestCase {
    arguments: Vec<serde_json::Value>,
    json: serde_json::Value,
    form: serde_json::Value,
    query: serde_json::Value,
    path: serde_json::Value,
    said: Option<Vec<serde_json::Value>>,
}

// === impl RequestCase ===

impl RequestCase {
    fn arguments(&self) -> Vec<SiteArgument> {
        let argument = |told: &serde_json::Value| SiteArgument {
            name: told["name"].as_str().unwrap().into(),
            required: told["required"] == true,
            default: Some(value_of_json(&told["default"])),
            schema: value_of_json(&told["schema"]),
            validation: check(&told["validate"]),
            sanitizing: check(&told["sanitize"]),
        };
        self.arguments.iter().map(argument).collect()
    }

    fn sent(&self) -> Parameters {
        let mut sent = Parameters::default();
        let sources = [
            (Source::Json, &self.json),
            (Source::Form, &self.form),
            (Source::Query, &self.query),
            (Source::Path, &self.path),
        ];
        for (source, members) in sources {
            if let Value::Array(members) = value_of_json(members) {
                sent.add(source, members);
            }
        }
        sent
    }

    /// Panics where the verdict differs; false if it is left to the site.
    fn replay(&self, line: &str) -> bool {
        let verdict = judge_arguments(&self.arguments(), &self.sent(), &SiteWords::default());
        if self.said.as_ref().is_some_and(|said| said.len() == 1) {
            return true;
        }
        let found = match verdict {
            ArgumentsVerdict::Defer => return false,
            ArgumentsVerdict::Admit => None,
            ArgumentsVerdict::Reject(refusal) => {
                let names = || refusal.params.iter().map(|(name, _)| name.to_string());
                let reasons = refusal.params.iter().map(|(_, reason)| reason.clone());
                let params = if refusal.code == "rest_missing_callback_param" {
                    serde_json::Value::from(names().collect::<Vec<_>>())
                } else {
                    names()
                        .zip(reasons.map(serde_json::Value::from))
                        .collect::<serde_json::Map<_, _>>()
                        .into()
                };
                Some(vec![refusal.code.into(), refusal.message.clone().into(), params])
            }
        };
        assert_eq!(found, self.said, "{line}");
        true
    }
}

fn check(told: &serde_json::Value) -> ArgumentCheck {
    match told.as_str().unwrap() {
        "no" => ArgumentCheck::None,
        "schema" => ArgumentCheck::Schema,
        _ => ArgumentCheck::SchemaTwice,
    }
}

/// Replays the recorded requests, or those of the file that `REQUEST_CASES` names.
#[test]
fn refusals_of_requests_are_those_of_wordpress() {
    let named = std::env::var("REQUEST_CASES").map(|file| std::fs::read_to_string(file).unwrap());
    let cases = named
        .as_deref()
        .unwrap_or(include_str!("../../../../fixtures/surface/request-cases.jsonl"));
    let judged = cases
        .lines()
        .map(|line| serde_json::from_str::<RequestCase>(line).unwrap().replay(line));
    let (sure, unsure): (Vec<bool>, Vec<bool>) = judged.partition(|sure| *sure);
    println!("sure: {}, unsure: {}", sure.len(), unsure.len());
    assert!(sure.len() > 10 * unsure.len());
}
