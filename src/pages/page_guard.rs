//! Calendar pages that can have no events: the edge responds, or counts them; all others are held to the budget of
//! robots.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};

use super::calendar_pages::CalendarPages;
use super::page_check::PageCheck;
use crate::calls::fault;
use crate::layers::{BodilessRequest, EdgeResponse, ResponseFacts};
use crate::server::response::{ResponseSource, json};
use crate::telemetry::{RefusalNote, unix_time};
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::SharedBuckets;
use calendar_edge_core::pages::{
    CalendarPage, EMPTY_CALENDAR, FormReading, PageAddress, PageJudge, PageVerdict, is_endless,
    is_public_read, shows_claims,
};
use calendar_edge_core::settings::{CalendarPageSettings, Mode};

/// Calendar pages under one set of settings.
#[derive(Debug)]
pub(crate) struct PageGuard {
    pub(crate) pages: Arc<CalendarPages>,
    pub(crate) settings: CalendarPageSettings,
    pub(crate) buckets: SharedBuckets,
    pub(crate) check: PageCheck,
}

/// A response in place of the site's.
pub(crate) enum PageResponse {
    /// A response of the edge's own.
    Own(EdgeResponse),
    /// The site's response, for which robots wait in a line of their own.
    OfRobots,
}

/// The names of the robots' budget, and of the one for requests with cookies or credentials.
const ROBOTS: &str = "calendar_pages.robots";
const CLAIMING: &str = "calendar_pages.robots.claiming";

/// A new event opens its page for all clients within this time, even if a cache keeps the edge's response.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=60");

// === impl PageGuard ===

impl PageGuard {
    /// The response to a request for the rest of the site, by its head; none if the site responds.
    pub(crate) async fn respond(&self, asked: &BodilessRequest, has_body: bool) -> Option<PageResponse> {
        if self.settings.mode == Mode::Off {
            return None;
        }
        let own = if !has_body && is_public_read(&asked.head) {
            self.respond_to_read(asked).await
        } else {
            None
        };
        match own {
            Some(own) => self.give(own).map(PageResponse::Own),
            None => self.within_budget(asked, FormReading::Absent),
        }
    }

    /// The response to a plain read; none if the budget decides.
    async fn respond_to_read(&self, asked: &BodilessRequest) -> Option<EdgeResponse> {
        // The site's number of changes is of use now.
        self.pages.companions.called();
        let (judge, uri) = (self.pages.judged_now().await?, &asked.head.uri);
        match judge.read(uri.path(), uri.query()) {
            PageAddress::Page(page) => self.in_place_of(&judge, &page),
            PageAddress::Unknown(reason) => self.forwards(reason.into()),
            PageAddress::Elsewhere => None,
        }
    }

    /// The response to a request with a form that the budget refuses.
    pub(crate) fn refuse_form(&self, asked: &BodilessRequest, form: FormReading<'_>) -> Option<EdgeResponse> {
        match self.within_budget(asked, form)? {
            PageResponse::Own(refused) => Some(refused),
            PageResponse::OfRobots => None,
        }
    }

    /// The response in place of a page that can have no events. Some of them are requested from the site, too.
    fn in_place_of(&self, judge: &PageJudge, page: &CalendarPage) -> Option<EdgeResponse> {
        let (own, is_at_end) = match judge.judge(page, unix_time()) {
            _ if judge.hindrance().is_some() => return self.forwards("hindered"),
            PageVerdict::Forward(reason) => return self.forwards(reason.into()),
            PageVerdict::Beyond { is_at_end } => (without_events(judge.page_without_events()), is_at_end),
            PageVerdict::EmptyFile => (empty_calendar(), false),
        };
        if let Some(asked) = self.pages.gives(page, is_at_end) {
            self.check.begin(asked, judge, &self.pages);
        }
        if self.pages.is_stopped() {
            return self.forwards("hindered");
        }
        Some(own)
    }

    fn forwards<T>(&self, reason: &'static str) -> Option<T> {
        self.pages.metrics.took(reason);
        None
    }

    /// Gives a response, or counts it in report mode.
    fn give(&self, own: EdgeResponse) -> Option<EdgeResponse> {
        let is_enforced = self.settings.mode == Mode::Enforce;
        self.pages
            .metrics
            .took(if is_enforced { "served" } else { "would_serve" });
        is_enforced.then_some(own)
    }

    /// The verdict of all robots' budget on a request for an endless page; none where it does not hold. Cookies and
    /// credentials prove nothing here: requests that show some have a budget of their own (T-114).
    fn within_budget(&self, asked: &BodilessRequest, form: FormReading<'_>) -> Option<PageResponse> {
        let rate = self.settings.robots.as_ref()?;
        if self.settings.mode == Mode::Off || !is_endless(&asked.head, form) {
            return None;
        }
        let has_claims = shows_claims(&asked.head);
        let budget = if has_claims { CLAIMING } else { ROBOTS };
        let client = asked.context.client.address;
        let pay = |now| self.buckets.spend_in_parts(budget, rate, client, now);
        let address = matches!(form, FormReading::Absent).then_some(&asked.head.uri);
        let passed = self.pages.pay_once(address, rate.period, pay);
        let is_enforced = self.settings.mode == Mode::Enforce;
        let Err(exceeded) = passed else {
            return (is_enforced && !has_claims).then_some(PageResponse::OfRobots);
        };
        if !is_enforced {
            return self.forwards("would_limit");
        }
        self.pages.metrics.took("limited");
        let insists = "`calendar_pages.robots` holds for all clients together, and a quarter of it for each";
        asked.refused(DecidingBody::None, RefusalNote::moment(insists));
        Some(PageResponse::Own(fault::too_fast(&exceeded)))
    }
}

fn without_events(page: Bytes) -> EdgeResponse {
    response(StatusCode::NOT_FOUND, "text/html; charset=UTF-8", page)
}

fn empty_calendar() -> EdgeResponse {
    let calendar = Bytes::from_static(EMPTY_CALENDAR.as_bytes());
    response(StatusCode::OK, "text/calendar; charset=UTF-8", calendar)
}

fn response(status: StatusCode, kind: &'static str, body: Bytes) -> EdgeResponse {
    let mut response = json(status, body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, KEPT);
    EdgeResponse {
        response,
        facts: ResponseFacts::Edge(ResponseSource::OwnRoute {
            code: "calendar_page",
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use http::header::COOKIE;
    use http::{Method, Request};

    use super::*;
    use crate::backend::OriginRoute;
    use crate::calls::fake_stage::{backends, settings};
    use crate::companion::Companions;
    use crate::telemetry::Metrics;
    use calendar_edge_core::settings::Rate;

    /// A guard without facts, whose robots have four pages a day, one of them for each address.
    fn guard(mode: Mode) -> PageGuard {
        let mut settings = settings();
        settings.calendar_pages.mode = mode;
        settings.calendar_pages.robots = Some(Rate {
            requests: 4,
            period: Duration::from_hours(24),
        });
        let companions = Companions::none(&settings);
        PageGuard {
            pages: CalendarPages::new(&settings, &companions, &Metrics::new()),
            buckets: SharedBuckets::new(None),
            check: PageCheck {
                backends: backends(&settings),
                origin: OriginRoute::of_site(&settings.site()),
                public_url: None,
            },
            settings: settings.calendar_pages,
        }
    }

    fn asked(client: u8, path: &str) -> BodilessRequest {
        let request = Request::builder().uri(path).body(()).expect("a request");
        BodilessRequest::from_client(request, IpAddr::from([192, 0, 2, client]))
    }

    /// The word for a response: the site's, the site's in the line of robots, or a status of the edge's own.
    async fn answer(guard: &PageGuard, asked: &BodilessRequest) -> String {
        let answer = guard.respond(asked, asked.head.method != Method::GET).await;
        word(answer.as_ref())
    }

    fn word(answer: Option<&PageResponse>) -> String {
        match answer {
            None => "site".to_owned(),
            Some(PageResponse::OfRobots) => "line".to_owned(),
            Some(PageResponse::Own(response)) => response.status().as_u16().to_string(),
        }
    }

    /// The responses to requests for days by one client.
    async fn days<const N: usize>(guard: &PageGuard, client: u8, days: [u8; N]) -> Vec<String> {
        let mut answers = Vec::new();
        for day in days {
            let asked = asked(client, &format!("/events/2030-01-{day:02}/"));
            answers.push(answer(guard, &asked).await);
        }
        answers
    }

    #[tokio::test]
    async fn robots_wait_in_a_line_until_their_budget_is_spent_and_what_passed_passes_again() {
        let guard = guard(Mode::Enforce);
        assert_eq!(
            days(&guard, 1, [1, 1, 2, 1]).await,
            ["line", "line", "429", "line"]
        );
        assert_eq!(days(&guard, 2, [3, 4]).await, ["line", "429"]);
        assert_eq!(
            answer(&guard, &asked(1, "/about/")).await,
            "site",
            "it is no page of a calendar"
        );
    }

    #[tokio::test]
    async fn without_enforcement_the_budget_changes_no_response() {
        for mode in [Mode::Report, Mode::Off] {
            let guard = guard(mode);
            assert_eq!(days(&guard, 1, [1, 2, 3]).await, ["site"; 3], "{mode:?}");
            let counted = guard.pages.metrics.sums().get("would_limit").copied();
            let limited = u64::from(mode == Mode::Report) * 2;
            assert_eq!(counted.unwrap_or_default(), limited, "{mode:?}");
        }
    }

    #[tokio::test]
    async fn those_who_show_a_login_have_a_budget_of_their_own_and_no_line() {
        let guard = guard(Mode::Enforce);
        assert_eq!(days(&guard, 1, [1, 2]).await, ["line", "429"]);
        let mut visitor = asked(1, "/events/2030-01-03/");
        let cookie = HeaderValue::from_static("wordpress_logged_in_1=anna");
        visitor.head.headers.insert(COOKIE, cookie.clone());
        assert_eq!(answer(&guard, &visitor).await, "site");
        let mut visitor = asked(1, "/events/2030-01-04/");
        visitor.head.headers.insert(COOKIE, cookie);
        assert_eq!(answer(&guard, &visitor).await, "429");
    }

    #[tokio::test]
    async fn a_form_pays_each_time() {
        let guard = guard(Mode::Enforce);
        let mut form = asked(1, "/wp-admin/admin-ajax.php");
        form.head.method = Method::POST;
        let views = FormReading::Whole(b"prev_url=/wp-json/tribe/views/v2/html");
        let refusals = [(); 2].map(|()| guard.refuse_form(&form, views).is_some());
        assert_eq!(
            refusals,
            [false, true],
            "it has no address that could have passed before"
        );
    }
}
