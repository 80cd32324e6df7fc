//! Calendar pages that can have no events: answered here, or counted, and checked against the site.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use foldhash::quality::RandomState;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode, Uri};
use parking_lot::Mutex;

use crate::calls::fault;
use crate::companion::Companions;
use crate::facts::FactsStore;
use crate::layers::{AskedRequest, EdgeResponse, RefusalReason, ResponseFacts};
use crate::server::response::{AnsweredBy, json};
use crate::telemetry::{PageMetrics, unix_time};
use calendar_edge_core::facts::FactsSnapshot;
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::SharedBuckets;
use calendar_edge_core::pages::{
    CalendarPage, EMPTY_CALENDAR, PageAddress, PageJudge, PageVerdict, SeenAddresses, SelfCheck,
    SelfCheckFigures, Visitor,
};
use calendar_edge_core::settings::{CalendarPageSettings, Mode};

/// What is known of calendar pages, whatever the settings; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct CalendarPages(Arc<PagesState>);

#[derive(Debug)]
struct PagesState {
    facts: FactsStore,
    companions: Companions,
    judge: ArcSwapOption<JudgedFacts>,
    check: Mutex<SelfCheck>,
    seen: Mutex<Option<SeenAddresses>>,
    hash: RandomState,
    metrics: PageMetrics,
}

/// The judge of pages, and the facts that it was made of.
#[derive(Debug)]
struct JudgedFacts {
    facts: Arc<FactsSnapshot>,
    judge: PageJudge,
}

/// Calendar pages under one set of settings.
#[derive(Debug)]
pub(in crate::gateway) struct PageGuard {
    pub(in crate::gateway) pages: CalendarPages,
    pub(in crate::gateway) settings: CalendarPageSettings,
    pub(in crate::gateway) buckets: SharedBuckets,
}

/// What becomes of a request for the site.
#[derive(Debug, Default)]
pub(in crate::gateway) struct PageOutcome {
    /// The edge's response; none: the site answers.
    pub(in crate::gateway) response: Option<EdgeResponse>,
    /// Whether the site is to be asked for the same page afterwards.
    pub(in crate::gateway) is_checked: bool,
}

/// The name of the robots' budget among the budgets of rules.
const ROBOTS: &str = "calendar_pages.robots";

/// The route by which scripts of calendar pages load other ones.
const VIEWS_ROUTE: &str = "tribe/views/v2/html";

/// A new event opens its page for everybody within this time, whatever keeps the edge's response.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=60");

// === impl CalendarPages ===

impl CalendarPages {
    pub(crate) fn new(facts: &FactsStore, companions: &Companions, metrics: &PageMetrics) -> Self {
        Self(Arc::new(PagesState {
            facts: facts.clone(),
            companions: companions.clone(),
            judge: ArcSwapOption::empty(),
            check: Mutex::default(),
            seen: Mutex::default(),
            hash: RandomState::default(),
            metrics: metrics.clone(),
        }))
    }

    /// What the check of the edge's own responses found.
    pub(crate) fn check_figures(&self) -> SelfCheckFigures {
        self.0.check.lock().figures()
    }

    /// Why no page is answered here now; none if pages can be.
    pub(crate) fn hindrance(&self) -> Option<String> {
        if self.0.check.lock().is_failed() {
            return Some("the site showed an event on a page that the edge took for empty".to_owned());
        }
        match self.judged() {
            None => Some("the companion plugin does not tell when events are shown".to_owned()),
            Some(judged) => judged.judge.hindrance().map(ToString::to_string),
        }
    }

    /// The judge by the facts as they are now; none while the site may know others.
    fn judged(&self) -> Option<Arc<JudgedFacts>> {
        let facts = self.0.facts.current(&self.0.companions)?;
        if let Some(judged) = self.0.judge.load_full().filter(|judged| Arc::ptr_eq(&judged.facts, &facts)) {
            return Some(judged);
        }
        let judge = PageJudge::new(&facts);
        let judged = Arc::new(JudgedFacts { facts, judge });
        self.0.judge.store(Some(Arc::clone(&judged)));
        Some(judged)
    }

    /// Takes what the site sends for a page that the edge took for empty; none: nothing that tells. An event that was
    /// published in between is no fault.
    pub(in crate::gateway) fn checked(&self, target: &Uri, shows_event: Option<bool>) {
        let is_fault = shows_event == Some(true) && self.is_closed(target);
        if shows_event == Some(true) && !is_fault {
            return;
        }
        self.0.metrics.checked(shows_event.map(|_| !is_fault));
        let mut check = self.0.check.lock();
        if !is_fault {
            if shows_event == Some(false) {
                check.agrees();
            }
            return;
        }
        if check.fails(&target.to_string()) {
            tracing::error!(
                target = %target,
                advice = "report it with this address; until the edge starts anew, the site answers all calendar pages",
                "the site shows an event on a page that the edge took for empty: it answers no calendar pages any more"
            );
        }
    }

    fn is_closed(&self, target: &Uri) -> bool {
        let Some(judged) = self.judged() else {
            return false;
        };
        match judged.judge.read(target.path(), target.query()) {
            PageAddress::Page(page) => !matches!(judged.judge.judge(&page, unix_time()), PageVerdict::Forward(_)),
            PageAddress::Unknown { .. } | PageAddress::Elsewhere { .. } => false,
        }
    }
}

// === impl PageGuard ===

impl PageGuard {
    /// Looks at a request without a body.
    pub(in crate::gateway) fn look(&self, asked: &AskedRequest) -> PageOutcome {
        if self.settings.mode == Mode::Off {
            return PageOutcome::default();
        }
        let Some(visitor) = Visitor::of(&asked.head).filter(|visitor| *visitor != Visitor::Known) else {
            return PageOutcome::default();
        };
        let state = &*self.pages.0;
        let judged = self.pages.judged();
        let uri = &asked.head.uri;
        let is_script = uri.path().ends_with(VIEWS_ROUTE);
        let address = judged.as_ref().map(|judged| judged.judge.read(uri.path(), uri.query()));
        let is_endless = is_script || address.as_ref().is_some_and(PageAddress::is_endless);
        if is_endless || judged.is_none() {
            // The number of changes is asked for only while somebody needs it.
            state.companions.called();
        }
        let outcome = match (&judged, &address) {
            (Some(judged), Some(PageAddress::Page(page))) => self.judge(&judged.judge, page),
            (_, Some(PageAddress::Unknown { reason, .. })) => {
                state.metrics.took(reason.into());
                PageOutcome::default()
            }
            _ => PageOutcome::default(),
        };
        if outcome.response.is_none() && !outcome.is_checked && is_endless && visitor == Visitor::Anybody {
            return PageOutcome {
                response: self.beyond_budget(asked),
                ..outcome
            };
        }
        outcome
    }

    fn judge(&self, judge: &PageJudge, page: &CalendarPage) -> PageOutcome {
        let state = &*self.pages.0;
        if judge.hindrance().is_some() || state.check.lock().is_failed() {
            state.metrics.took("hindered");
            return PageOutcome::default();
        }
        let (response, is_at_end) = match judge.judge(page, unix_time()) {
            PageVerdict::Forward(reason) => {
                state.metrics.took(reason.into());
                return PageOutcome::default();
            }
            PageVerdict::Beyond { is_at_end } => (without_events(judge.page_without_events()), is_at_end),
            PageVerdict::EmptyFile => (empty_calendar(), false),
        };
        let is_checked = state.check.lock().gives(page.kind(), is_at_end);
        let is_enforced = self.settings.mode == Mode::Enforce;
        state.metrics.took(if is_enforced { "answered" } else { "would_answer" });
        PageOutcome {
            response: is_enforced.then_some(response),
            is_checked,
        }
    }

    /// The refusal of one of endless addresses beyond the budget of all robots.
    fn beyond_budget(&self, asked: &AskedRequest) -> Option<EdgeResponse> {
        let rate = self.settings.robots.as_ref()?;
        let state = &*self.pages.0;
        let now = Instant::now();
        let address = state.hash.hash_one(asked.head.uri.path_and_query());
        let mut seen = state.seen.lock();
        let seen = seen.get_or_insert_with(|| SeenAddresses::new(rate.period, now));
        if !seen.is_new(address, now) {
            return None;
        }
        let exceeded = self.buckets.spend_by_rule(ROBOTS, rate, None, now).err()?;
        if self.settings.mode != Mode::Enforce {
            state.metrics.took("would_limit");
            return None;
        }
        state.metrics.took("limited");
        let insists = "`calendar_pages.robots` holds for all clients without a cookie together";
        asked.refused(DecidingBody::None, RefusalReason::moment(insists));
        Some(fault::too_fast(&exceeded))
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
        facts: ResponseFacts::Edge(AnsweredBy::OwnRoute { code: "calendar_page" }),
    }
}
