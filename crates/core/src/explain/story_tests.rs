//! Explanations by settings, and by the state of the edge that runs with them.

use http::header::{AUTHORIZATION, COOKIE};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Value, json};

use super::{Basis, TypedRequest, explain};
use crate::cache::CompanionSigns;
use crate::errors::ORIGIN_UNAVAILABLE;
use crate::settings::{
    CandidateSettings, CutoverRule, GuardSettings, Mode, OperationPattern, OriginNamespace, OtherTraffic,
    Percentage, Profile, Settings,
};
use crate::unix_time::UnixTime;
use calendar_edge_judge::contract::TablesInForce;

const NOW: UnixTime = UnixTime::from_secs(500_000 * 3600);
const VENUES: &str = "/wp-json/calendar/events/v1/venues";

fn settings() -> Settings {
    let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().expect("a URL"));
    settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
    settings
}

fn request(method: Method, target: &'static str) -> TypedRequest {
    TypedRequest {
        method,
        target: PathAndQuery::from_static(target),
        headers: HeaderMap::new(),
        body: String::new(),
        assumed_type: None,
        client: Some([127, 0, 0, 1].into()),
    }
}

/// Returned rules, each with its reason, and the signs of the companion plugin.
type KnownToEdge<'a> = (&'a [(&'a str, &'a str)], Option<CompanionSigns>);

const NOTHING: KnownToEdge<'_> = (&[], None);

/// The story of a request, with these facts of the running edge.
fn story(settings: &Settings, request: &TypedRequest, (returned, companion): KnownToEdge<'_>) -> Value {
    let returned = returned
        .iter()
        .map(|(rule, reason)| ((*rule).to_owned(), (*reason).to_owned()));
    let basis = Basis {
        settings,
        tables: &TablesInForce::default(),
        now: NOW,
        write: |backend, _, _, _| Ok(json!({"url": backend.name})),
        companion,
        returned: returned.collect(),
        zone: None,
        page: &|target| json!({"because": target}),
    };
    explain(request, &basis)
}

fn status(profile: Profile, name: HeaderName, value: &'static str) -> Option<u64> {
    with_header(profile, name, value)["response"]["status"].as_u64()
}

fn with_header(profile: Profile, name: HeaderName, value: &'static str) -> Value {
    let mut settings = settings();
    settings.profile = profile;
    let mut request = request(Method::DELETE, "/wp-json/calendar/events/v1/events/7");
    request.headers.insert(name, HeaderValue::from_static(value));
    story(&settings, &request, NOTHING)
}

#[test]
fn a_refusal_by_the_head_names_the_route_too() {
    let story = with_header(Profile::Strict, AUTHORIZATION, "Digest x");
    assert_eq!(story["outcome"], "refused");
    assert_eq!(story["route"], "/{namespace}/events/{id}");
}

#[test]
fn the_strict_profile_accepts_fewer_credentials() {
    for (name, value, strict) in [
        (AUTHORIZATION, "Basic YTpi", None),
        (AUTHORIZATION, "Digest x", Some(400)),
        (COOKIE, "wordpress_logged_in_1=a", Some(401)),
    ] {
        assert_eq!(status(Profile::Compatible, name.clone(), value), None, "{value}");
        assert_eq!(status(Profile::Strict, name, value), strict, "{value}");
    }
}

/// A rule that gives all reads of venues to another backend.
fn moved() -> Settings {
    let mut settings = settings();
    let next = "http://next.example/api".parse().expect("a URL");
    settings.backends = vec![CandidateSettings::at("next".to_owned(), next)];
    settings.cutover = vec![CutoverRule {
        name: "moved".to_owned(),
        backend: "next".to_owned(),
        operations: vec![OperationPattern::parse("venues.*").expect("a pattern")],
        guard: Some(GuardSettings::default()),
        ..CutoverRule::default()
    }];
    settings.cache.enabled = true;
    settings
}

#[test]
fn a_returned_rule_takes_no_client() {
    let (settings, request) = (moved(), request(Method::GET, VENUES));
    let returned = story(&settings, &request, (&[("moved", "4 of 12 calls failed")], None));
    assert_eq!(returned["request"]["url"], "origin");
    assert_eq!(
        returned["backends"],
        json!([
            {"backend": "next", "role": "responds", "share": "no client",
             "why": "rule moved is returned to the site: 4 of 12 calls failed"},
            {"backend": "origin", "role": "responds", "share": "all clients", "why": "no rule takes them"},
        ])
    );
    let taking = story(&settings, &request, NOTHING);
    assert_eq!(taking["request"]["url"], "next");
    assert_eq!(taking["backends"][0]["why"], "rule moved");
    assert_ne!(taking["cache"]["key"], returned["cache"]["key"]);
}

#[test]
fn the_key_is_that_of_the_backend_that_responds_to_all_clients() {
    let request = request(Method::GET, VENUES);
    let key = |settings: &Settings| story(settings, &request, NOTHING)["cache"]["key"].clone();
    let (moved, mut part, mut none) = (moved(), moved(), moved());
    part.cutover[0].share = Percentage::parse("10%").expect("a share");
    none.cutover.clear();
    assert_eq!(key(&part), key(&none), "the site serves most clients");
    assert_ne!(key(&moved), key(&none));
}

#[test]
fn the_lifetime_depends_on_what_the_edge_has_received() {
    let mut settings = moved();
    let request = request(Method::GET, VENUES);
    let heard = Some(CompanionSigns {
        since: NOW,
        last: NOW,
    });
    let ended_by = |settings: &Settings, edge| {
        let story = story(settings, &request, edge);
        story["cache"]["ended_by"].as_str().expect("a reason").to_owned()
    };
    let of_backend = ended_by(&settings, (&[], heard));
    assert!(
        of_backend.starts_with("`cache.fresh`,"),
        "the plugin has no changes of another backend"
    );
    settings.cutover.clear();
    assert!(ended_by(&settings, (&[], heard)).starts_with("`cache.fresh_with_purge`"));
    assert!(ended_by(&settings, NOTHING).starts_with("`cache.fresh`,"));
}

#[test]
fn an_edge_whose_site_has_not_named_its_calendar_forwards_no_call() {
    let mut settings = settings();
    settings.origin.namespace = OriginNamespace::Assumed;
    let request = request(Method::GET, VENUES);
    let unnamed = story(&settings, &request, NOTHING);
    assert_eq!(unnamed["response"]["code"], ORIGIN_UNAVAILABLE.code);
    assert_eq!(unnamed["response"]["status"], 503);
}

#[test]
fn calendar_pages_are_explained_where_they_are_answered() {
    let mut settings = settings();
    settings.other = OtherTraffic::Forward;
    let request = request(Method::GET, "/events/?x=1");
    assert_eq!(story(&settings, &request, NOTHING)["page"], Value::Null);
    settings.calendar_pages.mode = Mode::Report;
    assert_eq!(
        story(&settings, &request, NOTHING)["page"]["because"],
        "/events/?x=1"
    );
}
