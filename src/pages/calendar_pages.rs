//! The state of calendar pages, whatever the settings: the judge of the facts, and the findings of its check.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use foldhash::quality::RandomState;
use http::Uri;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::metrics::PageMetrics;
use crate::companion::Companions;
use crate::server::Subject;
use crate::telemetry::{Metrics, unix_time};
use calendar_edge_core::concerns::{Figures, Lately};
use calendar_edge_core::pages::{
    CalendarPage, CheckStep, PageAddress, PageJudge, PageVerdict, SeenAddresses, SelfCheck,
};
use calendar_edge_core::settings::{Mode, Settings};

/// The state of calendar pages, whatever the settings.
#[derive(Debug)]
pub(crate) struct CalendarPages {
    /// Those that keep the site's number of changes coming while clients request pages.
    pub(super) companions: Arc<Companions>,
    judge: ArcSwapOption<PageJudge>,
    making: Mutex<()>,
    check: Mutex<SelfCheck>,
    seen: Mutex<Option<SeenAddresses>>,
    hash: RandomState,
    /// The counters.
    pub(super) metrics: PageMetrics,
}

/// The longest time that a page waits for the number of the site.
const PATIENCE: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_millis(100);

impl Subject for CalendarPages {
    fn adapt(&self, settings: &Settings) {
        if settings.calendar_pages.mode != Mode::Off {
            self.metrics.expect();
        }
    }

    /// The outcomes of requests for pages, the findings of the check, and the reason why the edge serves no page now.
    fn status(&self) -> Value {
        let hindrance = self.hindrance();
        let check = self.check.lock();
        let pages = json!({
            "requests": self.metrics.sums(),
            "check": {"given": check.given, "agreed": check.agreed, "example": check.example()},
            "hindrance": hindrance,
        });
        json!({ "calendar_pages": pages })
    }

    fn add_figures(&self, figures: &mut Figures) {
        figures.stopped_by = self.check.lock().example();
        figures.hindrance = self.hindrance();
    }

    fn add_sums(&self, sums: &mut Lately) {
        sums.robots = self.metrics.sums().get("limited").copied().unwrap_or_default();
    }

    fn runs_saved(&self) -> i64 {
        self.metrics.runs_saved()
    }
}

// === impl CalendarPages ===

impl CalendarPages {
    pub(crate) fn new(settings: &Settings, companions: &Arc<Companions>, metrics: &Metrics) -> Arc<Self> {
        let pages = Arc::new(Self {
            companions: companions.clone(),
            judge: ArcSwapOption::empty(),
            making: Mutex::default(),
            check: Mutex::default(),
            seen: Mutex::default(),
            hash: RandomState::default(),
            metrics: metrics.register(PageMetrics::new),
        });
        pages.adapt(settings);
        pages
    }

    /// The outcome of a request without a login, and its reason.
    pub(crate) fn explain(&self, target: &str) -> Value {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let forwarded = |kind, because| json!({"kind": kind, "becomes": "forwarded", "because": because});
        let word = |word: &'static str| Some(word.to_owned());
        self.companions.called();
        let judge = self.judged();
        if let Some(hindrance) = self.hindrance() {
            return forwarded(None, Some(hindrance));
        }
        let Some(judge) = judge else {
            return forwarded(
                None,
                word("the site has not reported its number of late: try again"),
            );
        };
        match judge.read(path, Some(query)) {
            PageAddress::Elsewhere => forwarded(None, word("no_calendar_page")),
            PageAddress::Unknown(reason) => forwarded(None, word(reason.into())),
            PageAddress::Page(page) => match judge.judge(&page, unix_time()) {
                PageVerdict::Forward(reason) => forwarded(Some(page.kind()), word(reason.into())),
                PageVerdict::Beyond { .. } => {
                    json!({"kind": page.kind(), "becomes": "not_found", "because": "beyond"})
                }
                PageVerdict::EmptyFile => {
                    json!({"kind": page.kind(), "becomes": "empty_calendar", "because": "no_events"})
                }
            },
        }
    }

    /// The obstacle to all pages. To look for it causes no request to the site.
    fn hindrance(&self) -> Option<String> {
        if self.is_stopped() {
            return Some("the site showed an event on a page that the edge took for empty".to_owned());
        }
        if self.companions.facts.snapshot().is_none() {
            return Some("the companion plugin does not report when events are shown".to_owned());
        }
        let known = self.judge.load_full()?;
        known.hindrance().map(str::to_owned)
    }

    /// True if the edge gives no responses of its own, because a check found an event.
    pub(super) fn is_stopped(&self) -> bool {
        self.check.lock().is_stopped()
    }

    /// Counts a response for a page. The result is the page to request from the site.
    pub(super) fn gives(&self, page: &CalendarPage, is_at_end: bool) -> Option<CalendarPage> {
        self.check.lock().gives(page, is_at_end, Instant::now())
    }

    /// Passes an address on if that was done lately, or if its cost can be paid. A form has no address.
    pub(super) fn pay_once<E>(
        &self,
        address: Option<&Uri>,
        period: Duration,
        pay: impl FnOnce(Instant) -> Result<(), E>,
    ) -> Result<(), E> {
        let now = Instant::now();
        let Some(address) = address else {
            return pay(now);
        };
        let address = self.hash.hash_one(address.path_and_query());
        let mut seen = self.seen.lock();
        let seen = seen.get_or_insert_with(|| SeenAddresses::new(period, now));
        if !seen.contains(address, now) {
            pay(now)?;
        }
        seen.passed(address);
        Ok(())
    }

    /// The judge by the facts as they are now; none while the site may know others.
    pub(super) fn judged(&self) -> Option<Arc<PageJudge>> {
        let facts = self.companions.current_facts()?;
        let known = self.judge.load_full();
        if let Some(known) = known.as_ref().filter(|known| Arc::ptr_eq(&known.facts, &facts)) {
            return Some(Arc::clone(known));
        }
        // One request makes it, and meanwhile the site responds to the others.
        let _making = self.making.try_lock()?;
        let judge = known.map_or_else(|| PageJudge::new(&facts), |known| known.with(&facts));
        let judge = Arc::new(judge);
        self.judge.store(Some(Arc::clone(&judge)));
        Some(judge)
    }

    /// As [`judged`](Self::judged); where the site's number may make the facts current, it is waited for.
    pub(super) async fn judged_now(&self) -> Option<Arc<PageJudge>> {
        let until_known = async {
            loop {
                let answer = self.companions.counted.notified();
                let judged = self.judged();
                if judged.is_some() || !self.companions.facts_await_number() {
                    return judged;
                }
                // A look that comes too early after another request sends none.
                self.companions.called();
                let _ = timeout(AGAIN, answer).await;
            }
        };
        timeout(PATIENCE, until_known).await.ok().flatten()
    }

    /// Takes the site's word on a page that the edge took for empty: true if it shows an event; none if that is
    /// unknown.
    pub(super) fn checked(
        &self,
        page: &CalendarPage,
        address: Option<&str>,
        shows: Option<bool>,
    ) -> CheckStep {
        let agrees = match shows {
            Some(true) => self.has_opened(page),
            shows => shows.map(|_| true),
        };
        let address = address.unwrap_or_default();
        let step = self.check.lock().shown(page, address, agrees, Instant::now());
        if step != CheckStep::Repeat {
            self.metrics.checked(agrees);
        }
        match step {
            CheckStep::Stop => {
                self.metrics.stopped(true);
                log_stop(address);
            }
            CheckStep::Resume => {
                self.metrics.stopped(false);
                tracing::info!("checks of calendar pages agreed for an hour: the edge serves them again");
            }
            CheckStep::Repeat | CheckStep::Done => {}
        }
        step
    }

    /// True if the facts open the page now: its event was published in between. None while they are not known.
    fn has_opened(&self, page: &CalendarPage) -> Option<bool> {
        let judge = self.judged()?;
        Some(matches!(judge.judge(page, unix_time()), PageVerdict::Forward(_)))
    }
}

fn log_stop(address: &str) {
    tracing::error!(
        address,
        advice =
            "report it with this address; the site serves all calendar pages until checks agree for an hour",
        "the site shows an event on a page that the edge took for empty: it serves no calendar pages"
    );
}
