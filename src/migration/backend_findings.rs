//! The differences of one backend from the site, and the noise of the site itself.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use serde_json::Value;

use calendar_edge_core::migration::comparison::{
    ComparedResponse, Comparer, ComparisonReport, DifferenceClass, PathFindings, ReadyDemand, ReportedCall,
};
use calendar_edge_core::settings::CompareSettings;
use calendar_edge_judge::contract::Operation;

/// The member of kept findings that has the noise.
const NOISE: &str = "noise";

/// The findings of compared calls about one backend, within fixed memory.
#[derive(Debug)]
pub struct BackendFindings {
    comparer: Mutex<Comparer>,
    report: Mutex<ComparisonReport>,
}

// === impl BackendFindings ===

impl BackendFindings {
    /// The findings that a file has kept, or else none yet.
    pub fn new(settings: &CompareSettings, kept: Option<Value>) -> Self {
        let mut comparer = Comparer::new(settings, today());
        let is_kept = kept.is_some();
        if let Some(noise) = kept.as_ref().and_then(|kept| kept.get(NOISE)) {
            comparer.recall_noise(noise.clone());
        }
        let report = kept.and_then(ComparisonReport::from_kept);
        if is_kept && report.is_none() {
            tracing::error!("findings.json has another form for a backend, whose findings begin anew");
        }
        Self {
            comparer: Mutex::new(comparer),
            report: Mutex::new(report.unwrap_or_default()),
        }
    }

    /// Applies other rules from now on.
    pub(super) fn adapt(&self, settings: &CompareSettings) {
        let mut comparer = self.comparer.lock();
        comparer.settings.clone_from(settings);
        comparer.turn_to(today());
    }

    /// Compares two responses. This takes time in proportion to their length.
    pub fn compare(
        &self,
        operation: &Operation,
        owner: ComparedResponse<'_>,
        other: ComparedResponse<'_>,
    ) -> PathFindings {
        let comparer = {
            let mut comparer = self.comparer.lock();
            comparer.turn_to(today());
            comparer.clone()
        };
        comparer.compare(operation, owner, other)
    }

    /// Compares two responses with a second one of the site, and learns its noise.
    pub fn compare_twice(
        &self,
        operation: &Operation,
        owner: ComparedResponse<'_>,
        other: ComparedResponse<'_>,
        second: ComparedResponse<'_>,
    ) -> PathFindings {
        let mut comparer = self.comparer.lock();
        comparer.compare_twice(operation, owner, other, second)
    }

    /// Counts a second request after a difference; false once an operation has had its number for the day.
    pub fn may_double(&self, operation: &Operation) -> bool {
        self.comparer.lock().may_double(operation)
    }

    /// Adds a compared call.
    pub fn add(&self, call: &ReportedCall, findings: &PathFindings) {
        let ended = self.comparer.lock().ended(call.operation, findings);
        let mut report = self.report.lock();
        report.note_ended(ended);
        report.add(call, findings, Timestamp::now());
    }

    /// Counts a call that was not compared, by the reason.
    pub fn skip(&self, operation: Option<&Operation>, reason: &str) {
        self.report.lock().skip(operation, reason);
    }

    /// The findings as a file keeps them.
    pub(super) fn to_kept(&self) -> Value {
        let mut kept = self.report.lock().to_kept();
        if let Some(members) = kept.as_object_mut() {
            members.insert(NOISE.to_owned(), self.comparer.lock().kept_noise());
        }
        kept
    }

    /// The report as JSON.
    pub fn to_json(&self, accepted: DifferenceClass) -> Value {
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

fn today() -> jiff::civil::Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}
