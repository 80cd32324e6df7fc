//! The stages of a request, each run alone, for a count of its instructions and allocations.
//!
//! `crates/bench/stages.py` runs this under callgrind, reads what [`counted`] cost for each line that is printed here, and
//! compares it with `crates/bench/stages.txt`.

#![allow(clippy::indexing_slicing, reason = "a bench reads its own fixtures")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{Stdout, Write};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use calendar_edge_core::cache::compression::preferred;
use calendar_edge_core::cache::{CachePolicy, KeySpace, ReachedBy};
use calendar_edge_core::framing::Inspector;
use calendar_edge_core::gateway::authority::{Addressed, Scheme};
use calendar_edge_core::gateway::decision::{Decider, RequestHead};
use calendar_edge_core::keyed_hash::KeyedHash;
use calendar_edge_core::limits::rates::{Budgets, Client, CostClass, SharedBuckets};
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{
    AcceptedResponse, BufferBudget, CallContext, ClientContext, Content, LearntRoots, RelayRules, accept,
    present, translate,
};
use calendar_edge_core::settings::{Limits, OriginNamespace, Rate, Settings};
use calendar_edge_judge::call::credentials::{Credentials, Identity};
use calendar_edge_judge::call::{Judge, Judgement, Outcome, RawCall};
use calendar_edge_judge::contract::{PluginVersion, table};
use calendar_edge_judge::routing::{CallTarget, Roots, Target};
use calendar_edge_judge::wordpress::payload::{ContentHeaders, PHP_DEPTH, parse_form, parse_json};
use http::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, LINK};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Full};

/// Runs of a stage that are counted together.
const ROUNDS: usize = 10;

const LIST: &str = "/wp-json/calendar/events/v1/events";
const QUERY: &str = "page=2&per_page=20&start_date=2027-01-01&end_date=2027-12-31%2023:59:59&search=m%C3%BCller\
    &categories=music,2&venue=7,8&featured=true&status=publish&utm_source=newsletter";
const CREATE: &str = r#"{"title":"Summer gala","start_date":"2027-10-01 10:00:00","end_date":"2027-10-01 12:00:00",
    "description":"<p>An evening with music, food and speeches.</p>","slug":"summer-gala","status":"publish",
    "timezone":"Europe/Copenhagen","all_day":false,"cost":"$ 12.50","website":"https://www.example.org/a?b=c&d=e",
    "show_map":true,"featured":true,"categories":[2,"Music"],"tags":["free","open-air"],"venue":7,"organizer":[15,16]}"#;
const HEAD: &str = "GET /wp-json/calendar/events/v1/events?per_page=50&page=2 HTTP/1.1\r\nHost: events.example.org\r\n\
    User-Agent: python-requests/2.32.3\r\nAccept-Encoding: gzip, deflate\r\nAccept: */*\r\n\
    Connection: keep-alive\r\n\r\n";
const PUBLIC_BASE: &str = "https://events.example.org";

/// A stage by the name of its line.
type Stage = (&'static str, Box<dyn FnMut()>);

fn main() {
    let mut out = std::io::stdout();
    for (name, mut stage) in stages() {
        // What is made once is made before the count.
        stage();
        stage();
        counted(&mut stage);
        ended(&mut out, name);
    }
}

/// Its calls are what callgrind counts.
#[inline(never)]
fn counted(stage: &mut dyn FnMut()) {
    for _ in 0..ROUNDS {
        stage();
    }
}

/// Names the stage whose count has ended. Callgrind writes the count where this is called.
#[inline(never)]
fn ended(out: &mut Stdout, name: &str) {
    writeln!(out, "{name}").expect("an open standard output");
}

fn stages() -> Vec<Stage> {
    vec![
        ("inspecting a head", inspecting()),
        ("locating a list", locating()),
        (
            "reading a query",
            Box::new(|| drop(black_box(parse_form(black_box(QUERY.as_bytes()))))),
        ),
        (
            "reading a body",
            Box::new(|| drop(black_box(parse_json(black_box(CREATE.as_bytes()), PHP_DEPTH)))),
        ),
        ("choosing a coding", choosing()),
        ("spending a call", spending(None, None)),
        ("spending from a budget", spending(Some(NEVER_USED_UP), None)),
        (
            "the same in a fleet",
            spending(Some(NEVER_USED_UP), Some(KeyedHash::new([7; 16]))),
        ),
        (
            "judging a list",
            judging(Method::GET, target(&Method::GET, Some(QUERY)), b""),
        ),
        (
            "judging 200 unknown parameters",
            judging(Method::GET, target(&Method::GET, Some(&unknown(200))), b""),
        ),
        (
            "judging a create",
            judging(Method::POST, target(&Method::POST, None), CREATE.as_bytes()),
        ),
        ("deciding a list", deciding(&format!("{LIST}?{QUERY}"))),
        ("deciding a refusal", deciding(&format!("{LIST}?page=none"))),
        ("naming a kept answer", naming()),
        ("accepting a list of 8 KiB", accepting(&page(8 * 1024))),
        ("presenting a list of 8 KiB", presenting(&page(8 * 1024))),
        ("presenting a list of 1 KiB", presenting(&page(1024))),
        ("translating a list of 8 KiB", translating(&page(8 * 1024))),
        ("streaming a list of 64 KiB", streaming(&page(64 * 1024))),
    ]
}

fn settings() -> Settings {
    let mut settings = Settings::for_origin("http://origin.example/wp-json".parse().expect("a URL"));
    settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
    settings.public_url = Some(PUBLIC_BASE.parse().expect("a URL"));
    settings
}

// === what clients send ===

fn inspecting() -> Box<dyn FnMut()> {
    let fresh = Inspector::new(&Limits::default());
    Box::new(move || drop(black_box(fresh.clone().inspect(black_box(HEAD.as_bytes())))))
}

fn locating() -> Box<dyn FnMut()> {
    let roots = Roots::new(&settings().policy());
    Box::new(move || {
        let located = roots.locate(&Method::GET, black_box(LIST), black_box(Some(QUERY)));
        drop(black_box(located));
    })
}

fn choosing() -> Box<dyn FnMut()> {
    let mut headers = HeaderMap::new();
    headers.insert(
        ACCEPT_ENCODING,
        HeaderValue::from_static("gzip, deflate, br;q=0.9, zstd"),
    );
    Box::new(move || {
        black_box(preferred(black_box(&headers)));
    })
}

/// A rate that no number of rounds uses up.
const NEVER_USED_UP: Rate = Rate {
    requests: 1_000_000_000,
    period: Duration::from_hours(24 * 365),
};

fn spending(rate: Option<Rate>, fleet: Option<KeyedHash>) -> Box<dyn FnMut()> {
    let mut limits = settings().rate_limits;
    limits.address.lists = rate;
    let budgets = Budgets::new(&limits, &SharedBuckets::new(fleet));
    let (identity, now) = (Identity::default(), Instant::now());
    Box::new(move || {
        let client = Client::new(Some([192, 0, 2, 1].into()), &identity);
        if let Ok(charged) = budgets.spend(client, CostClass::List, now) {
            budgets.return_charges(charged, now);
        }
    })
}

// === judgement ===

fn target(method: &Method, query: Option<&str>) -> CallTarget {
    match Roots::new(&settings().policy()).locate(method, LIST, query) {
        Target::Calendar(target) => target,
        Target::Site { .. } | Target::Invalid(_) => panic!("{LIST} is a calendar path"),
    }
}

/// Parameters that no operation has.
fn unknown(count: usize) -> String {
    let pairs: Vec<String> = (0..count).map(|number| format!("utm_{number}=x")).collect();
    pairs.join("&")
}

fn judging(method: Method, target: CallTarget, body: &'static [u8]) -> Box<dyn FnMut()> {
    let settings = settings();
    let judge = Judge::new(settings.policy());
    let mut headers = HeaderMap::new();
    if method == Method::POST {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
    }
    let credentials = Credentials::read(&headers, settings.profile);
    let credentials = credentials.expect("one Authorization at most");
    let judge = move || -> Judgement {
        judge.judge(&RawCall {
            method: &method,
            target: &target,
            credentials: &credentials,
            content: ContentHeaders::of(&headers),
            body,
        })
    };
    assert!(matches!(judge().outcome, Outcome::Forward(_)), "a good call");
    Box::new(move || drop(black_box(judge())))
}

fn head(target: &str) -> Parts {
    let request = Request::get(target).header("host", "events.example.org");
    request.body(()).expect("a request").into_parts().0
}

fn decided_by(parts: &Parts) -> RequestHead<'_> {
    RequestHead {
        parts,
        client: Some([192, 0, 2, 1].into()),
        addressed: Addressed {
            scheme: Scheme::Https,
            host: None,
            local: None,
        },
    }
}

fn deciding(target: &str) -> Box<dyn FnMut()> {
    let (decider, parts) = (Decider::new(&settings()), head(target));
    Box::new(move || drop(black_box(decider.decide(&decided_by(&parts), b""))))
}

fn naming() -> Box<dyn FnMut()> {
    let mut settings = settings();
    settings.cache.enabled = true;
    let (judge, policy, keys) = (
        Judge::new(settings.policy()),
        CachePolicy::new(&settings),
        KeySpace::new(&settings.site()),
    );
    let (headers, target) = (HeaderMap::new(), target(&Method::GET, Some("per_page=11&page=2")));
    let credentials = Credentials::default();
    let judgement = judge.judge(&RawCall {
        method: &Method::GET,
        target: &target,
        credentials: &credentials,
        content: ContentHeaders::of(&headers),
        body: b"",
    });
    let Outcome::Forward(call) = judgement.outcome else {
        panic!("a good call");
    };
    Box::new(move || {
        let cacheable = policy
            .judge(&call)
            .and_then(Result::ok)
            .expect("a read for everybody");
        let reached = ReachedBy {
            public_base: PUBLIC_BASE,
            namespace: None,
        };
        drop(black_box(keys.key(cacheable, reached)));
    })
}

// === answers ===

/// A list of recorded events as PHP prints it, of about this size.
fn page(bytes: usize) -> Bytes {
    let fixture = include_str!("../../../fixtures/backend/event-list-page1.json");
    let list: serde_json::Value = serde_json::from_str(fixture).expect("the fixture is JSON");
    let mut flat = list["events"].as_array().expect("a list of events").clone();
    for event in &mut flat {
        let members = event.as_object_mut().expect("an event");
        members.retain(|_, value| !value.is_object() && !value.is_array());
    }
    let mut text = String::new();
    let mut events = Vec::new();
    for event in flat.iter().cycle() {
        events.push(event);
        let next = as_php_prints(&serde_json::json!({ "events": events }));
        if next.len() > bytes && !text.is_empty() {
            break;
        }
        text = next;
    }
    Bytes::from(text)
}

/// ASCII, with `/` escaped: what `wp_json_encode` makes of a value.
fn as_php_prints(value: &serde_json::Value) -> String {
    let mut printed = String::new();
    for unit in value.to_string().replace('/', r"\/").encode_utf16() {
        match u8::try_from(unit) {
            Ok(ascii) if ascii.is_ascii() => printed.push(char::from(ascii)),
            _ => write!(printed, "\\u{unit:04x}").expect("texts grow"),
        }
    }
    printed
}

fn rules() -> RelayRules {
    let site = settings().site();
    let budget = BufferBudget::new(site.response_buffer_total);
    RelayRules::new(&site, &LearntRoots::default(), &budget)
}

fn accepted(page: &Bytes, rules: &RelayRules) -> AcceptedResponse<Full<Bytes>> {
    let answer = Response::builder()
        .header(CONTENT_TYPE, "application/json; charset=UTF-8")
        .header(
            LINK,
            "<http://origin.example/wp-json/>; rel=\"https://api.w.org/\"",
        )
        .header("x-tec-total", "11")
        .body(Full::new(page.clone()));
    let call = CallContext {
        root: 0,
        method: Method::GET,
        content: Content::Records,
        operation: table().named("events.list"),
        may_be_script: false,
        enveloped: false,
        may_change_language: false,
        target: "/".into(),
    };
    ready(accept(answer.expect("an answer"), &call, rules)).expect("a good answer")
}

/// The value of a future that waits for nothing.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a whole body is ready"),
    }
}

fn accepting(page: &Bytes) -> Box<dyn FnMut()> {
    let (page, rules) = (page.clone(), rules());
    Box::new(move || drop(black_box(accepted(&page, &rules))))
}

/// With the clone of a kept answer.
fn presenting(page: &Bytes) -> Box<dyn FnMut()> {
    let (rules, client) = (rules(), everybody());
    let accepted = accepted(page, &rules);
    Box::new(move || drop(black_box(present(accepted.clone(), &client, &rules))))
}

/// With the clone of a kept answer, whose events have a member that the wanted version does not have.
fn translating(page: &Bytes) -> Box<dyn FnMut()> {
    let mut settings = settings();
    settings.answers = Some(PluginVersion::SPECIFIED);
    let site = settings.site();
    let budget = BufferBudget::new(site.response_buffer_total);
    let rules = RelayRules::new(&site, &LearntRoots::default(), &budget);
    let text = String::from_utf8_lossy(page).replace(r#","slug":"#, r#","custom_fields":[],"slug":"#);
    let accepted = accepted(&Bytes::from(text), &rules);
    Box::new(move || drop(black_box(translate(accepted.clone(), &rules))))
}

/// A response that is larger than the buffer for it.
fn streaming(page: &Bytes) -> Box<dyn FnMut()> {
    let mut site = settings().site();
    site.response_buffer_bytes = 1024;
    let budget = BufferBudget::new(site.response_buffer_total);
    let rules = RelayRules::new(&site, &LearntRoots::default(), &budget);
    let (accepted, client) = (accepted(page, &rules), everybody());
    Box::new(move || {
        let body = present(accepted.clone(), &client, &rules).into_body();
        drop(black_box(ready(body.collect()).expect("a good body")));
    })
}

fn everybody() -> ClientContext {
    ClientContext {
        public_base: PUBLIC_BASE.into(),
        namespace: None,
        audience: Audience::Public,
    }
}
