//! Figures that are computed at a scrape: the concerns, and the runs of WordPress that did not happen.

use std::sync::Arc;

use super::series::{Gauge, metrics};
use calendar_edge_core::concerns::{CONCERN_ROWS, Concern};

metrics! {
    /// The metrics of concerns; clones share their values.
    pub(crate) struct ConcernMetrics {
        concern: Gauge["name", "about"] =
            "1 for each concern about the edge and its site, by its name, and by the backend, rule or file that it is about; else 0";
        runs_saved: Gauge =
            "Runs of WordPress that did not happen: reads and calendar pages that the edge served without one, less the \
             requests that refreshed stale responses or checked pages";
    }
}

// === impl ConcernMetrics ===

impl ConcernMetrics {
    /// Shows these concerns, and no others, as true.
    pub(crate) fn hold(&self, concerns: &[Concern], runs_saved: i64) {
        self.concern.clear();
        for row in CONCERN_ROWS {
            self.concern
                .set([row.name.into(), (&Arc::<str>::default()).into()], 0);
        }
        for concern in concerns {
            let about: Arc<str> = concern.about.as_deref().unwrap_or_default().into();
            self.concern.set([concern.name.into(), (&about).into()], 1);
        }
        self.runs_saved.set(runs_saved);
    }
}
