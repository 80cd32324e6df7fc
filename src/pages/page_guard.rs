//! Calendar pages that can have no events: answered here, or counted, and all others held to the budget of robots.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode, Uri};

use super::calendar_pages::{CalendarPages, JudgedFacts};
use super::page_check::PageCheck;
use crate::calls::fault;
use crate::layers::{AskedRequest, EdgeResponse, RefusalReason, ResponseFacts};
use crate::server::response::{AnsweredBy, json};
use crate::telemetry::unix_time;
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::SharedBuckets;
use calendar_edge_core::pages::{
    CalendarPage, EMPTY_CALENDAR, PageAddress, PageJudge, PageVerdict, Visitor, loads_views, may_be_file,
};
use calendar_edge_core::settings::{CalendarPageSettings, Mode};

/// Calendar pages under one set of settings.
#[derive(Debug)]
pub(crate) struct PageGuard {
    pub(crate) pages: CalendarPages,
    pub(crate) settings: CalendarPageSettings,
    pub(crate) buckets: SharedBuckets,
    pub(crate) check: PageCheck,
    /// The path of the API, whose calendars take the place of the plugin's files; none where it does not.
    pub(crate) api: Option<String>,
}

/// What takes the place of the site's response.
pub(crate) enum PageAnswer {
    /// A response of the edge's own.
    Own(EdgeResponse),
    /// The calendar of the events that a GET of this path and query reads.
    Calendar(String),
    /// The site's response, for which robots wait in a line of their own.
    OfRobots,
}

/// The name of the robots' budget among the budgets of rules.
const ROBOTS: &str = "calendar_pages.robots";

/// A new event opens its page for everybody within this time, whatever keeps the edge's response.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=60");

// === impl PageGuard ===

impl PageGuard {
    /// The answer to a request without a body; none: the site answers.
    pub(crate) fn answer(&self, asked: &AskedRequest) -> Option<PageAnswer> {
        if self.settings.mode == Mode::Off {
            return None;
        }
        let visitor = Visitor::of(&asked.head).filter(|visitor| *visitor != Visitor::Known)?;
        // Somebody needs to know how far the site is.
        self.pages.called();
        let (judged, uri) = (self.pages.judged(), &asked.head.uri);
        // Without facts of this moment the last ones tell which address is a file, and which has a date.
        let known = judged.clone().or_else(|| self.pages.known());
        let address = known
            .as_ref()
            .map(|known| known.judge.read(uri.path(), uri.query()));
        if let Some(calendar) = self.calendar(uri, known.as_deref().zip(address.as_ref())) {
            let is_enforced = self.settings.mode == Mode::Enforce;
            if !is_enforced {
                self.pages.metrics().took("would_answer");
            }
            return is_enforced.then_some(PageAnswer::Calendar(calendar));
        }
        let is_endless = loads_views(uri) || address.as_ref().is_some_and(PageAddress::is_endless);
        let own = match (&judged, &address) {
            (Some(judged), Some(PageAddress::Page(page))) => self.in_place_of(&judged.judge, page),
            (_, Some(PageAddress::Unknown { reason, .. })) => {
                self.pages.metrics().took(reason.into());
                None
            }
            _ => None,
        };
        if let Some(own) = own {
            return self.give(own).map(PageAnswer::Own);
        }
        is_endless.then(|| self.within_budget(asked, visitor)).flatten()
    }

    /// Counts a file that a calendar took the place of.
    pub(crate) fn gave_file(&self) {
        self.pages.metrics().took("answered");
    }

    /// The answer to a request for a file that the calendar does not have; none: the site answers.
    pub(crate) fn answer_file(&self, asked: &AskedRequest) -> Option<PageAnswer> {
        self.within_budget(asked, Visitor::of(&asked.head)?)
    }

    /// The read whose calendar has the events of the file that is asked for.
    fn calendar(&self, uri: &Uri, read: Option<(&JudgedFacts, &PageAddress)>) -> Option<String> {
        let api = self.api.as_ref()?;
        if !may_be_file(uri) || self.pages.is_stopped() {
            return None;
        }
        let (known, address) = read.filter(|(known, _)| known.judge.hindrance().is_none())?;
        Some(format!("{api}/{}", known.judge.download(address)?))
    }

    /// The response in place of a page that can have no events. For some of them the site is asked, too.
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

    fn forwards(&self, reason: &'static str) -> Option<EdgeResponse> {
        self.pages.metrics().took(reason);
        None
    }

    /// Gives a response, or counts it in report mode.
    fn give(&self, own: EdgeResponse) -> Option<EdgeResponse> {
        let is_enforced = self.settings.mode == Mode::Enforce;
        self.pages
            .metrics()
            .took(if is_enforced { "answered" } else { "would_answer" });
        is_enforced.then_some(own)
    }

    /// What the budget of all robots allows to one of endless addresses; none where it does not hold.
    fn within_budget(&self, asked: &AskedRequest, visitor: Visitor) -> Option<PageAnswer> {
        let rate = self.settings.robots.as_ref()?;
        if visitor != Visitor::Anybody {
            return None;
        }
        let pay = |now| self.buckets.spend_by_rule(ROBOTS, rate, None, now);
        let passed = self.pages.pay_once(&asked.head.uri, rate.period, pay);
        let is_enforced = self.settings.mode == Mode::Enforce;
        let Err(exceeded) = passed else {
            return is_enforced.then_some(PageAnswer::OfRobots);
        };
        if !is_enforced {
            self.pages.metrics().took("would_limit");
            return None;
        }
        self.pages.metrics().took("limited");
        let insists = "`calendar_pages.robots` holds for all clients without a cookie together";
        asked.refused(DecidingBody::None, RefusalReason::moment(insists));
        Some(PageAnswer::Own(fault::too_fast(&exceeded)))
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
        facts: ResponseFacts::Edge(AnsweredBy::OwnRoute {
            code: "calendar_page",
        }),
    }
}
