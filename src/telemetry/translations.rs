//! Responses that were translated into the version that clients want, by row.

use super::series::{Counter, metrics};
use calendar_edge_judge::contract::{DatedDifference, dated_differences};

metrics! {
    /// The metrics of translations; clones share their values.
    pub(crate) struct TranslationMetrics {
        translated: Counter["difference"] = "Responses of the site that were translated for `answers`, by the row that applied";
    }
}

// === impl TranslationMetrics ===

impl TranslationMetrics {
    /// Creates the series of all rows about responses with zero.
    pub(crate) fn expect(&self) {
        for row in dated_differences().iter().filter(|row| row.is_of_responses()) {
            self.translated.expect([row.name.into()]);
        }
    }

    /// Counts a response to which these rows applied.
    pub(crate) fn met(&self, rows: &[&'static DatedDifference]) {
        for row in rows {
            self.translated.add([row.name.into()], 1);
        }
    }
}
