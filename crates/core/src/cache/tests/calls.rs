//! The calls that are for the cache, and the lifetime of their responses.

use http::Method;

use super::*;
use crate::settings::{Mode, OperationSettings};
use calendar_edge_judge::contract::patch::ReadRecord;
use calendar_edge_judge::contract::{Action, Kind, OperationId, Route};
use calendar_edge_judge::wordpress::value::datetime::DateTurn;

fn bypass(settings: &Settings, request: &Request<Vec<u8>>) -> Option<Bypass> {
    let call = forwardable(settings, request);
    let judged = CachePolicy::new(settings).judge(&call).expect("a read");
    judged.err()
}

#[test]
fn only_anonymous_reads_that_passed_every_rule_are_for_the_cache() {
    let mut settings = settings();
    settings.allow_jsonp = true;
    for (target, field, expected) in [
        ("/events", None, None),
        ("/events/56", Some(("user-agent", "x")), None),
        ("/events", Some(("cookie", "a=b; wordpress_test_cookie=1")), None),
        ("/", None, None),
        ("/doc", None, None),
        (
            "/events",
            Some(("authorization", "Basic YTpi")),
            Some(Bypass::Authorization),
        ),
        (
            "/events",
            Some(("authorization", "x")),
            Some(Bypass::Authorization),
        ),
        (
            "/events",
            Some(("cookie", "wordpress_logged_in_1=x")),
            Some(Bypass::LoginCookie),
        ),
        (
            "/events",
            Some(("cookie", "a=b; wordpress_sec_1=x")),
            Some(Bypass::LoginCookie),
        ),
        (
            "/events",
            Some(("cookie", "wp-postpass_1=x")),
            Some(Bypass::Password),
        ),
        ("/events", Some(("x-wp-nonce", "1")), Some(Bypass::Nonce)),
        ("/events?_wpnonce=1", None, Some(Bypass::Nonce)),
        ("/events?password=x", None, Some(Bypass::Password)),
        ("/events/56?password=x", None, Some(Bypass::Password)),
        ("/events/by-slug/a?password=x", None, Some(Bypass::Password)),
        ("/events?_jsonp=f", None, Some(Bypass::Script)),
        ("/events?_envelope", None, Some(Bypass::Envelope)),
        ("/events?%20_envelope=0", None, Some(Bypass::Envelope)),
    ] {
        let fields: Vec<(&str, &str)> = field.into_iter().collect();
        let found = bypass(&settings, &request("GET", target, &fields, ""));
        assert_eq!(found, expected, "{target} {field:?}");
    }
}

#[test]
fn the_settings_switch_the_cache_off() {
    let events = request("GET", "/events", &[], "");
    let venues = request("GET", "/venues", &[], "");
    let mut off = settings();
    off.cache.enabled = false;
    assert_eq!(bypass(&off, &events), Some(Bypass::Disabled));
    let mut operation_off = settings();
    let list = OperationId {
        route: Route::Collection(Kind::Event),
        action: Action::List,
    };
    operation_off.operations.insert(
        list,
        OperationSettings {
            cache: false,
            ..OperationSettings::default()
        },
    );
    assert_eq!(bypass(&operation_off, &events), Some(Bypass::SwitchedOff));
    assert_eq!(bypass(&operation_off, &venues), None);
    // A read that `enforce` would have sent as it is passed every rule in `report` too.
    for (mode, expected) in [(Mode::Report, None), (Mode::Off, Some(Bypass::NotValidated))] {
        let mut other = settings();
        other.mode = mode;
        assert_eq!(bypass(&other, &events), expected);
    }
}

#[test]
fn writes_are_no_lookups() {
    let call = forwardable(&settings(), &request("DELETE", "/events/56", &[], ""));
    assert!(CachePolicy::new(&settings()).judge(&call).is_none());
}

#[test]
fn answers_turn_with_the_clock_where_their_arguments_do() {
    const WINDOW: &str = "start_date=2027-01-01&end_date=2027-12-31";
    for (target, expected) in [
        ("/events", DateTurn::Daily),
        ("/events?start_date=2027-01-01", DateTurn::Daily),
        (&format!("/events?{WINDOW}"), DateTurn::Never),
        (&format!("/events?{WINDOW}&ends_after=now"), DateTurn::Always),
        (&format!("/events?{WINDOW}&ends_after=tomorrow"), DateTurn::Daily),
        ("/events?start_date=today&end_date=2027-12-31", DateTurn::Daily),
        (
            "/events?start_date=%2B2%20hours&end_date=2027-12-31",
            DateTurn::Always,
        ),
        ("/events?start_date=2027-01-01&end_date=now", DateTurn::Always),
        ("/events/56", DateTurn::Never),
        ("/events/56?lang=de&_fields=id&context=view", DateTurn::Never),
        ("/venues", DateTurn::Never),
        ("/venues?only_with_upcoming=1", DateTurn::Always),
        ("/venues?only_with_upcoming=yes", DateTurn::Always),
        ("/organizers?only_with_upcoming[]=1", DateTurn::Always),
        ("/venues?only_with_upcoming=false", DateTurn::Never),
        ("/categories?search=now", DateTurn::Never),
        ("/", DateTurn::Daily),
        ("/doc", DateTurn::Daily),
    ] {
        assert_eq!(cacheable(&get(target)).turn(), expected, "{target}");
    }
}

#[test]
fn parameters_of_other_plugins_may_mean_any_moment() {
    let mut settings = settings();
    let list = OperationId {
        route: Route::Collection(Kind::Venue),
        action: Action::List,
    };
    let extra = OperationSettings {
        extra_parameters: vec!["near".to_owned()],
        ..OperationSettings::default()
    };
    settings.operations.insert(list, extra);
    let call = forwardable(&settings, &request("GET", "/venues?near=me", &[], ""));
    let judged = CachePolicy::new(&settings).judge(&call).unwrap().unwrap();
    assert_eq!(judged.turn(), DateTurn::Always);
    assert!(
        KeySpace::new(&settings.site())
            .key(judged, REACHED)
            .contains("near=me")
    );
}

#[test]
fn what_a_merge_sends_is_never_taken_for_a_valid_call() {
    let body = r#"{"title":"x"}"#;
    let json = [("content-type", "application/json")];
    let update = forwardable(&settings(), &request("PATCH", "/events/56", &json, body));
    assert!(update.validated().is_some());
    let read = update.record_read().expect("an update");
    assert_eq!(read.request().method, Method::GET);
    assert_eq!(read.request().body, None);
    assert_eq!(read.validated(), None);
    let judged = CachePolicy::new(&settings()).judge(&read);
    assert!(matches!(judged, Some(Err(Bypass::NotValidated))));
    assert_eq!(read.record_read(), None);
    let record = br#"{"modified_utc":"2026-11-20 08:39:45","status":"draft"}"#;
    let record = ReadRecord::read(record).expect("a record");
    let merged = update.merged(&record);
    let merged = merged.expect("a merged call");
    assert_eq!(merged.validated(), None);
    assert_eq!(
        merged.request().body.as_deref(),
        Some(&br#"{"title":"x","status":"draft"}"#[..])
    );
    assert_eq!(written_by(&merged), written_by(&update));
    assert_eq!(get("/").merged(&record), None);
}
