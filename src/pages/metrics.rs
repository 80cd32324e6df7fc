//! Metrics of requests for calendar pages.

use std::collections::BTreeMap;

use crate::telemetry::series::{Counter, Gauge, metrics};

metrics! {
    /// The metrics of calendar pages; clones share their values.
    pub(crate) struct PageMetrics {
        calendar_pages: Counter["outcome"] =
            "Requests for calendar pages under `[calendar_pages]`, by their outcome or the reason why the site responded";
        calendar_page_checks: Counter["result"] =
            "Pages that the edge served itself, or would have, and that it then requested from the site";
        calendar_pages_failed: Gauge[] =
            "1 if checks found an event on a page that the edge took for empty, so that it serves none";
    }
}

const RESULTS: [&str; 3] = ["agreed", "failed", "unclear"];

// === impl PageMetrics ===

impl PageMetrics {
    /// Creates the series that must exist before the first request.
    pub(crate) fn expect(&self) {
        self.calendar_pages
            .expect_all(["served", "would_serve", "limited", "would_limit"]);
        self.calendar_page_checks.expect_all(RESULTS);
        self.calendar_pages_failed.expect([]);
    }

    /// Counts a request.
    pub(crate) fn took(&self, outcome: &'static str) {
        self.calendar_pages.add([outcome.into()], 1);
    }

    /// Counts a check: true if the site agreed; none if its response does not show it.
    pub(crate) fn checked(&self, agrees: Option<bool>) {
        let [same, failed, unclear] = RESULTS;
        let result = agrees.map_or(unclear, |agrees| if agrees { same } else { failed });
        self.calendar_page_checks.add([result.into()], 1);
    }

    /// Notes that the edge serves no pages, because checks found an event on one; or that it serves them again.
    pub(crate) fn stopped(&self, is_stopped: bool) {
        self.calendar_pages_failed.set([], usize::from(is_stopped));
    }

    /// The pages that the edge served, less those that it requested from the site to check them.
    pub(crate) fn runs_saved(&self) -> i64 {
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let checks = RESULTS.map(|result| self.calendar_page_checks.count(&[result.into()]));
        count(self.calendar_pages.count(&["served".into()])) - count(checks.iter().sum())
    }

    /// The requests by their outcome.
    pub(crate) fn sums(&self) -> BTreeMap<&'static str, u64> {
        self.calendar_pages.sums(|[outcome]| outcome.word())
    }
}
