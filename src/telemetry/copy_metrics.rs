//! What an edge counts of its copy of the site's records.

use std::collections::BTreeMap;

use super::series::{Counter, Gauge, metrics};
use calendar_edge_core::copy::Standing;

metrics! {
    /// The metrics of the copy; clones share their values.
    pub(crate) struct CopyMetrics {
        copy_reads: Counter["outcome"] = "Reads that the copy could answer, by what became of them";
        copy_comparisons: Counter["result"] = "Responses of the copy that were compared with those of the site";
        copy_shapes: Gauge["standing"] = "Shapes of reads, by whether the copy answers them";
    }
}

/// The fate of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum CopyOutcome {
    /// The copy answered.
    Answered,
    /// The copy answered because the site failed.
    AnsweredAway,
    /// The site answered, because the shape is not proven.
    Unproven,
    /// The site answered, because the copy cannot answer such a read.
    Asked,
    /// The site answered, because the copy is not as far as the site.
    Behind,
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum CopyComparison {
    /// No difference.
    Equal,
    /// No difference but in what the comparison leaves out.
    Folded,
    /// A difference.
    Different,
    /// Something changed meanwhile.
    Overtaken,
}

// === impl CopyMetrics ===

impl CopyMetrics {
    /// Creates all series with zero, as soon as the settings have a copy.
    pub(crate) fn expect(&self) {
        use strum::VariantArray as _;
        self.copy_reads
            .expect_all(CopyOutcome::VARIANTS.iter().map(<&str>::from));
        self.copy_comparisons
            .expect_all(CopyComparison::VARIANTS.iter().map(<&str>::from));
    }

    /// Counts a read.
    pub(crate) fn read(&self, outcome: CopyOutcome) {
        self.copy_reads.add([<&str>::from(outcome).into()], 1);
    }

    /// The reads by what became of them.
    pub(crate) fn sums(&self) -> BTreeMap<&'static str, u64> {
        self.copy_reads.sums(|[outcome]| outcome.word())
    }

    /// Counts a comparison.
    pub(crate) fn compared(&self, result: CopyComparison) {
        self.copy_comparisons.add([<&str>::from(result).into()], 1);
    }

    /// Notes how many shapes stand so.
    pub(crate) fn standing(&self, standing: Standing, shapes: usize) {
        self.copy_shapes.set([standing.name().into()], shapes);
    }
}
