//! What one request costs before it is forwarded: target, query, JSON, judging with encoding, rules of the rest of the site.

use calendar_edge_core::gateway::decision::Decider;
use calendar_edge_core::settings::{
    Mode, OtherTraffic, Settings, SurfaceCallers, SurfacePattern, SurfaceRule,
};
use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::call::{Judge, Judgement, Outcome, RawCall};
use calendar_edge_judge::routing::{CallTarget, Roots, Target};
use calendar_edge_judge::wordpress::payload::{ContentHeaders, PHP_DEPTH, parse_form, parse_json};
use divan::{AllocProfiler, Bencher, black_box};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

const LIST: &str = "/wp-json/calendar/events/v1/events";
const QUERY: &str = "page=2&per_page=20&start_date=2027-01-01&end_date=2027-12-31%2023:59:59&search=m%C3%BCller\
    &categories=music,2&venue=7,8&featured=true&status=publish&utm_source=newsletter";
const CREATE: &str = r#"{"title":"Summer gala","start_date":"2027-10-01 10:00:00","end_date":"2027-10-01 12:00:00",
    "description":"<p>An evening with music, food and speeches.</p>","slug":"summer-gala","status":"publish",
    "timezone":"Europe/Copenhagen","all_day":false,"cost":"$ 12.50","website":"https://www.example.org/a?b=c&d=e",
    "show_map":true,"featured":true,"categories":[2,"Music"],"tags":["free","open-air"],"venue":7,"organizer":[15,16]}"#;

fn settings() -> Settings {
    Settings::for_origin("http://origin.example/wp-json".parse().expect("a URL"))
}

fn target(method: &Method, path: &str, query: Option<&str>) -> CallTarget {
    match Roots::new(&settings().policy()).locate(method, path, query) {
        Target::Calendar(target) => target,
        Target::Site { .. } | Target::Invalid(_) => panic!("{path} is a calendar path"),
    }
}

#[divan::bench(args = ["list", "item", "slug", "elsewhere"])]
fn locating(bencher: Bencher<'_, '_>, name: &str) {
    let (path, query) = match name {
        "list" => (LIST, Some(QUERY)),
        "item" => ("/wp-json/calendar/events/v1/events/56", None),
        "slug" => ("/wp-json/calendar/events/v1/events/by-slug/new-york-gala", None),
        _ => ("/wp-json/wp/v2/posts", None),
    };
    let roots = Roots::new(&settings().policy());
    bencher.bench(|| black_box(roots.locate(&Method::GET, black_box(path), black_box(query))));
}

/// The rules of a site that closes much: 49 routes of one namespace, and the users.
fn fifty_rules() -> Vec<SurfaceRule> {
    let rule = |pattern: &str| SurfaceRule {
        name: pattern.to_owned(),
        routes: vec![SurfacePattern::parse(pattern).expect("a pattern")],
        callers: SurfaceCallers::Credentials,
        mode: Mode::Enforce,
        ..SurfaceRule::default()
    };
    let routes = (0..49).map(|number| rule(&format!("wp/v2/kind-{number}/*")));
    routes.chain([rule("users")]).collect()
}

/// The reading of a request to the rest of the site, and the search for the first of fifty rules.
#[divan::bench(args = ["page", "search", "asset", "route", "user", "named", "login"])]
fn meeting_fifty_rules(bencher: Bencher<'_, '_>, name: &str) {
    let target = match name {
        "page" => "/about/the-club/",
        "search" => "/?s=summer+gala+caf%C3%A9&orderby=date",
        "asset" => "/wp-content/plugins/the-events-calendar/src/resources/js/a.min.js?ver=6.10.0",
        "route" => "/wp-json/wp/v2/posts?per_page=10&_embed=1",
        "user" => "/wp-json/wp/v2/users/7",
        "named" => "/?rest_route=/wp/v2/users/7",
        _ => "/wp-login.php?redirect_to=https%3A%2F%2Fwww.example.org%2Fwp-admin%2F",
    };
    let mut settings = settings();
    settings.other = OtherTraffic::Forward;
    settings.surface = fifty_rules();
    let decider = Decider::new(&settings);
    let head =
        http::Request::get(target).header("cookie", "wordpress_logged_in_5f=alice%7C1799999999%7Cx%7Cy");
    let (head, ()) = head.body(()).expect("a request").into_parts();
    bencher.bench(|| {
        let request = decider.surface_request(black_box(&head)).expect("rules");
        black_box(decider.surface.judge(&request).is_some())
    });
}

#[divan::bench]
fn reading_a_query() {
    black_box(parse_form(black_box(QUERY.as_bytes())));
}

#[divan::bench]
fn reading_json() {
    black_box(parse_json(black_box(CREATE.as_bytes()), PHP_DEPTH).expect("JSON"));
}

/// Time follows the bytes: the second size takes eight times as long as the first, or is refused as early.
#[divan::bench(args = ["texts", "escapes", "members", "elements"], consts = [1, 8])]
fn reading_a_large_json<const MIB: usize>(bencher: Bencher<'_, '_>, shape: &str) {
    let size = MIB * 1024 * 1024;
    let element = match shape {
        "texts" => "\"".to_owned() + &"a".repeat(size / 1000) + "\"",
        "escapes" => "\"".to_owned() + &"\\n".repeat(size / 2000) + "\"",
        "members" => "{\"name\":\"".to_owned() + &"a".repeat(size / 1000) + "\"}",
        _ => "0".to_owned(),
    };
    let text = format!("[{}]", vec![&*element; size / (element.len() + 1)].join(","));
    bencher.bench(|| parse_json(black_box(text.as_bytes()), PHP_DEPTH));
}

#[divan::bench]
fn judging_a_list(bencher: Bencher<'_, '_>) {
    let target = target(&Method::GET, LIST, Some(QUERY));
    judging(bencher, &Method::GET, &target, &HeaderMap::new(), b"");
}

#[divan::bench]
fn judging_a_create(bencher: Bencher<'_, '_>) {
    let target = target(&Method::POST, LIST, None);
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
    judging(bencher, &Method::POST, &target, &headers, CREATE.as_bytes());
}

fn judging(bencher: Bencher<'_, '_>, method: &Method, target: &CallTarget, headers: &HeaderMap, body: &[u8]) {
    let settings = settings();
    let judge = Judge::new(settings.policy());
    let credentials = Credentials::read(headers, settings.profile);
    let credentials = credentials.expect("one Authorization at most");
    let judge = || -> Judgement {
        judge.judge(&RawCall {
            method,
            target,
            credentials: &credentials,
            content: ContentHeaders::of(headers),
            body,
        })
    };
    assert!(matches!(judge().outcome, Outcome::Forward(_)));
    bencher.bench(judge);
}
