//! The document against the judge: what the document allows passes, and one fault never just passes.

use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::call::{Judge, Outcome, RawCall};
use calendar_edge_judge::contract::{Argument, Operation, Place, Route, TablesInForce, table};
use calendar_edge_judge::routing::{Roots, Target};
use calendar_edge_judge::wordpress::payload::ContentHeaders;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::openapi::{document, operations};
use crate::schema_values::{MAY, MUST, as_text, present, values};
use crate::support::corpus_table;
use crate::support::json_schema::validator;

// === requests ===

/// A request in the parts that a client chooses.
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
        // The origin decides about permissions; without credentials writes end at the edge.
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
                escaped.push(
                    char::from_digit(digit.into(), 16)
                        .expect("four bits")
                        .to_ascii_uppercase(),
                );
            }
        }
        escaped
    })
}

/// The edge's decision about a request.
#[derive(Debug, Clone, PartialEq)]
enum Said {
    /// Forwarded; only the origin can judge these arguments.
    Forwarded { deferred: Vec<&'static str> },
    /// Refused with this body.
    Refused(String),
}

fn said(request: &Request) -> Said {
    let settings = Settings::for_origin("https://origin.example/wp-json".parse().expect("a URL"));
    let path = format!("/wp-json/calendar/events/v1{}", request.path);
    let target = match Roots::new(&settings.policy()).locate(
        &request.method,
        &path,
        request.target_query().as_deref(),
    ) {
        Target::Calendar(target) => target,
        other => return Said::Refused(format!("{other:?}")),
    };
    let headers = request.headers();
    let body = request.body();
    let credentials = Credentials::read(&headers, settings.profile);
    let tables = TablesInForce::new(vec![corpus_table()]);
    let judgement = Judge::before(settings.policy(), tables).judge(&RawCall {
        method: &request.method,
        target: &target,
        credentials: &credentials.expect("one Authorization"),
        content: ContentHeaders::of(&headers),
        body: &body,
    });
    match judgement.outcome {
        Outcome::Forward(call) => Said::Forwarded {
            deferred: call.deferred.iter().map(|deferred| deferred.name).collect(),
        },
        Outcome::Refuse(refusal) => Said::Refused(String::from_utf8_lossy(refusal.body()).into_owned()),
    }
}

impl Said {
    /// The body of a refusal.
    fn refusal(&self) -> Option<&str> {
        match self {
            Self::Refused(body) => Some(body),
            Self::Forwarded { .. } => None,
        }
    }

    /// True if the value of this argument was not simply admitted: it is refused, or deferred to the origin.
    fn objects_to(&self, argument: &str) -> bool {
        match self {
            Self::Refused(body) => {
                body.contains("rest_invalid_param") && body.contains(&format!("\"{argument}\""))
            }
            Self::Forwarded { deferred } => deferred.contains(&argument),
        }
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
    let presence = if place == "path" { MUST } else { MAY };
    let value = values(document, &parameter["schema"]);
    present(
        value.prop_map(move |value| (place.clone(), name.clone(), value)),
        presence,
    )
}

fn bodies(document: &Value, object: &Value) -> BoxedStrategy<Option<Body>> {
    let content = &object["requestBody"]["content"];
    if content.is_null() {
        return Just(None).boxed();
    }
    let json =
        values(document, &content["application/json"]["schema"]).prop_map(|value| Some(Body::Json(value)));
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
            let said = said(&request);
            prop_assert_eq!(said.refusal(), None);
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
        "RecordNumber" => &["0", "-1", "x", "9223372036854775807"],
        "TermReference" => &["2.5", "0"],
        "Flag" => &["yes", "2", ""],
        "Text" | "Name" | "TermName" => &["", "0"],
        "DateTime" => &["", "abc", "2027-13-45", "1970-01-01"],
        "TimeZone" => &["Europe/Berlin ", "Nowhere", "5"],
        "Url" => &["javascript:alert(1)", "//host", "http://"],
        "ImageReference" => &["abc def", "-5"],
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
        .filter(|argument| argument.is_required && operation.place(argument) == Place::Body)
        .map(|argument| (argument.name.to_owned(), json!("2027-04-02")))
        .collect();
    Request {
        method: method.clone(),
        path,
        query: Vec::new(),
        body: operation
            .is_write()
            .then_some(Body::Json(Value::Object(required))),
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
    each_operation(|_, request| assert_eq!(said(&request).refusal(), None, "{request:?}"));
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
            let said = said(&mutated);
            let refusal = said.refusal().expect("a field is missing");
            assert!(refusal.contains("rest_missing_callback_param"), "{refusal}");
        }
    });
}

#[test]
fn one_wrong_query_value_never_just_passes() {
    let document = document();
    let mut checked = 0;
    for (operation, method, object) in operations(&document) {
        let request = minimal(operation, &method.parse().expect("a method"));
        let parameters = object["parameters"].as_array().expect("a list");
        for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query") {
            let name = parameter["name"].as_str().expect("a name");
            // Undeclared parameters are not judged.
            if operation.argument(name.as_bytes()).is_none() {
                continue;
            }
            for fault in faults(&parameter["schema"]) {
                let mut mutated = request.clone();
                mutated.query.push((name.to_owned(), (*fault).to_owned()));
                let said = said(&mutated);
                assert!(
                    said.objects_to(name),
                    "{} {name}={fault}: {said:?}",
                    operation.name
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked}");
}

#[test]
fn one_wrong_body_value_never_just_passes() {
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
        for argument in operation
            .arguments
            .iter()
            .filter(|argument| is_body(operation, argument))
        {
            let property = &properties[argument.name];
            let own = validator(&document, property);
            for fault in json_faults(property) {
                if own.is_valid(&fault) {
                    continue;
                }
                let said = said(&with_member(&request, argument.name, &fault));
                assert!(
                    said.objects_to(argument.name),
                    "{} {}: {fault}: {said:?}",
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
