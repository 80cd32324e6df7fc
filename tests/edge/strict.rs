//! The strict profile, rule by rule (T-01 to T-19): what it refuses, beside the plain twin it admits.

use calendar_edge_core::settings::{Profile, Settings};
use calendar_edge_judge::call::Outcome;
use http::header::{AUTHORIZATION, HeaderName};
use http::{HeaderMap, HeaderValue, Method};

use crate::judging::{Edge, Request};

/// Each row: a rule, the status of its refusal, a request it refuses, and one of the same kind that passes.
pub(crate) const RULES: &str = include_str!("../../fixtures/strict/rules.tsv");

pub(crate) fn request(text: &str) -> Request {
    let text = text
        .replace(" @", " /wp-json/calendar/events/v1")
        .replace("<CRLF>", "\r\n")
        .replace("<BOM>", "\u{feff}");
    let mut parts = text.split(" | ");
    let line = parts.next().unwrap_or_default();
    let (method, target) = line.split_once(' ').expect("a method and a target");
    let (path, query) = target
        .split_once('?')
        .map_or((target, None), |(path, query)| (path, Some(query)));
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
    let mut body = Vec::new();
    for part in parts {
        let header = match part {
            "JSON" => "Content-Type: application/json",
            "FORM" => "Content-Type: application/x-www-form-urlencoded",
            other => other,
        };
        let is_header = header.starts_with(|first: char| first.is_ascii_uppercase());
        match header.split_once(": ").filter(|_| is_header) {
            Some((name, value)) => {
                let name: HeaderName = name.parse().expect("a header name");
                headers.append(name, value.parse().expect("a header value"));
            }
            None => body = part.as_bytes().to_vec(),
        }
    }
    Request {
        method: Method::from_bytes(method.as_bytes()).expect("a token"),
        path: path.to_owned(),
        query: query.map(str::to_owned),
        headers,
        body,
    }
}

fn strict() -> Edge {
    let mut settings = Settings::for_origin("http://origin.example/wp-json".parse().expect("a URL"));
    settings.profile = Profile::Strict;
    Edge::new(&settings)
}

#[test]
fn each_rule_refuses_its_breach_and_admits_its_twin() {
    let edge = strict();
    let mut wrong = Vec::new();
    let rows = RULES.lines().filter(|row| !row.starts_with('#'));
    for row in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        let [_, status, refused, admitted] = cells[..] else {
            panic!("four cells: {row}")
        };
        match edge.outcome(&request(refused)) {
            Outcome::Refuse(refusal) if refusal.status().as_str() == status => {}
            other => wrong.push(format!("{row}: {other:?}")),
        }
        if let Outcome::Refuse(refusal) = edge.outcome(&request(admitted)) {
            let body = String::from_utf8_lossy(refusal.body()).into_owned();
            wrong.push(format!("{row}: {body}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_method_is_told_the_right_ones() {
    let edge = strict();
    let allowed = |text: &str| match edge.outcome(&request(text)) {
        Outcome::Refuse(refusal) => refusal.allow().methods(),
        Outcome::Forward(call) => panic!("{:?} is forwarded", call.request()),
    };
    assert_eq!(allowed("PUT @/events").as_deref(), Some("GET, HEAD, POST"));
    assert_eq!(
        allowed("OPTIONS @/tags/7").as_deref(),
        Some("GET, HEAD, POST, PUT, PATCH, DELETE")
    );
    assert_eq!(allowed("FOO @/tags/7"), None);
}

/// A request that only just passes and one that does not, by status.
fn refuses_only_the_second(status: u16, fits: &str, exceeds: &str) {
    let edge = strict();
    let shown: String = exceeds.chars().take(60).collect();
    assert!(
        matches!(edge.outcome(&request(fits)), Outcome::Forward(_)),
        "{shown}"
    );
    match edge.outcome(&request(exceeds)) {
        Outcome::Refuse(refusal) => assert_eq!(refusal.status().as_u16(), status, "{shown}"),
        Outcome::Forward(_) => panic!("{shown} is forwarded"),
    }
}

#[test]
fn limits_end_where_they_say() {
    let tags = |count: usize| format!("GET @/events?{}page=1", "tags[]=7&".repeat(count - 1));
    refuses_only_the_second(400, &tags(64), &tags(65));
    let list = |count: usize| format!("GET @/events?tags={}", vec!["7"; count].join(","));
    refuses_only_the_second(400, &list(100), &list(101));
    let search = |count: usize| format!("GET @/events?search={}", "a".repeat(count));
    refuses_only_the_second(400, &search(1000), &search(1001));
    let slug = |count: usize| format!("GET @/venues/by-slug/{}", "a".repeat(count));
    refuses_only_the_second(404, &slug(200), &slug(201));
    let escaped = |count: usize| format!("GET @/venues/by-slug/{}", "%E6%9D%B1".repeat(count));
    refuses_only_the_second(404, &escaped(66), &escaped(67));
    let slug = |count: usize| format!("PUT @/tags/7 | FORM | slug={}", "a".repeat(count));
    refuses_only_the_second(400, &slug(200), &slug(201));
    let name = |count: usize| format!("POST @/tags | JSON | {{\"name\":\"{}\"}}", "ä".repeat(count));
    refuses_only_the_second(400, &name(1000), &name(1001));
    let body = |count: usize| {
        let frame = r#"{"name":"x","description":""}"#.len();
        let text = "d".repeat(count - frame);
        format!("POST @/tags | JSON | {{\"name\":\"x\",\"description\":\"{text}\"}}")
    };
    refuses_only_the_second(413, &body(1024 * 1024), &body(1024 * 1024 + 1));
}

/// No argument takes a large value: these limits are distinguished by the rule that refuses, the argument's own or the
/// limit.
#[test]
fn json_limits_end_where_they_say() {
    let edge = strict();
    let names_argument = |cost: &str| {
        let text = format!("PUT @/events/7 | JSON | {{\"cost\":{cost}}}");
        match edge.outcome(&request(&text)) {
            Outcome::Refuse(refusal) => String::from_utf8_lossy(refusal.body()).contains("\"cost\""),
            Outcome::Forward(_) => panic!("{text} is forwarded"),
        }
    };
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let members = |count: usize| {
        let members: Vec<String> = (0..count).map(|at| format!("\"{at}\":1")).collect();
        format!("{{{}}}", members.join(","))
    };
    let list = |count: usize| format!("[{}]", vec!["7"; count].join(","));
    assert!(names_argument(&nested(31)) && !names_argument(&nested(32)));
    assert!(names_argument(&members(200)) && !names_argument(&members(201)));
    assert!(names_argument(&list(1000)) && !names_argument(&list(1001)));
}
