//! Meaning preserved for random requests: odd names, several sources, all forms of bodies.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use calendar_edge_core::settings::Mode;
use calendar_edge_judge::contract::{Operation, table};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

use super::change::Change;
use super::recorded::preserved;
use crate::judging::{Edge, NAMESPACE, Request, settings};

/// Names that WordPress, PHP or the plugin look for beside the declared ones.
const OTHER_NAMES: [&str; 17] = [
    "_fields",
    "_embed",
    "_locale",
    "_pretty",
    "_envelope",
    "_jsonp",
    "_wpnonce",
    "_method",
    "context",
    "lang",
    "password",
    "parent",
    "id",
    "slug",
    "rest_route",
    "utm_source",
    "0",
];

/// Values as they are spelt in a query.
const VALUES: [&str; 24] = [
    "",
    "0",
    "1",
    "7",
    "7,8",
    "15,%2016",
    "29",
    "056",
    "true",
    "FALSE",
    "gala",
    "2027-01-15",
    "a+b",
    "%C3%A4",
    "%FF",
    "a%2Cb",
    "publish",
    "1%2C2",
    "DELETE",
    "view",
    "x=y",
    "%zz",
    "1e1",
    "http://a.example/",
];

/// Values as they are spelt in JSON.
const JSON_VALUES: [&str; 24] = [
    "null",
    "true",
    "FALSE",
    "0",
    "7",
    "7.0",
    "1e2",
    "12345678901234567890",
    "\"7\"",
    "\"\"",
    "\"2027-01-15\"",
    "\"15, 16\"",
    "\"ä\\u00e4\\ud83d\\ude00\"",
    "[7]",
    "[7,8]",
    "[[7]]",
    "[]",
    "{}",
    "{\"0\":7}",
    "{\"id\":7}",
    "{\"venue\":\"New\",\"venue\":\"Newer\"}",
    "{\"organizer\":\"New\"}",
    "[\"a\",{\"b\":null}]",
    "{\"organizer\":\"\"}",
];

/// Content types, and how the body that goes with them is spelt.
const TYPES: [(&str, Spelling); 11] = [
    ("application/json", Spelling::Json),
    ("Application/JSON; charset=utf-16", Spelling::Json),
    ("text/plain, application/json", Spelling::Json),
    ("application/foo,bar+json", Spelling::Json),
    ("application/x-www-form-urlencoded", Spelling::Form),
    ("APPLICATION/x-www-form-urlencoded; charset=x", Spelling::Form),
    (
        "application/x-www-form-urlencoded, application/json",
        Spelling::Json,
    ),
    ("multipart/form-data; boundary=BB", Spelling::Multipart),
    ("text/plain", Spelling::Form),
    ("nothing", Spelling::Form),
    ("", Spelling::Form),
];

#[derive(Debug, Clone, Copy)]
enum Spelling {
    Json,
    Form,
    Multipart,
}

fn requests(operation: &'static Operation) -> impl Strategy<Value = Request> {
    let methods = operation.id.action.methods().iter().cloned();
    let methods: Vec<Method> = methods.chain([Method::HEAD]).collect();
    let method = prop_oneof![8 => select(methods), 1 => select(vec![Method::PUT, Method::POST, Method::DELETE, Method::GET])];
    let names: Vec<&'static str> = operation.arguments.iter().map(|argument| argument.name).collect();
    let pairs = proptest::collection::vec(pair(names.clone()), 0..5).prop_map(|pairs| pairs.join("&"));
    let body = prop_oneof![1 => Just(None), 3 => body(names).prop_map(Some)];
    let header = prop_oneof![3 => Just(None), 1 => select(vec!["DELETE", "get", "FOO", "PUT", "POST", "options"]).prop_map(Some)];
    (method, target(operation), pairs, body, header).prop_map(
        |(method, (path, route), pairs, body, header)| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
            if let Some(method) = header {
                headers.insert(
                    HeaderName::from_static("x-http-method-override"),
                    HeaderValue::from_static(method),
                );
            }
            let (content_type, body) = body.unwrap_or_default();
            if !content_type.is_empty() {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
            }
            let query = [route, pairs]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("&");
            Request {
                method,
                path,
                query: (!query.is_empty()).then_some(query),
                headers,
                body,
            }
        },
    )
}

/// A path, and the `rest_route` that names the route instead.
fn target(operation: &'static Operation) -> impl Strategy<Value = (String, String)> {
    let id = select(vec!["29", "056", "7"]);
    let slugs = vec![
        "gala",
        "a%20b",
        "a+b",
        "a%2Bb",
        "a%252Bb",
        "..",
        "%2e",
        "caf%C3%A9",
        "a%2541",
        "%FF",
        "a%0A",
        "a%3Fb",
        "0",
    ];
    let root = select(vec![
        "/wp-json",
        "/de/wp-json",
        "//wp-json",
        "/wp%2Djson",
        "/index.php/wp-json",
        "?",
    ]);
    let end = select(vec!["", "/", "//"]);
    (id, select(slugs), root, end).prop_map(move |(id, slug, root, end)| {
        let below = operation
            .id
            .route
            .template()
            .replace("{id}", id)
            .replace("{slug}", slug);
        let route = format!("/{NAMESPACE}{below}{end}");
        match root {
            "?" => ("/".to_owned(), format!("rest_route={route}")),
            root => (format!("{root}{route}"), String::new()),
        }
    })
}

/// `name=value` in one of the many spellings of a name.
fn pair(declared: Vec<&'static str>) -> impl Strategy<Value = String> {
    let name = prop_oneof![4 => select(declared_or(declared)), 3 => select(OTHER_NAMES.to_vec())];
    (name, select(VALUES.to_vec()), 0..24_u8).prop_map(|(name, value, variant)| {
        let name = match variant {
            0 => name.replace('_', "."),
            1 => format!("%20{name}"),
            2 => format!("{name}%00x"),
            3 => format!("{name}[]"),
            4 => format!("{name}[1]"),
            5 => format!("{name}%5Bk%5D[]"),
            6 => name.to_uppercase(),
            7 => name.replace('_', "[").replacen('e', "%65", 1),
            8 => format!("{name}[x"),
            9 => format!("{name}{}", "[x]".repeat(65)),
            10 => format!("{name}[9223372036854775807]"),
            _ => name.to_owned(),
        };
        if variant == 11 {
            name
        } else {
            format!("{name}={value}")
        }
    })
}

fn declared_or(declared: Vec<&'static str>) -> Vec<&'static str> {
    if declared.is_empty() {
        vec!["page"]
    } else {
        declared
    }
}

/// A content type and a body.
fn body(declared: Vec<&'static str>) -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let names = [declared_or(declared), OTHER_NAMES.to_vec()].concat();
    let json = (select(names.clone()), select(JSON_VALUES.to_vec()));
    let json = proptest::collection::vec(json, 0..5).prop_map(|members| {
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("\"{name}\" : {value}"))
            .collect();
        format!("{{{}}}", members.join(",")).into_bytes()
    });
    let form =
        proptest::collection::vec(pair(names.clone()), 0..5).prop_map(|pairs| pairs.join("&").into_bytes());
    let part = (select(names), select(vec!["7", "ä", "2027-01-15", "15,16"]));
    let multipart = proptest::collection::vec(part, 1..4).prop_map(|parts| {
        let part = |(name, value): &(&str, &str)| {
            format!("--BB\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let parts: String = parts.iter().map(part).collect();
        format!("{parts}--BB--\r\n").into_bytes()
    });
    (select(TYPES.to_vec()), json, form, multipart).prop_map(
        |((content_type, spelling), json, form, multipart)| {
            let body = match spelling {
                Spelling::Json => json,
                Spelling::Form => form,
                Spelling::Multipart => multipart,
            };
            (content_type, body)
        },
    )
}

#[test]
fn random_requests_keep_their_meaning() {
    let mut unjudging = settings();
    unjudging.mode = Mode::Off;
    let edges = [Edge::new(&settings()), Edge::new(&unjudging)];
    let counts: RefCell<BTreeMap<Change, usize>> = RefCell::default();
    let forwarded = Cell::new(0);
    for operation in table().operations() {
        let mut runner = TestRunner::new(Config {
            cases: 60,
            failure_persistence: None,
            ..Config::default()
        });
        let outcome = runner.run(&requests(operation), |request| {
            for found in edges.iter().filter_map(|edge| preserved(edge, &request)) {
                forwarded.set(forwarded.get() + 1);
                for change in found.map_err(TestCaseError::fail)? {
                    *counts.borrow_mut().entry(change).or_default() += 1;
                }
            }
            Ok(())
        });
        if let Err(error) = outcome {
            panic!("{}: {error}", operation.name);
        }
    }
    println!("{} forwarded, {:?}", forwarded.get(), counts.borrow());
    assert!(forwarded.get() > 500, "{}", forwarded.get());
}

/// The site refuses the call for both: the null in the body and the text that the body's author outweighs.
#[test]
fn an_outweighed_value_of_another_type_reaches_the_site_that_words_the_refusal() {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let dates = r#""title":"x","start_date":"2027-01-15 10:00:00","end_date":"2027-01-15 11:00:00""#;
    let request = Request {
        method: Method::POST,
        path: format!("/wp-json/{NAMESPACE}/events"),
        query: Some("author=7,8".to_owned()),
        headers,
        body: format!("{{{dates},\"author\":7,\"featured\":null}}").into_bytes(),
    };
    let found = preserved(&Edge::new(&settings()), &request);
    assert!(matches!(found, Some(Ok(_))), "{found:?}");
}
