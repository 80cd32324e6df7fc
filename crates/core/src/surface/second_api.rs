//! The plugin's second API, `tec/v1`: the calls that the site would refuse whatever their content, and the cost of one.

use http::Method;

use super::surface_request::{SurfaceRequest, is_below};
use super::surface_verdict::SurfaceVerdict;
use crate::limits::rates::CostClass;
use crate::settings::{Mode, Settings, SurfaceCallers, SurfaceRefusal, SurfaceRule};
use calendar_edge_judge::contract::{PublishedRoutes, SECOND_NAMESPACE, TablesInForce};
use calendar_edge_judge::routing::SiteTarget;

/// The name of its rules.
pub(super) const SECOND_API: &str = "second_api";

/// The rules that hold for calls to the second API, in the mode of the edge.
#[derive(Debug)]
pub(super) struct SecondApi {
    /// The routes that each root publishes; none: not known, and every call passes.
    routes: Option<Vec<PublishedRoutes>>,
    is_judged: bool,
    unpublished: SurfaceRule,
    reads: SurfaceRule,
    /// WordPress looks at the arguments of a write first, and refuses bad ones with 400.
    writes: SurfaceRule,
}

// === impl SecondApi ===

impl SecondApi {
    pub(super) fn new(settings: &Settings, tables: &TablesInForce) -> Self {
        let rule = |callers, answer| SurfaceRule {
            name: SECOND_API.to_owned(),
            mode: settings.mode,
            callers,
            answer,
            ..SurfaceRule::default()
        };
        Self {
            routes: tables.second(),
            is_judged: settings.mode != Mode::Off,
            unpublished: rule(SurfaceCallers::Nobody, SurfaceRefusal::NotFound),
            reads: rule(SurfaceCallers::Anybody, SurfaceRefusal::Unauthorized),
            writes: rule(SurfaceCallers::Credentials, SurfaceRefusal::Unauthorized),
        }
    }

    /// The verdict about a call; none for other requests, and where the routes are not known.
    pub(super) fn judge(&self, request: &SurfaceRequest<'_>) -> Option<SurfaceVerdict<'_>> {
        let route = route(request).filter(|_| self.is_judged)?;
        let mut roots = self.routes.as_ref()?.iter();
        let rule = if !roots.any(|routes| routes.take(&request.method, route)) {
            &self.unpublished
        } else if request.method.is_safe() {
            &self.reads
        } else {
            &self.writes
        };
        Some(SurfaceVerdict::of(rule, request))
    }
}

/// The cost of a call, which is that of a call to the calendar; none for other requests.
pub(super) fn cost(request: &SurfaceRequest<'_>) -> Option<CostClass> {
    let below = route(request)?.strip_prefix(SECOND_NAMESPACE)?;
    let is_record = below.split('/').any(|segment| segment.parse::<u64>().is_ok());
    Some(match request.method {
        Method::GET | Method::HEAD if !is_record && !matches!(below, "" | "/docs") => CostClass::List,
        ref method if method.is_safe() => CostClass::Item,
        _ => CostClass::Write,
    })
}

fn route<'a>(request: &'a SurfaceRequest<'_>) -> Option<&'a str> {
    match &request.target {
        SiteTarget::Route(route) if is_below(route, SECOND_NAMESPACE) => Some(route),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use calendar_edge_judge::contract::{PublishedIndex, TableInForce};
    use calendar_edge_judge::routing::Roots;
    use serde::Deserialize;

    use super::super::SurfaceRules;
    use super::*;
    use crate::settings::{OtherTraffic, SurfacePattern};

    const INDEX: &str = include_str!("../../../../fixtures/contract/second-index.json");
    const CALENDAR: &str = include_str!("../../../../fixtures/contract/index.json");
    const RECORDED: &str = include_str!("../../../../fixtures/contract/second-requests.jsonl");

    /// A request, and the response of the site.
    #[derive(Deserialize)]
    struct Recorded {
        request: String,
        login: bool,
        status: u16,
        code: Option<String>,
    }

    fn settings(mode: Mode) -> Settings {
        let mut settings = Settings::for_origin("http://127.0.0.1/wp-json".parse().expect("a URL"));
        (settings.other, settings.mode) = (OtherTraffic::Forward, mode);
        settings
    }

    fn tables() -> TablesInForce {
        let second = serde_json::from_str(INDEX).expect("the fixture is JSON");
        let index = PublishedIndex::read(CALENDAR.as_bytes(), "tribe/events/v1").expect("an index");
        let index = index.with_second(PublishedRoutes::of_document(&second));
        TablesInForce::new(vec![Arc::new(TableInForce::over(&index))])
    }

    fn head(request: &str, has_login: bool) -> http::request::Parts {
        let (method, target) = request.split_once(' ').expect("a method and a target");
        let mut head = http::Request::builder().method(method).uri(target);
        if has_login {
            head = head.header("authorization", "Basic YTpi");
        }
        head.body(()).expect("a request").into_parts().0
    }

    /// The name of the rule that takes a request, and status and code of its refusal if it is refused.
    fn judged(
        settings: &Settings,
        tables: &TablesInForce,
        request: &str,
        has_login: bool,
    ) -> Option<(String, Option<(u16, String)>)> {
        let head = head(request, has_login);
        let rules = SurfaceRules::new(settings, tables);
        let request = SurfaceRequest::of(&Roots::new(&settings.policy()), &head);
        let verdict = rules.judge(&request)?;
        let refusal = verdict.refusal();
        let refused = || (refusal.status().as_u16(), refusal.code().to_owned());
        Some((verdict.rule.name.clone(), verdict.is_refused().then(refused)))
    }

    #[test]
    fn every_refusal_is_that_of_the_site() {
        let (settings, tables) = (settings(Mode::Enforce), tables());
        let (mut refused, mut earlier) = (0, 0);
        for line in RECORDED.lines() {
            let recorded: Recorded = serde_json::from_str(line).expect("a request");
            let site = recorded.code.map(|code| (recorded.status, code));
            let (rule, ours) = judged(&settings, &tables, &recorded.request, recorded.login).expect(line);
            assert_eq!(rule, SECOND_API);
            let is_unrouted = matches!(&site, Some((404, code)) if code == "rest_no_route");
            match ours {
                // Before the site looks at the arguments.
                Some((401, _)) if recorded.status == 400 && !recorded.request.starts_with("GET ") => {
                    earlier += 1;
                }
                Some(ours) => {
                    refused += 1;
                    assert_eq!(Some(ours), site, "{line}");
                }
                None => assert!(!is_unrouted || recorded.request.starts_with("HEAD "), "{line}"),
            }
        }
        assert_eq!((refused, earlier), (60, 3));
    }

    #[test]
    fn nothing_is_refused_that_may_be_published() {
        let unknown = TablesInForce::default();
        let judge = |mode, tables: &TablesInForce, request| judged(&settings(mode), tables, request, false);
        for request in ["GET /wp-json/tec/v1/nowhere", "POST /wp-json/tec/v1/events"] {
            assert_eq!(judge(Mode::Enforce, &unknown, request), None);
            assert_eq!(judge(Mode::Off, &tables(), request), None);
            let reported = judge(Mode::Report, &tables(), request);
            assert_eq!(reported, Some((SECOND_API.to_owned(), None)));
            assert!(judge(Mode::Enforce, &tables(), request).is_some_and(|(_, refused)| refused.is_some()));
        }
        assert_eq!(
            judge(Mode::Enforce, &tables(), "GET /wp-json/tec/v10/nowhere"),
            None
        );
        // Of several roots one is enough.
        let pro = INDEX.replace("/tec/v1/docs", "/tec/v1/series");
        let index = PublishedIndex::read(CALENDAR.as_bytes(), "tribe/events/v1").expect("an index");
        let index = index.with_second(PublishedRoutes::of_document(
            &serde_json::from_str(&pro).expect("JSON"),
        ));
        let pro = Arc::new(TableInForce::over(&index));
        let both = TablesInForce::new(vec![Arc::clone(tables().of_root(0)), Arc::clone(&pro)]);
        let one = TablesInForce::new(vec![pro, TableInForce::unread()]);
        for (tables, request, is_refused) in [
            (&both, "GET /wp-json/tec/v1/series", Some(false)),
            (&both, "GET /wp-json/tec/v1/docs", Some(false)),
            (&both, "GET /wp-json/tec/v1/nowhere", Some(true)),
            (&one, "GET /wp-json/tec/v1/nowhere", None),
        ] {
            let found = judge(Mode::Enforce, tables, request).map(|(_, refused)| refused.is_some());
            assert_eq!(found, is_refused, "{request}");
        }
    }

    #[test]
    fn a_rule_of_the_operator_and_the_api_both_hold() {
        let mut settings = settings(Mode::Enforce);
        settings.surface = vec![SurfaceRule {
            name: "closed".to_owned(),
            routes: vec![SurfacePattern::parse("tec/v1").expect("a preset")],
            callers: SurfaceCallers::Credentials,
            mode: Mode::Enforce,
            ..SurfaceRule::default()
        }];
        for (request, has_login, expected) in [
            ("GET /wp-json/tec/v1/events", false, "closed"),
            ("GET /wp-json/tec/v1/events", true, "closed"),
            ("GET /wp-json/tec/v1/nowhere", true, SECOND_API),
        ] {
            let found = judged(&settings, &tables(), request, has_login).map(|(rule, _)| rule);
            assert_eq!(found.as_deref(), Some(expected), "{request} {has_login}");
        }
    }

    #[test]
    fn a_call_costs_what_one_to_the_calendar_does() {
        let settings = settings(Mode::Off);
        let rules = SurfaceRules::new(&settings, &TablesInForce::default());
        let roots = Roots::new(&settings.policy());
        for (request, expected) in [
            ("GET /wp-json/tec/v1/events", Some(CostClass::List)),
            ("HEAD /?rest_route=/tec/v1/venues", Some(CostClass::List)),
            ("GET /wp-json/tec/v1/events/7", Some(CostClass::Item)),
            ("GET /wp-json/TEC/v1", Some(CostClass::Item)),
            ("GET /wp-json/tec/v1/docs", Some(CostClass::Item)),
            ("OPTIONS /wp-json/tec/v1/events", Some(CostClass::Item)),
            ("POST /wp-json/tec/v1/events", Some(CostClass::Write)),
            (
                "GET /wp-json/tec/v1/events/7?_method=DELETE",
                Some(CostClass::Write),
            ),
            ("GET /wp-json/tec/v10/events", None),
            ("GET /wp-json/wp/v2/posts", None),
        ] {
            let head = head(request, false);
            assert_eq!(
                rules.cost(&SurfaceRequest::of(&roots, &head)),
                expected,
                "{request}"
            );
        }
    }
}
