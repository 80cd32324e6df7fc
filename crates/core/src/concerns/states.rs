//! The table of states: figures and settings in; word of the page, first sentence, `/readyz` and alert out.

use std::time::Duration;

use http::{HeaderMap, StatusCode, header};

use super::*;
use crate::limits::Position;
use crate::relay::{CallContext, judge_whole};
use crate::settings::{MarkKey, Mode, Settings};
use crate::unix_time::UnixTime;

/// A state: its name, what differs from a site that is fine, then word, beginning of the first sentence, status of
/// `/readyz` and of `/readyz?backend=1`, and alert.
type StateRow = (
    &'static str,
    fn(&mut Figures, &mut Settings),
    &'static str,
    &'static str,
    (u16, u16),
    Option<&'static str>,
);

const NOW: UnixTime = UnixTime::from_secs(2_000_000_000);

const HTML: &str = "text/html; charset=UTF-8";

const JSON: &str = "application/json; charset=UTF-8";

fn before(seconds: u64) -> UnixTime {
    NOW.saturating_sub(Duration::from_secs(seconds))
}

/// A backend that got no request yet.
fn unused(name: &str, is_site: bool) -> BackendFigures {
    BackendFigures {
        name: name.to_owned(),
        is_site,
        breaker: Position::Closed,
        calls: Exchanges::default(),
        pages: Exchanges::default(),
        traffic: Vec::new(),
    }
}

/// Exchanges that ended with this fault, one each second until this many seconds ago.
fn ends(exchanges: &mut Exchanges, fault: Option<&SiteFault>, count: u64, until: u64) {
    for second in (until..until + count).rev() {
        exchanges.end(fault.cloned(), Duration::from_millis(80), before(second));
    }
}

fn site(figures: &mut Figures) -> &mut BackendFigures {
    &mut figures.backends[0]
}

/// The site responds to all calls with this status, type and body.
fn responds(figures: &mut Figures, status: u16, kind: &str, body: &str) {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, kind.parse().expect("a type"));
    let status = StatusCode::from_u16(status).expect("a status");
    let call = CallContext::of_own_request(0, "/wp-json/");
    let fault = match judge_whole((status, &headers, body.as_bytes()), &call) {
        Err(failure) => SiteFault::of(&failure),
        Ok(()) => SiteFault::of_status(status),
    };
    fails(figures, &fault.expect("a fault"));
}

/// All calls fail in this way.
fn fails(figures: &mut Figures, fault: &SiteFault) {
    let calls = &mut site(figures).calls;
    *calls = Exchanges::default();
    ends(calls, Some(fault), 75, 1);
}

/// All calls fail before a response.
fn unreached(figures: &mut Figures, what: &str, advice: &str) {
    fails(figures, &fault(what, advice));
}

fn fault(what: &str, advice: &str) -> SiteFault {
    SiteFault {
        what: what.to_owned(),
        advice: advice.to_owned(),
    }
}

fn fine() -> (Figures, Settings) {
    let mut figures = Figures {
        backends: vec![unused("http://wp.example", true)],
        companion: CompanionState::Alive,
        ..Figures::default()
    };
    figures.lately.span = Duration::from_mins(1);
    figures.lately.requests = 100;
    ends(&mut site(&mut figures).calls, None, 60, 1);
    let settings = Settings::for_origin("http://wp.example/wp-json".parse().expect("a URL"));
    (figures, settings)
}

fn candidate(figures: &mut Figures) -> &mut BackendFigures {
    figures.backends.push(unused("next", false));
    &mut figures.backends[1]
}

fn fleet(figures: &mut Figures) -> &mut FleetFigures {
    figures.fleet.insert(FleetFigures {
        versions: 1,
        configurations: 1,
        ..FleetFigures::default()
    })
}

fn secret(settings: &mut Settings) {
    settings.origin.mark_key = MarkKey::new(b"a secret of thirty-two characters").ok();
}

fn plugin_refuses(figures: &mut Figures, code: &str) {
    let body = format!(r#"{{"code":"{code}","message":"No.","data":{{"status":403}}}}"#);
    responds(figures, 403, JSON, &body);
}

const fn used(used: u64) -> Usage {
    Usage { used, limit: 100 }
}

const READY: (u16, u16) = (200, 200);

const NO_BACKEND: (u16, u16) = (200, 503);

const SITE_FAILS: Option<&str> = Some("SiteFails");

#[rustfmt::skip]
const STATES: &[StateRow] = &[
    // The site.
    ("fine", |_, _| {}, "Yes", "http://wp.example responds: 60 exchanges in the last 5 minutes, none failed.", READY, None),
    ("one of many failed", |f, _| { ends(&mut site(f).calls, Some(&fault("x", "y")), 1, 100); ends(&mut site(f).calls, None, 60, 0); }, "Yes", "http://wp.example responds: 121 exchanges in the last 5 minutes, 1 failed.", READY, None),
    ("never used", |f, _| site(f).calls = Exchanges::default(), "Unknown", "No exchange with http://wp.example has ended since the start", READY, None),
    ("quiet for ten minutes", |f, _| { site(f).calls = Exchanges::default(); ends(&mut site(f).calls, None, 3, 600); }, "Yes", "No request reached http://wp.example in the last 5 minutes; the last exchange, 10 min ago, succeeded.", READY, None),
    ("quiet for an hour", |f, _| { site(f).calls = Exchanges::default(); ends(&mut site(f).calls, None, 3, 3700); }, "Yes", "No request reached http://wp.example in the last hour; the last exchange, 61 min ago, succeeded.", READY, None),
    ("failed, then not used", |f, _| { site(f).calls = Exchanges::default(); ends(&mut site(f).calls, Some(&fault("x", "y")), 3, 3700); }, "Unknown", "The last exchange with http://wp.example, 61 min ago, failed, and none followed", READY, None),
    ("PHP dead, 502", |f, _| responds(f, 502, HTML, "<h1>502 Bad Gateway</h1>"), "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The origin responded with an HTML page (502 Bad Gateway). The web server has no response of PHP", NO_BACKEND, SITE_FAILS),
    ("PHP dead, 503", |f, _| responds(f, 503, HTML, "<h1>503</h1>"), "No", "http://wp.example fails: 75 of 75 exchanges", NO_BACKEND, SITE_FAILS),
    ("PHP dead, 504", |f, _| responds(f, 504, HTML, "<h1>504</h1>"), "No", "http://wp.example fails: 75 of 75 exchanges", NO_BACKEND, SITE_FAILS),
    ("PHP dead, 404 File not found", |f, _| responds(f, 404, HTML, "File not found.\n"), "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The origin responded with an HTML page (404 Not Found)", NO_BACKEND, SITE_FAILS),
    ("an empty 200", |f, _| responds(f, 200, HTML, ""), "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The origin responded (200 OK) without a body. PHP ended without a response", NO_BACKEND, SITE_FAILS),
    ("HTML with 200", |f, _| responds(f, 200, HTML, "<!doctype html><p>Hello"), "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The origin responded with an HTML page (200 OK)", NO_BACKEND, SITE_FAILS),
    ("PHP prints before JSON", |f, _| responds(f, 200, JSON, "Warning: x {}"), "No", "http://wp.example fails", NO_BACKEND, SITE_FAILS),
    ("cut off", |f, _| responds(f, 200, JSON, r#"{"events":["#), "No", "http://wp.example fails", NO_BACKEND, SITE_FAILS),
    ("database down", |f, _| responds(f, 500, HTML, "<h1>Error establishing a database connection</h1>"), "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The site cannot reach its database. Check that the site's database runs", NO_BACKEND, SITE_FAILS),
    ("maintenance", |f, _| responds(f, 503, HTML, "Briefly unavailable for scheduled maintenance. Check back in a minute."), "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The site is in maintenance mode.", NO_BACKEND, SITE_FAILS),
    ("fatal error", |f, _| responds(f, 500, JSON, r#"{"code":"internal_server_error","message":"x"}"#), "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. PHP ended with an error.", NO_BACKEND, SITE_FAILS),
    ("500 in JSON", |f, _| responds(f, 500, JSON, r#"{"code":"db","message":"x"}"#), "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The site responded with status 500.", NO_BACKEND, SITE_FAILS),
    ("a firewall", |f, _| responds(f, 403, HTML, "<h1>Forbidden</h1>"), "No", "http://wp.example fails", NO_BACKEND, SITE_FAILS),
    ("refused", |f, _| unreached(f, "the origin refused the connection", "nothing listens there"), "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The origin refused the connection. Nothing listens there.", NO_BACKEND, SITE_FAILS),
    ("no name", |f, _| unreached(f, "the origin's name could not be resolved", "check the host"), "No", "http://wp.example fails", NO_BACKEND, SITE_FAILS),
    ("TLS", |f, _| unreached(f, "TLS with the origin failed", "check the certificate"), "No", "http://wp.example fails", NO_BACKEND, SITE_FAILS),
    ("hanging", |f, _| unreached(f, "the origin did not begin its response in time", "the site is slow"), "No", "http://wp.example fails", NO_BACKEND, SITE_FAILS),
    ("fails for a moment", |f, _| ends(&mut site(f).calls, Some(&fault("x", "y")), 1, 0), "Look below", "http://wp.example fails: 1 of 61 exchanges", READY, SITE_FAILS),
    ("fails since three", |f, _| ends(&mut site(f).calls, Some(&fault("x", "y")), 3, 0), "No", "http://wp.example fails: 3 of 63 exchanges", NO_BACKEND, SITE_FAILS),
    ("each fourth fails", |f, _| for at in 1..20 { ends(&mut site(f).calls, Some(&fault("x", "y")), u64::from(at < 15), 0); ends(&mut site(f).calls, None, 1, 0); }, "Look below", "http://wp.example fails at times: 14 of 93 exchanges", READY, SITE_FAILS),
    ("nearly all fail", |f, _| { fails(f, &fault("x", "y")); ends(&mut site(f).calls, None, 1, 0); }, "No", "http://wp.example fails at times: 75 of 76 exchanges", READY, SITE_FAILS),
    ("responds again", |f, _| { fails(f, &fault("x", "y")); ends(&mut site(f).calls, None, 80, 0); }, "Look below", "http://wp.example fails at times: 75 of 155 exchanges", READY, SITE_FAILS),
    ("slow", |f, _| for _ in 0..20 { site(f).calls.end(None, Duration::from_secs(2), before(1)); }, "Look below", "http://wp.example is slow: 20 of its 80 responses", READY, Some("Slow")),
    ("one of two sites down", |f, _| { let mut other = unused("http://de.example", true); ends(&mut other.calls, Some(&fault("x", "y")), 9, 0); f.backends.push(other); }, "No", "http://de.example fails: 9 of 9", READY, SITE_FAILS),
    ("pages fail", |f, _| ends(&mut site(f).pages, Some(&fault("x", "y")), 9, 0), "No", "Pages of http://wp.example fail: 9 of 9", READY, SITE_FAILS),
    ("a circle", |f, _| { f.is_circle = true; fails(f, &fault("x", "y")); }, "No", "origin.url leads back to this edge", (503, 503), Some("Circle")),
    ("breaker open", |f, _| site(f).breaker = Position::Open, "No", "The breaker of http://wp.example is open", READY, Some("BreakerOpen")),
    ("breaker half-open", |f, _| site(f).breaker = Position::HalfOpen, "Look below", "The breaker of http://wp.example is half-open", READY, Some("BreakerOpen")),
    ("candidate away", |f, _| ends(&mut candidate(f).calls, Some(&fault("x", "y")), 9, 0), "Look below", "The candidate next fails: 9 of 9", READY, Some("CandidateFails")),
    ("candidate idle", |f, _| { candidate(f); }, "Yes", "http://wp.example responds", READY, None),
    ("rule returned", |f, _| f.returned = vec![("moved".to_owned(), "3 of 10 calls failed".to_owned())], "No", "The guard has returned the calls of rule moved to the site: 3 of 10 calls failed.", READY, Some("RuleReturned")),
    // The companion plugin.
    ("plugin alive", |_, s| secret(s), "Yes", "http://wp.example responds", READY, None),
    ("plugin silent without clients", |f, s| { secret(s); f.companion = CompanionState::Silent; }, "Yes", "http://wp.example responds", READY, None),
    ("plugin removed, or silent", |f, s| { secret(s); f.companion = CompanionState::Missed; }, "Look below", "The companion plugin gives no sign", READY, Some("CompanionSilent")),
    ("another secret", |f, s| { secret(s); plugin_refuses(f, "calendar_edge_mark_invalid"); }, "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The companion plugin of the site refused the call (calendar_edge_mark_invalid). The mark does not fit: check that origin.secret_file", NO_BACKEND, SITE_FAILS),
    ("no secret at the edge", |f, _| plugin_refuses(f, "calendar_edge_mark_missing"), "No", "http://wp.example fails", NO_BACKEND, SITE_FAILS),
    ("clock off by two minutes", |f, s| { secret(s); plugin_refuses(f, "calendar_edge_mark_expired"); }, "No", "http://wp.example fails: 75 of 75 exchanges in the last 5 minutes. The companion plugin of the site refused the call (calendar_edge_mark_expired). The clocks of the edge and of the site differ", NO_BACKEND, SITE_FAILS),
    ("no plugin", |f, _| f.companion = CompanionState::Unseen, "Yes", "http://wp.example responds", READY, None),
    ("plugin and no client", |f, s| { secret(s); f.companion = CompanionState::Unseen; site(f).calls = Exchanges::default(); }, "Unknown", "No exchange with", READY, None),
    // The edge.
    ("draining", |f, _| f.is_draining = true, "Look below", "The edge is draining", (503, 503), None),
    ("reload refused", |f, _| f.is_reload_refused = true, "No", "The changed configuration was refused", READY, Some("ReloadRefused")),
    ("state_dir full", |f, _| f.unwritten = Some(("/s/feed".to_owned(), "No space left on device".to_owned())), "Look below", "/s/feed cannot be written (No space left on device)", READY, Some("StateUnwritten")),
    ("state_dir read-only", |f, _| f.unwritten = Some(("/s/feed".to_owned(), "Read-only file system".to_owned())), "Look below", "/s/feed cannot be written (Read-only file system)", READY, Some("StateUnwritten")),
    ("certificate for a month", |f, _| f.certificate = Some(NOW.saturating_add(Duration::from_hours(30 * 24))), "Yes", "http://wp.example responds", READY, None),
    ("certificate for two weeks", |f, _| f.certificate = Some(NOW.saturating_add(Duration::from_hours(14 * 24))), "Look below", "The certificate expires in 14 d", READY, Some("CertificateExpires")),
    ("certificate for a week", |f, _| f.certificate = Some(NOW.saturating_add(Duration::from_hours(6 * 24))), "No", "The certificate expires in 6 d", READY, Some("CertificateExpires")),
    ("certificate has ended", |f, _| f.certificate = Some(before(1)), "No", "The certificate has expired", READY, Some("CertificateExpires")),
    ("untrusted proxy", |f, _| f.untrusted_proxy = Some([10, 0, 0, 9].into()), "Look below", "All requests come from 10.0.0.9 and name other clients", READY, Some("ProxyUntrusted")),
    ("mode report", |_, s| s.mode = Mode::Report, "Yes", "http://wp.example responds", READY, None),
    ("mode off", |_, s| s.mode = Mode::Off, "Yes", "http://wp.example responds", READY, None),
    // Load.
    ("clients get errors", |f, _| f.lately.failed = 5, "No", "5 of 100 requests of the last 60 s ended with a 5xx status", READY, Some("Errors")),
    ("few errors", |f, _| f.lately.failed = 4, "Yes", "http://wp.example responds", READY, None),
    ("no permit", |f, _| f.lately.shed = [("wp".to_owned(), 3)].into(), "No", "3 requests of the last 60 s got no permit of wp", READY, Some("Shedding")),
    ("overloaded", |f, _| f.lately.overloaded = 2, "No", "2 requests of the last 60 s were refused for load", READY, Some("Shedding")),
    ("queue full", |f, _| site(f).traffic = vec![("calls", PermitUsage { permits: used(100), queue: used(51) })], "Look below", "51 of at most 100 requests (calls) wait for http://wp.example", READY, Some("PermitsUsedUp")),
    ("permits in use, none waits", |f, _| site(f).traffic = vec![("calls", PermitUsage { permits: used(100), queue: used(0) })], "Yes", "http://wp.example responds", READY, None),
    ("connections used up", |f, _| f.connections = used(91), "Look below", "91 of at most 100 connections", READY, Some("ConnectionsUsedUp")),
    ("files used up", |f, _| f.files = used(91), "Look below", "91 of at most 100 files", READY, Some("FilesUsedUp")),
    ("memory of bodies", |f, _| f.requests = used(96), "No", "Bodies of requests take 96 %", READY, Some("BuffersUsedUp")),
    ("memory of responses", |f, _| f.responses = used(85), "Look below", "Bodies of responses take 85 %", READY, Some("BuffersUsedUp")),
    ("memory of the process", |f, _| f.process = used(85), "Look below", "The process takes 85 %", READY, None),
    ("robots' budget used", |f, _| f.lately.robots = 9, "Yes", "http://wp.example responds", READY, None),
    ("logins refused", |f, _| f.lately.logins = 9, "Yes", "http://wp.example responds", READY, None),
    ("rate limits", |f, _| f.lately.limited = 9, "Yes", "http://wp.example responds", READY, None),
    // The edge's facts about the site.
    ("index unread", |f, _| f.is_index_unread = true, "Look below", "The index of the site cannot be read", READY, Some("IndexUnread")),
    ("index changed", |f, _| f.roots = vec![("/wp-json".to_owned(), 2)], "Yes", "http://wp.example responds", READY, None),
    ("pages stopped", |f, _| f.stopped_by = Some("/events/2127-05/".to_owned()), "No", "The edge sends no calendar pages: it took /events/2127-05/ for empty", READY, Some("PagesFailed")),
    ("pages hindered", |f, s| { f.hindrance = Some("no facts".to_owned()); s.calendar_pages.mode = Mode::Enforce; }, "Yes", "http://wp.example responds", READY, None),
    // The fleet.
    ("fleet together", |f, _| { fleet(f); }, "Yes", "http://wp.example responds", READY, None),
    ("store away", |f, _| fleet(f).fault = Some("refused".to_owned()), "Look below", "The fleet's store cannot be used (refused)", READY, Some("Alone")),
    ("store's clock off by two minutes", |f, _| fleet(f).clock_off = Duration::from_mins(2), "Look below", "The clocks of this edge and of the store differ by 2 min", READY, Some("ClockOff")),
    ("fleet differs", |f, _| fleet(f).versions = 2, "Yes", "http://wp.example responds", READY, None),
];

#[test]
fn each_state_has_its_word_sentence_readiness_and_alert() {
    for (name, change, expected, sentence, ready, alert) in STATES {
        let (mut figures, mut settings) = fine();
        change(&mut figures, &mut settings);
        let found = concerns(&figures, &settings, NOW);
        let first = found.first().expect(name);
        assert_eq!(word(&found), *expected, "{name}: {found:#?}");
        assert!(first.sentence.starts_with(sentence), "{name}: {}", first.sentence);
        assert_eq!(first.alert, *alert, "{name}");
        let status = |asked: &[ReadinessEffect]| {
            let fails = found.iter().any(|concern| asked.contains(&concern.readiness));
            if fails { 503 } else { 200 }
        };
        let own = status(&[ReadinessEffect::NotReady]);
        let whole = status(&[ReadinessEffect::NotReady, ReadinessEffect::NoBackend]);
        assert_eq!((own, whole), *ready, "{name}");
    }
}

/// Notes do not come first: they are looked for.
#[test]
fn what_explains_other_figures_is_a_note() {
    for (state, concern) in [
        ("index changed", "index_differs"),
        ("pages hindered", "pages_hindered"),
        ("robots' budget used", "robots_limited"),
        ("logins refused", "logins_refused"),
        ("rate limits", "rate_limited"),
        ("no plugin", "no_plugin"),
        ("plugin and no client", "plugin_unseen"),
        ("mode report", "mode_report"),
        ("mode off", "mode_off"),
        ("fleet differs", "fleet_differs"),
    ] {
        let (mut figures, mut settings) = fine();
        let change = STATES.iter().find(|row| row.0 == state).expect(state).1;
        change(&mut figures, &mut settings);
        let found = concerns(&figures, &settings, NOW);
        let found = found.iter().find(|found| found.name == concern).expect(state);
        assert_eq!(found.level, Gravity::Note, "{state}");
    }
}

#[test]
fn sums_since_the_start_become_those_of_the_last_minute() {
    let sums = |count: u64| Lately {
        span: Duration::from_secs(count),
        requests: count * 10,
        shed: [("wp".to_owned(), count)].into(),
        ..Lately::default()
    };
    let lately = sums(90).since(&sums(30));
    assert_eq!((lately.span, lately.requests), (Duration::from_mins(1), 600));
    assert_eq!(lately.shed["wp"], 60);
}

#[test]
fn every_row_occurs_in_a_state_and_every_sentence_is_one() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, change, ..) in STATES {
        let (mut figures, mut settings) = fine();
        change(&mut figures, &mut settings);
        for concern in concerns(&figures, &settings, NOW) {
            assert!(concern.sentence.ends_with('.'), "{name}: {}", concern.sentence);
            assert!(!concern.sentence.contains(".."), "{name}: {}", concern.sentence);
            seen.insert(concern.name);
        }
    }
    let rows: std::collections::BTreeSet<_> = CONCERN_ROWS.iter().map(|row| row.name).collect();
    assert_eq!(seen, rows);
}
