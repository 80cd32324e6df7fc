//! Tables of cases: the lines of each check about a site with these responses.

use http::{HeaderMap, HeaderName, StatusCode};

use super::check_line::{CheckLine, LineKind};
use super::obstacle::{Obstacle, ObstacleKind};
use super::responses::{Responses, SiteResponse, WantedRequest};
use super::*;
use crate::migration::checks::backends;
use crate::settings::{CandidateSettings, MarkKey, OtherTraffic, Settings};

/// The response of a site to a target: status, headers and body.
type Page<'a> = (&'a str, u16, &'a [(&'static str, &'a str)], &'a str);

/// Runs a judge until it wants no further response of a site with these pages; everything else is an empty object that
/// is not found. Returns its findings and its requests.
fn judged<T>(pages: &[Page<'_>], judge: impl Fn(&Responses) -> T) -> (T, Vec<WantedRequest>) {
    let (mut responses, mut asked) = (Responses::new(None), Vec::new());
    loop {
        let found = judge(&responses);
        let wanted = responses.take_wanted();
        if wanted.is_empty() {
            return (found, asked);
        }
        for (ask, _) in wanted {
            let page = pages.iter().find(|page| page.0 == ask.target);
            responses.learn(ask.clone(), response(page.unwrap_or(&("", 404, &[], "{}"))));
            asked.push(ask);
        }
    }
}

/// Status 0 stands for a site that does not respond in time.
fn response((_, status, headers, body): &Page<'_>) -> Result<SiteResponse, Obstacle> {
    if *status == 0 {
        return Err(Obstacle::new(ObstacleKind::Late, "too late"));
    }
    let header =
        |(name, value): &(&'static str, &str)| (HeaderName::from_static(name), value.parse().unwrap());
    Ok(SiteResponse {
        status: StatusCode::from_u16(*status).unwrap(),
        headers: headers.iter().map(header).collect::<HeaderMap>(),
        body: body.as_bytes().to_vec(),
        remote: None,
    })
}

/// An edge in front of a whole site.
fn settings() -> Settings {
    let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
    settings.origin.namespace = crate::settings::OriginNamespace::set("tribe/events/v1");
    settings.other = OtherTraffic::Forward;
    settings
}

fn key() -> MarkKey {
    MarkKey::new(b"a secret of thirty-two characters").unwrap()
}

/// Demands that a check gives one line of each kind, with these words.
fn says(
    check: fn(&Responses, &Settings) -> Vec<CheckLine>,
    settings: &Settings,
    cases: &[(Page<'_>, LineKind, &str)],
) {
    for (page, kind, words) in cases {
        let (lines, _) = judged(&[*page], |responses| check(responses, settings));
        let is_said = lines
            .iter()
            .any(|line| line.kind == *kind && line.text.contains(words));
        assert!(is_said, "{} {}: {words} is not in {lines:#?}", page.0, page.1);
    }
}

const INDEX: &str = include_str!("../../../../fixtures/contract/index.json");
const CALENDAR: &str = "/wp-json/tribe/events/v1";

/// The list of a candidate that is no WordPress.
const LIST: &str = "/wp-json/calendar/events/v1/events";

#[test]
fn a_root_is_its_index() {
    let html = [("content-type", "text/html")];
    let guard = r#"{"code":"calendar_edge_mark_missing"}"#;
    says(
        checks::roots,
        &settings(),
        &[
            (
                (CALENDAR, 200, &[], INDEX),
                LineKind::Ok,
                "the index agrees with the table",
            ),
            (
                (CALENDAR, 0, &[], ""),
                LineKind::Unusable,
                "/wp-json: http://wp.example/wp-json: too late",
            ),
            (
                (CALENDAR, 404, &[], r#"{"code":"rest_no_route"}"#),
                LineKind::Unusable,
                "lists no namespaces",
            ),
            (
                (CALENDAR, 401, &[], "{}"),
                LineKind::Unusable,
                "open to anonymous reads",
            ),
            (
                (CALENDAR, 403, &[], guard),
                LineKind::Unusable,
                "refuses the edge (calendar_edge_mark_missing)",
            ),
            (
                (CALENDAR, 404, &html, "<p>"),
                LineKind::Unusable,
                "status 404 with text/html instead of JSON: look for a plugin",
            ),
            (
                (CALENDAR, 503, &[], "<p>"),
                LineKind::Unusable,
                "status 503: PHP does not run",
            ),
        ],
    );
}

#[test]
fn a_wall_stands_if_it_refuses_calls_without_a_mark() {
    let mut settings = settings();
    settings.origin.mark_key = Some(key());
    let place = settings.site();
    for (status, body, kind) in [
        (403, r#"{"code":"calendar_edge_mark_missing"}"#, LineKind::Ok),
        (403, "{}", LineKind::Open),
        (200, "{}", LineKind::Open),
        (0, "", LineKind::Open),
    ] {
        let look = |responses: &Responses| {
            let root =
                surveyed_site::SurveyedSite::of_root(responses, &place, &place.origin.url, "origin.url");
            wall::wall(&root, "/wp-json")
        };
        let (line, asked) = judged(&[(CALENDAR, status, &[], body)], look);
        assert_eq!(line.kind, kind, "{line:?}");
        assert!(asked.iter().all(|ask| !ask.is_marked), "{asked:?}");
    }
}

#[test]
fn a_home_page_leads_to_itself_or_elsewhere() {
    let to = |location: &'static str| [("location", location)];
    let (own, other) = (to("http://wp.example/"), to("https://www.example.org/"));
    says(
        home::home,
        &settings(),
        &[
            (
                ("/", 200, &[], "<p>home"),
                LineKind::Ok,
                "the home page (status 200)",
            ),
            (("/", 301, &own, ""), LineKind::Unusable, "redirects to itself"),
            (
                ("/", 301, &other, ""),
                LineKind::Differs,
                "are redirected to https://www.example.org/",
            ),
            (
                ("/", 500, &[], "<p>"),
                LineKind::Differs,
                "status 500: PHP or WordPress failed",
            ),
            (("/", 0, &[], ""), LineKind::Unusable, "the home page: too late"),
        ],
    );
    let mut apart = settings();
    apart.other = OtherTraffic::Refuse;
    let (lines, asked) = judged(&[], |responses| home::home(responses, &apart));
    assert!(lines.is_empty() && asked.is_empty(), "the edge serves no pages");
}

#[test]
fn routes_of_editors_are_named_where_a_rule_does_not_reach_them() {
    let mut settings = settings();
    settings.read_only = true;
    let types = r#"{"tribe_events":{},"post":{}}"#;
    says(
        editors::editors,
        &settings,
        &[
            (
                ("/wp-json/wp/v2/types", 200, &[], types),
                LineKind::Loud,
                "of WordPress's own: wp/v2/tribe_events;",
            ),
            (
                ("/wp-json/", 200, &[], r#"{"namespaces":["tec/v1"]}"#),
                LineKind::Loud,
                "of WordPress's own: tec/v1;",
            ),
            (
                ("/nowhere", 200, &[], ""),
                LineKind::Note,
                "shows to no client without a login",
            ),
        ],
    );
}

#[test]
fn a_language_that_is_not_configured_is_named_with_its_place() {
    let page = |href: &str| format!("<link rel=alternate hreflang=de href={href}>");
    let (own, foreign) = (page("/de/"), page("https://example.de/"));
    let root = r#"{"namespace":"tribe/events/v1"}"#;
    let lines = |pages: &[Page<'_>]| {
        judged(pages, |responses| {
            languages::unconfigured_languages(responses, &settings())
        })
        .0
    };
    let home = ("/", 200, &[][..], own.as_str());
    let found = lines(&[home, ("/de/wp-json/tribe/events/v1", 200, &[], root)]);
    assert_eq!((found.len(), found[0].kind), (1, LineKind::Differs), "{found:?}");
    assert!(
        found[0]
            .paste
            .contains(&"origin_url = \"http://wp.example/de/wp-json\"".to_owned())
    );
    assert!(
        lines(&[home])[0]
            .text
            .contains("has no REST root at http://wp.example/de/wp-json")
    );
    assert!(
        lines(&[("/", 200, &[], &foreign)])[0]
            .text
            .contains("on another host")
    );
    assert!(lines(&[("/", 0, &[], "")]).is_empty());
}

#[test]
fn a_backend_answers_a_list() {
    let mut settings = settings();
    settings.backends.push(CandidateSettings::at(
        "next".to_owned(),
        "http://next.example/wp-json".parse().unwrap(),
    ));
    says(
        backends,
        &settings,
        &[
            (
                (LIST, 200, &[], "{}"),
                LineKind::Ok,
                "backend next: http://next.example/wp-json responds",
            ),
            (
                (LIST, 500, &[], "{}"),
                LineKind::Unusable,
                "backend next: http://next.example/wp-json: status 500 (no code)",
            ),
            (
                (LIST, 0, &[], ""),
                LineKind::Unusable,
                "backend next: http://next.example/wp-json: too late",
            ),
        ],
    );
}

#[test]
fn a_front_page_leads_to_everything_else() {
    let request = SiteRequest {
        address: "http://wp.example/".parse().unwrap(),
        namespace: None,
        public_url: None,
        access: settings().origin,
        named: None,
    };
    let find = |pages: &[Page<'_>]| judged(pages, |responses| find(responses, &request, &mut Vec::new())).0;
    let home = ("/", 200, &[][..], "<p>home");
    let document =
        r#"{"name":"Town hall","timezone_string":"Europe/Berlin","namespaces":["tribe/events/v1"]}"#;
    let root = ("/wp-json/", 200, &[][..], document);
    let found = find(&[home, root, (CALENDAR, 200, &[], INDEX)]).expect("a site");
    assert_eq!(
        (found.root.as_str(), &*found.namespace),
        ("http://wp.example/wp-json", "tribe/events/v1")
    );
    assert_eq!(
        (found.name.as_deref(), found.zone.as_deref()),
        (Some("Town hall"), Some("Europe/Berlin"))
    );
    let to_itself = [("location", "http://wp.example/")];
    for (pages, words) in [
        (&[("/", 301, &to_itself[..], "")][..], "redirects in a circle"),
        (&[("/", 0, &[], "")], "http://wp.example/: too late"),
        (&[home], "is not a WordPress site"),
        (&[home, ("/wp-json/", 401, &[], "{}")], "refuses visitors"),
        (
            &[home, ("/?rest_route=/", 200, &[], document)],
            "is only at `?rest_route=/`",
        ),
        (
            &[home, ("/wp-json/", 200, &[], r#"{"namespaces":["wp/v2"]}"#)],
            "without a calendar: it lists wp/v2",
        ),
        (
            &[home, root],
            "the index of the calendar's namespace cannot be read",
        ),
        (&[home, root, (CALENDAR, 0, &[], "")], "cannot be read: too late"),
    ] {
        let obstacle = find(pages).expect_err(words).to_string();
        assert!(obstacle.contains(words), "{words} is not in {obstacle}");
    }
}
