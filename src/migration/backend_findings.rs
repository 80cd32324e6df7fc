//! The differences of one backend from the site, and the noise of the site itself.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use serde_json::Value;

use super::metrics::CopySkip;
use calendar_edge_core::migration::comparison::{
    ComparedResponse, Comparer, ComparisonReport, DifferenceClass, PathFindings, ReadyDemand, ReportedCall,
};
use calendar_edge_core::settings::CompareSettings;
use calendar_edge_judge::contract::OperationId;

/// The most second requests to the site, for each operation and day, because responses differed.
const SECOND_REQUESTS: u32 = 5;

/// The member of kept findings that has the noise.
const NOISE: &str = "noise";

/// The findings of copies about one backend, within fixed memory.
#[derive(Debug)]
pub(crate) struct BackendFindings {
    comparer: Mutex<DatedComparer>,
    report: Mutex<ComparisonReport>,
}

#[derive(Debug)]
struct DatedComparer {
    comparer: Comparer,
    settings: CompareSettings,
    today: jiff::civil::Date,
    doubled: HashMap<Option<OperationId>, u32>,
}

// === impl BackendFindings ===

impl BackendFindings {
    /// The findings that a file has kept, or else none yet.
    pub(crate) fn new(settings: &CompareSettings, kept: Option<Value>) -> Self {
        let today = today();
        let mut comparer = Comparer::new(settings, today);
        let is_kept = kept.is_some();
        if let Some(noise) = kept.as_ref().and_then(|kept| kept.get(NOISE)) {
            comparer.recall_noise(noise.clone());
        }
        let report = kept.and_then(ComparisonReport::from_kept);
        if is_kept && report.is_none() {
            tracing::error!("findings.json has another form for a backend, whose findings begin anew");
        }
        Self {
            comparer: Mutex::new(DatedComparer {
                comparer,
                settings: settings.clone(),
                today,
                doubled: HashMap::new(),
            }),
            report: Mutex::new(report.unwrap_or_default()),
        }
    }

    /// Applies other rules from now on.
    pub(super) fn adapt(&self, settings: &CompareSettings) {
        let mut dated = self.comparer.lock();
        dated.settings = settings.clone();
        dated.adapt(today());
    }

    /// Compares two responses. This takes time in proportion to their length.
    pub(crate) fn compare(
        &self,
        operation: Option<OperationId>,
        owner: ComparedResponse<'_>,
        other: ComparedResponse<'_>,
    ) -> PathFindings {
        let comparer = {
            let mut dated = self.comparer.lock();
            let today = today();
            if dated.today != today {
                dated.adapt(today);
            }
            dated.comparer.clone()
        };
        comparer.compare(operation, owner, other)
    }

    /// Compares two responses with a second one of the site, and learns its noise.
    pub(crate) fn compare_twice(
        &self,
        operation: Option<OperationId>,
        owner: ComparedResponse<'_>,
        other: ComparedResponse<'_>,
        second: ComparedResponse<'_>,
    ) -> PathFindings {
        let comparer = &mut self.comparer.lock().comparer;
        comparer.compare_twice(operation, owner, other, second)
    }

    /// Counts a second request after a difference; false once an operation has had its number for the day.
    pub(crate) fn may_double(&self, operation: Option<OperationId>) -> bool {
        let mut dated = self.comparer.lock();
        let count = dated.doubled.entry(operation).or_default();
        *count = count.saturating_add(1);
        *count <= SECOND_REQUESTS
    }

    /// Adds a compared call.
    pub(crate) fn add(&self, call: &ReportedCall, findings: &PathFindings) {
        let ended = self.comparer.lock().comparer.ended(call.operation, findings);
        let mut report = self.report.lock();
        report.note_ended(ended);
        report.add(call, findings, Timestamp::now());
    }

    /// Counts a call that was not compared.
    pub(crate) fn skip(&self, operation: Option<OperationId>, skip: CopySkip) {
        self.report.lock().skip(operation, skip.into());
    }

    /// The findings as a file keeps them.
    pub(super) fn to_kept(&self) -> Value {
        let mut kept = self.report.lock().to_kept();
        if let Some(members) = kept.as_object_mut() {
            members.insert(NOISE.to_owned(), self.comparer.lock().comparer.kept_noise());
        }
        kept
    }

    /// The report as JSON.
    pub(super) fn to_json(&self, accepted: DifferenceClass) -> Value {
        let demanded = ReadyDemand::new(&self.comparer.lock().settings, accepted, Timestamp::now());
        self.report.lock().to_json(&demanded)
    }

    /// The report without its paths.
    pub(super) fn verdicts(&self) -> Value {
        let mut report = self.to_json(DifferenceClass::Representation);
        let operations = report.get_mut("operations").and_then(|all| all.as_object_mut());
        for (_, operation) in operations.into_iter().flatten() {
            if let Some(members) = operation.as_object_mut() {
                members.remove("paths");
            }
        }
        report
    }
}

// === impl DatedComparer ===

impl DatedComparer {
    fn adapt(&mut self, today: jiff::civil::Date) {
        self.comparer.adapt(&self.settings, today);
        self.today = today;
        self.doubled.clear();
    }
}

fn today() -> jiff::civil::Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}
