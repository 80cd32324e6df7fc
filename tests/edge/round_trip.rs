//! The document against the judge: what the document allows passes, and one fault is enough for a refusal.

use calendar_edge::call::{Judge, Outcome, RawCall};
use calendar_edge::config::Settings;
use calendar_edge::contract::{Argument, Operation, Place, Route, table};
use calendar_edge::target::{Located, Roots};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use proptest::prelude::*;
use proptest::strategy::Union;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::openapi::{document, operations, validator};

// === requests ===

/// A request in the parts a client chooses.
#[derive(Debug, Clone)]
struct Request {
    method: Method,
    path: String,
    /// Values as they are before percent-encoding.
    query: Vec<(String, String)>,
    body: Option<Body>,
}

#[derive(Debug, Clone)]
enum Body {
    Json(Value),
    Form(Vec<(String, String)>),
}

impl Request {
    fn target_query(&self) -> Option<String> {
        (!self.query.is_empty()).then(|| pairs(&self.query))
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        // What a caller may do is the origin's to say; without credentials writes end at the edge.
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
        let content_type = match &self.body {
            Some(Body::Json(_)) => "application/json",
            Some(Body::Form(_)) => "application/x-www-form-urlencoded",
            None => return headers,
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers
    }

    fn body(&self) -> Vec<u8> {
        match &self.body {
            Some(Body::Json(value)) => value.to_string().into_bytes(),
            Some(Body::Form(fields)) => pairs(fields).into_bytes(),
            None => Vec::new(),
        }
    }
}

fn pairs(pairs: &[(String, String)]) -> String {
    let encoded: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{}={}", escape(name), escape(value)))
        .collect();
    encoded.join("&")
}

fn escape(text: &str) -> String {
    text.bytes().fold(String::new(), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push('%');
            for digit in [byte >> 4, byte & 15] {
                escaped.push(char::from_digit(digit.into(), 16).expect("four bits").to_ascii_uppercase());
            }
        }
        escaped
    })
}

/// What the edge says: nothing where it forwards, the code of the refusal otherwise.
fn refusal(request: &Request) -> Option<String> {
    let settings = Settings::for_origin("https://origin.example/wp-json".parse().expect("a URL"));
    let path = format!("/wp-json/calendar/events/v1{}", request.path);
    let spot = match Roots::new(&settings).locate(&path, request.target_query().as_deref()) {
        Located::Api(spot) => spot,
        other => return Some(format!("{other:?}")),
    };
    let headers = request.headers();
    let body = request.body();
    let judgement = Judge::new(&settings).judge(&RawCall {
        method: &request.method,
        spot: &spot,
        headers: &headers,
        body: &body,
    });
    match judgement.outcome {
        Outcome::Forward(_) => None,
        Outcome::Refuse(refusal) => Some(String::from_utf8_lossy(refusal.body()).into_owned()),
    }
}

// === values from schemas ===

/// Values a schema of the document allows.
fn values(document: &Value, schema: &Value) -> BoxedStrategy<Value> {
    let own = validator(document, schema);
    raw_values(document, schema)
        .prop_filter("a combination of keywords", move |value| own.is_valid(value))
        .boxed()
}

/// Values that one keyword of a schema suggests; the others are left to the filter.
fn raw_values(document: &Value, schema: &Value) -> BoxedStrategy<Value> {
    if let Some(target) = schema["$ref"].as_str() {
        let target = document
            .pointer(target.trim_start_matches('#'))
            .expect("the reference resolves");
        return values(document, target);
    }
    if let Some(value) = schema.get("const") {
        return Just(value.clone()).boxed();
    }
    if let Some(choices) = schema["enum"].as_array() {
        return proptest::sample::select(choices.clone()).boxed();
    }
    if let (Some(forms), None) = (schema["anyOf"].as_array(), schema.get("pattern")) {
        let typed = |form: &Value| {
            let mut form = form.clone();
            if form.get("$ref").is_none() && form.get("type").is_none() && form.get("const").is_none() {
                form["type"] = schema.get("type").cloned().unwrap_or(Value::Null);
            }
            if form["type"].is_null() {
                form.as_object_mut().expect("a schema").remove("type");
            }
            form
        };
        return Union::new(forms.iter().map(|form| values(document, &typed(form)))).boxed();
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["null", "boolean", "integer", "string"],
    };
    Union::new(kinds.into_iter().map(|kind| of_kind(document, schema, kind))).boxed()
}

fn of_kind(document: &Value, schema: &Value, kind: &str) -> BoxedStrategy<Value> {
    match kind {
        "null" => Just(Value::Null).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "integer" => {
            let lowest = schema["minimum"].as_i64().unwrap_or(-1000);
            prop_oneof![lowest..=lowest + 100, lowest..=i64::MAX]
                .prop_map(Value::from)
                .boxed()
        }
        "number" => (-180.0_f64..180.0).prop_map(Value::from).boxed(),
        "string" => text(schema),
        "array" => {
            let lowest = usize::try_from(schema["minItems"].as_u64().unwrap_or(0)).expect("small");
            proptest::collection::vec(values(document, &schema["items"]), lowest..4)
                .prop_map(Value::from)
                .boxed()
        }
        "object" => object(document, schema),
        other => panic!("a type no argument has: {other}"),
    }
}

fn text(schema: &Value) -> BoxedStrategy<Value> {
    let pattern = match schema["pattern"].as_str() {
        // Not anchored: the character it asks for, somewhere.
        Some(r"\S") => r"\PC{0,5}[A-Za-zäß東]\PC{0,5}",
        Some(pattern) => pattern
            .strip_prefix('^')
            .and_then(|pattern| pattern.strip_suffix('$'))
            .expect("patterns are anchored"),
        None => r"\PC{0,12}",
    };
    let written = proptest::string::string_regex(pattern).expect("a pattern");
    written.prop_map(Value::from).boxed()
}

/// All required members and any of the others.
fn object(document: &Value, schema: &Value) -> BoxedStrategy<Value> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let nothing = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&nothing);
    let members: Vec<BoxedStrategy<Option<(String, Value)>>> = properties
        .iter()
        .map(|(name, property)| {
            let member = values(document, property);
            let name = name.clone();
            let rate = if required.contains(&json!(name)) { 1.0 } else { 0.2 };
            proptest::option::weighted(rate, member.prop_map(move |value| (name.clone(), value))).boxed()
        })
        .collect();
    members
        .prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
        .boxed()
}

/// A value as a query or a form writes it: lists with commas.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(","),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

// === requests from the document ===

/// Requests that the document allows for one operation.
fn requests(document: &Value, method: &str, operation: &Operation, object: &Value) -> BoxedStrategy<Request> {
    let method: Method = method.parse().expect("a method");
    let template = match operation.id.route {
        Route::Index => "/".to_owned(),
        other => other.template(),
    };
    let parameters: Vec<BoxedStrategy<Option<(String, String, Value)>>> = object["parameters"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|parameter| parameter.get("$ref").is_none())
        .map(|parameter| parameter_values(document, parameter))
        .collect();
    let body = bodies(document, object);
    (parameters, body)
        .prop_map(move |(parameters, body)| {
            let mut path = template.clone();
            let mut query = Vec::new();
            for (place, name, value) in parameters.into_iter().flatten() {
                if place == "path" {
                    path = path.replace(&format!("{{{name}}}"), &escape(&as_text(&value)));
                } else {
                    query.push((name, as_text(&value)));
                }
            }
            Request {
                method: method.clone(),
                path,
                query,
                body,
            }
        })
        .boxed()
}

fn parameter_values(document: &Value, parameter: &Value) -> BoxedStrategy<Option<(String, String, Value)>> {
    let text = |member: &str| parameter[member].as_str().expect("text").to_owned();
    let (place, name) = (text("in"), text("name"));
    let rate = if place == "path" { 1.0 } else { 0.3 };
    let value = values(document, &parameter["schema"]);
    proptest::option::weighted(rate, value.prop_map(move |value| (place.clone(), name.clone(), value))).boxed()
}

fn bodies(document: &Value, object: &Value) -> BoxedStrategy<Option<Body>> {
    let content = &object["requestBody"]["content"];
    if content.is_null() {
        return Just(None).boxed();
    }
    let json = values(document, &content["application/json"]["schema"]).prop_map(|value| Some(Body::Json(value)));
    let form = values(document, &content["application/x-www-form-urlencoded"]["schema"]);
    let form = form.prop_map(|value| {
        let fields = value.as_object().expect("an object").iter();
        Some(Body::Form(
            fields
                .map(|(name, value)| (name.clone(), as_text(value)))
                .collect(),
        ))
    });
    prop_oneof![json, form].boxed()
}

#[test]
fn what_the_document_allows_is_forwarded() {
    let document = document();
    let config = Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    };
    for (operation, method, object) in operations(&document) {
        let mut runner = TestRunner::new(config.clone());
        let outcome = runner.run(&requests(&document, method, operation, object), |request| {
            prop_assert_eq!(refusal(&request), None);
            Ok(())
        });
        if let Err(error) = outcome {
            panic!("{method} {}: {error}", operation.name);
        }
    }
}

// === single faults ===

/// Values that break the schema of an argument, as text.
fn faults(schema: &Value) -> &'static [&'static str] {
    let component = schema["$ref"]
        .as_str()
        .or_else(|| schema["items"]["$ref"].as_str())
        .or_else(|| schema["anyOf"][0]["$ref"].as_str())
        .map_or("", |target| target.rsplit('/').next().unwrap_or_default());
    match component {
        "PositiveInteger" => &["0", "-1", "1.5", "x", "9223372036854775808000"],
        "TermReference" => &["2.5", "0"],
        "Flag" => &["yes", "2", ""],
        "Text" | "Name" | "TermName" => &["", "0"],
        "DateTime" => &["", "abc", "2027-13-45", "1970-01-01"],
        "TimeZone" => &["Europe/Berlin "],
        "Url" => &["javascript:alert(1)", "//host", "http://"],
        "ImageReference" => &["0", "abc def"],
        "PostStatus" | "StatusFilter" => &["any"],
        _ => &[],
    }
}

/// JSON values no typed or ruled argument takes.
fn json_faults(schema: &Value) -> Vec<Value> {
    let texts = faults(schema).iter().map(|text| json!(text));
    texts.chain([json!([[7]]), json!({"a": {"b": 1}})]).collect()
}

/// A request that needs nothing else to pass.
fn minimal(operation: &Operation, method: &Method) -> Request {
    let path = match operation.id.route {
        Route::Index => "/".to_owned(),
        other => other.template().replace("{id}", "29").replace("{slug}", "gala"),
    };
    let required: Map<String, Value> = operation
        .arguments
        .iter()
        .filter(|argument| argument.is_required() && operation.place(argument) == Place::Body)
        .map(|argument| (argument.name.to_owned(), json!("2027-04-02")))
        .collect();
    Request {
        method: method.clone(),
        path,
        query: Vec::new(),
        body: operation.is_write().then_some(Body::Json(Value::Object(required))),
    }
}

fn each_operation(mut check: impl FnMut(&'static Operation, Request)) {
    for operation in table().operations() {
        for method in operation.id.action.methods() {
            check(operation, minimal(operation, method));
        }
    }
}

#[test]
fn minimal_requests_are_forwarded() {
    each_operation(|_, request| assert_eq!(refusal(&request), None, "{request:?}"));
}

#[test]
fn one_missing_field_is_refused() {
    each_operation(|_, request| {
        let Some(Body::Json(Value::Object(members))) = &request.body else {
            return;
        };
        for name in members.keys() {
            let mut fewer = members.clone();
            fewer.remove(name);
            let mutated = Request {
                body: Some(Body::Json(Value::Object(fewer))),
                ..request.clone()
            };
            let answer = refusal(&mutated).expect("a field is missing");
            assert!(answer.contains("rest_missing_callback_param"), "{answer}");
        }
    });
}

#[test]
fn one_wrong_query_value_is_refused() {
    let document = document();
    let mut checked = 0;
    for (operation, method, object) in operations(&document) {
        let request = minimal(operation, &method.parse().expect("a method"));
        let parameters = object["parameters"].as_array().expect("a list");
        for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query") {
            let name = parameter["name"].as_str().expect("a name");
            // What the specification does not declare is not judged.
            if operation.argument(name.as_bytes()).is_none() {
                continue;
            }
            for fault in faults(&parameter["schema"]) {
                let mut mutated = request.clone();
                mutated.query.push((name.to_owned(), (*fault).to_owned()));
                let answer = refusal(&mutated).unwrap_or_default();
                assert!(
                    answer.contains("rest_invalid_param"),
                    "{} {name}={fault}",
                    operation.name
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked}");
}

#[test]
fn one_wrong_body_value_is_refused() {
    let document = document();
    let mut checked = 0;
    for (operation, method, object) in operations(&document) {
        let request = minimal(operation, &method.parse().expect("a method"));
        let schema = &object["requestBody"]["content"]["application/json"]["schema"];
        let Some(target) = schema["$ref"].as_str() else {
            continue;
        };
        let properties = &document
            .pointer(target.trim_start_matches('#'))
            .expect("the reference resolves")["properties"];
        for argument in operation.arguments.iter().filter(|argument| is_body(operation, argument)) {
            let property = &properties[argument.name];
            let own = validator(&document, property);
            for fault in json_faults(property) {
                if own.is_valid(&fault) {
                    continue;
                }
                let answer = refusal(&with_member(&request, argument.name, &fault)).unwrap_or_default();
                assert!(
                    answer.contains("rest_invalid_param"),
                    "{} {}: {fault}",
                    operation.name,
                    argument.name
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

fn is_body(operation: &Operation, argument: &Argument) -> bool {
    operation.place(argument) == Place::Body
}

fn with_member(request: &Request, name: &str, value: &Value) -> Request {
    let mut mutated = request.clone();
    if let Some(Body::Json(members)) = &mut mutated.body {
        members[name] = value.clone();
    }
    mutated
}
