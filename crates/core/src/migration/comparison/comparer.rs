//! Findings judged by the rules of an operator and by the noise that was learnt.

use std::collections::HashMap;

use http::StatusCode;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::class::DifferenceClass;
use super::compare::{ComparedResponse, compare};
use super::findings::{PathFinding, PathFindings};
use super::ignored::{EndedRule, applies};
use super::noise::Noise;
use crate::settings::{CompareSettings, IgnoreRule};
use calendar_edge_judge::contract::{Operation, OperationId};

/// Compares responses, leaves ignored paths out, and recognizes noise.
#[derive(Debug, Clone)]
pub struct Comparer {
    /// The settings in use; the noise stays under others.
    pub settings: CompareSettings,
    today: Date,
    noise: Noise,
    /// The second requests of today, by operation.
    doubled: HashMap<OperationId, u32>,
}

/// The most second requests to the site, for each operation and day, because responses differed.
const SECOND_REQUESTS: u32 = 5;

// === impl Comparer ===

impl Comparer {
    /// A comparer by these rules; `today` decides which of them have ended.
    pub fn new(settings: &CompareSettings, today: Date) -> Self {
        Self {
            settings: settings.clone(),
            today,
            noise: Noise::default(),
            doubled: HashMap::new(),
        }
    }

    /// `today` decides which rules have ended. On another day the noise counts half, and responses may be doubled again.
    pub fn turn_to(&mut self, today: Date) {
        if self.today != today {
            self.noise.fade();
            self.doubled.clear();
            self.today = today;
        }
    }

    /// Counts a second request after a difference; false once an operation has had its number for the day.
    pub fn may_double(&mut self, operation: &Operation) -> bool {
        let count = self.doubled.entry(operation.id).or_default();
        *count = count.saturating_add(1);
        *count <= SECOND_REQUESTS
    }

    /// The noise and its day, such as `2027-03-01`, as a file keeps them.
    pub fn kept_noise(&self) -> Value {
        json!({"day": self.today.to_string(), "paths": self.noise})
    }

    /// Takes over the noise of a file, halved for each day since then. A value that is none changes nothing.
    pub fn recall_noise(&mut self, mut kept: Value) {
        let day = kept.get("day").and_then(Value::as_str);
        let day = day.and_then(|day| day.parse::<Date>().ok());
        let paths = kept.get_mut("paths").map(Value::take);
        let noise = paths.and_then(|paths| serde_json::from_value(paths).ok());
        let Some((day, noise)) = day.zip(noise) else {
            return;
        };
        self.noise = noise;
        self.noise.bound();
        let days = self.today.duration_since(day).as_hours() / 24;
        // After so many days no count is left.
        for _ in 0..days.min(32) {
            self.noise.fade();
        }
    }

    /// Compares the primary's response with another backend's.
    pub fn compare(
        &self,
        operation: &Operation,
        primary: ComparedResponse<'_>,
        other: ComparedResponse<'_>,
    ) -> PathFindings {
        self.judged(operation, compare(operation, primary, other), |finding| {
            self.noise.covers(operation, finding)
        })
    }

    /// Compares the responses to a call that the primary got twice, and learns its noise. Where its own responses are
    /// equal, another value of the other backend is different, whatever the path was before.
    pub fn compare_twice(
        &mut self,
        operation: &Operation,
        primary: ComparedResponse<'_>,
        other: ComparedResponse<'_>,
        second: ComparedResponse<'_>,
    ) -> PathFindings {
        let findings = compare(operation, primary, other);
        // A backend that fails, or refuses one of the two calls, shows nothing about its values.
        let has_failed = primary.status != second.status
            || primary.status.is_server_error()
            || primary.status == StatusCode::TOO_MANY_REQUESTS;
        let itself = if has_failed {
            PathFindings::default()
        } else {
            compare(operation, primary, second)
        };
        // Between the responses a record was changed, and what differs with that is no noise.
        let is_edited = itself.iter().any(|finding| is_about_changes(&finding.path));
        if !has_failed && !is_edited {
            self.noise.learn(operation, &itself, &findings);
        }
        self.judged(operation, findings, |finding| itself.differ_at(finding))
    }

    /// The findings that no rule ignores; those that are noise are volatile.
    fn judged(
        &self,
        operation: &Operation,
        findings: PathFindings,
        is_noise: impl Fn(&PathFinding) -> bool,
    ) -> PathFindings {
        findings.reclassed(|finding| {
            if self.ignores(operation, &finding.path) {
                return None;
            }
            let is_volatile = finding.class == DifferenceClass::Different && is_noise(finding);
            Some(if is_volatile {
                DifferenceClass::Volatile
            } else {
                finding.class
            })
        })
    }

    /// The ended rules that would still apply to these findings.
    pub fn ended(&self, operation: &Operation, findings: &PathFindings) -> Vec<EndedRule> {
        let ended = self.settings.ignore.iter().filter(|rule| self.has_ended(rule));
        let concerned = ended.filter(|rule| {
            findings
                .iter()
                .any(|finding| applies(rule, operation, &finding.path))
        });
        concerned
            .map(|rule| EndedRule {
                path: rule.path.clone(),
                reason: rule.reason.clone(),
                until: rule.until.map(|day| day.to_string()).unwrap_or_default(),
            })
            .collect()
    }

    fn ignores(&self, operation: &Operation, path: &str) -> bool {
        let mut current = self.settings.ignore.iter().filter(|rule| !self.has_ended(rule));
        current.any(|rule| applies(rule, operation, path))
    }

    fn has_ended(&self, rule: &IgnoreRule) -> bool {
        rule.until.is_some_and(|until| until <= self.today)
    }
}

/// True for the time at which a record was changed.
fn is_about_changes(path: &str) -> bool {
    matches!(path.rsplit('.').next(), Some("modified" | "modified_utc"))
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use jiff::civil::date;

    use super::super::tests::{found, operation};
    use super::super::{ComparisonReport, OwnHosts, ReadyDemand};
    use super::*;
    use crate::settings::OperationPattern;

    fn comparer(ignore: Vec<IgnoreRule>) -> Comparer {
        let settings = CompareSettings {
            ignore,
            ..CompareSettings::default()
        };
        Comparer::new(&settings, date(2027, 3, 1))
    }

    fn rule(operations: &str, path: &str, until: Option<jiff::civil::Date>) -> IgnoreRule {
        IgnoreRule {
            operations: vec![OperationPattern::parse(operations).unwrap()],
            path: path.to_owned(),
            reason: "the importer stamps it".to_owned(),
            until,
        }
    }

    fn judged(comparer: &Comparer, name: &str, primary: &str, other: &str) -> PathFindings {
        let headers = HeaderMap::new();
        let answer = |body: &'static str| ComparedResponse {
            status: StatusCode::OK,
            headers: &headers,
            body: body.as_bytes(),
            own_hosts: OwnHosts::NONE,
        };
        let (primary, other) = (primary.to_owned().leak(), other.to_owned().leak());
        comparer.compare(operation(name), answer(primary), answer(other))
    }

    #[test]
    fn an_ignored_path_does_not_count() {
        let (primary, other) = (
            r#"{"events":[{"image":{"id":1},"imaged":1}]}"#,
            r#"{"events":[{"image":{"id":2},"imaged":2}]}"#,
        );
        let left = |rule| found(&judged(&comparer(vec![rule]), "events.list", primary, other)).len();
        assert_eq!(left(rule("events.*", "events[].image", None)), 1);
        assert_eq!(left(rule("venues.*", "events[].image", None)), 2);
        assert_eq!(left(rule("events.*", "image", None)), 2);
    }

    #[test]
    fn an_ended_rule_counts_again_and_is_named() {
        for (until, is_ended) in [(date(2027, 3, 1), true), (date(2027, 3, 2), false)] {
            let comparer = comparer(vec![rule("events.*", "modified", Some(until))]);
            let findings = judged(
                &comparer,
                "events.read",
                r#"{"modified":"a"}"#,
                r#"{"modified":"b"}"#,
            );
            let ended = comparer.ended(operation("events.read"), &findings);
            assert_eq!(
                (findings.is_empty(), ended.len()),
                (!is_ended, usize::from(is_ended))
            );
            let mut report = ComparisonReport::default();
            report.note_ended(ended);
            let now = jiff::Timestamp::UNIX_EPOCH;
            let demanded = ReadyDemand::new(&CompareSettings::default(), DifferenceClass::Different, now);
            let json = report.to_json(&demanded);
            let named = json["ended_rules"][0]["until"] == until.to_string();
            assert_eq!(named, is_ended, "{json}");
        }
    }

    /// The classes of a venue in a call that the primary got twice.
    fn twice(
        comparer: &mut Comparer,
        first: &str,
        second: &str,
        other: &str,
    ) -> Vec<(String, DifferenceClass)> {
        let headers = HeaderMap::new();
        let bodies = [first, other, second].map(|venue| format!(r#"{{"venue":{venue}}}"#));
        let [first, other, second] = bodies.each_ref().map(|body| ComparedResponse {
            status: StatusCode::OK,
            headers: &headers,
            body: body.as_bytes(),
            own_hosts: OwnHosts::NONE,
        });
        found(&comparer.compare_twice(operation("events.read"), first, other, second))
    }

    #[test]
    fn a_change_of_a_record_between_two_questions_is_no_noise() {
        let mut comparer = comparer(vec![]);
        for _ in 0..5 {
            let edited = r#"{"city":2,"modified":"10:01"}"#;
            twice(&mut comparer, r#"{"city":1,"modified":"10:00"}"#, edited, "{}");
        }
        let cities = [1, 3].map(|city| format!(r#"{{"city":{city},"modified":"10:00"}}"#));
        assert_eq!(
            once(&comparer, &cities[0], &cities[1]),
            DifferenceClass::Different
        );
    }

    fn once(comparer: &Comparer, primary: &str, other: &str) -> DifferenceClass {
        let body = |venue: &str| format!(r#"{{"venue":{venue}}}"#);
        judged(comparer, "events.read", &body(primary), &body(other)).worst()
    }

    #[test]
    fn noise_is_learnt_from_double_questions() {
        use DifferenceClass::{Different, Volatile};
        let mut comparer = comparer(vec![]);
        let volatile = [("venue".to_owned(), Volatile)];
        assert_eq!(twice(&mut comparer, "1", "2", "3"), volatile, "the call itself");
        assert_eq!(once(&comparer, "1", "3"), Different, "it happened once");
        assert_eq!(twice(&mut comparer, "4", "5", "6"), volatile);
        assert_eq!(once(&comparer, "1", "3"), Volatile);
        let elsewhere = judged(&comparer, "venues.read", r#"{"venue":1}"#, r#"{"venue":3}"#);
        assert_eq!(elsewhere.worst(), Different);
    }

    #[test]
    fn an_answer_that_differs_from_two_equal_ones_is_different() {
        use DifferenceClass::Different;
        let mut comparer = comparer(vec![]);
        for edit in 0..3 {
            twice(&mut comparer, "1", &format!("2{edit}"), "3");
        }
        let different = [("venue".to_owned(), Different)];
        for _ in 0..3 {
            assert_eq!(twice(&mut comparer, "1", "1", "3"), different);
        }
        assert_eq!(once(&comparer, "1", "3"), Different, "as often as by itself");
    }

    #[test]
    fn noise_is_forgotten_with_time() {
        let mut comparer = comparer(vec![]);
        for _ in 0..3 {
            twice(&mut comparer, "1", "2", "3");
        }
        comparer.turn_to(date(2027, 3, 1));
        assert_eq!(once(&comparer, "1", "3"), DifferenceClass::Volatile);
        comparer.turn_to(date(2027, 3, 2));
        assert_eq!(once(&comparer, "1", "3"), DifferenceClass::Different);
    }

    #[test]
    fn noise_survives_a_file_and_fades_with_its_days() {
        let settings = CompareSettings::default();
        let mut learnt = comparer(vec![]);
        for _ in 0..4 {
            twice(&mut learnt, "1", "2", "3");
        }
        let on = |day, kept: serde_json::Value| {
            let mut comparer = Comparer::new(&settings, day);
            comparer.recall_noise(kept);
            once(&comparer, "1", "3")
        };
        let kept = learnt.kept_noise();
        for (day, expected) in [
            (date(2027, 3, 1), DifferenceClass::Volatile),
            (date(2027, 3, 2), DifferenceClass::Volatile),
            (date(2027, 3, 3), DifferenceClass::Different),
            (date(2029, 3, 3), DifferenceClass::Different),
            (date(2027, 2, 1), DifferenceClass::Volatile),
        ] {
            assert_eq!(on(day, kept.clone()), expected, "{day}");
        }
        let mut strange = kept;
        strange["paths"][0]["operation"] = "nothing.known".into();
        assert_eq!(on(date(2027, 3, 1), strange), DifferenceClass::Different);
        assert_eq!(on(date(2027, 3, 1), "x".into()), DifferenceClass::Different);
    }

    #[test]
    fn an_absent_member_is_no_noise_of_its_value() {
        let mut comparer = comparer(vec![]);
        for _ in 0..3 {
            twice(&mut comparer, r#"[{"n":1}]"#, r#"[{"n":2}]"#, r#"[{"n":3}]"#);
        }
        assert_eq!(
            once(&comparer, r#"[{"n":1}]"#, r#"[{"n":3}]"#),
            DifferenceClass::Volatile
        );
        assert_eq!(
            once(&comparer, r#"[{"n":1}]"#, "[{}]"),
            DifferenceClass::Different
        );
    }

    #[test]
    fn a_site_that_fails_hides_no_failure_of_the_other() {
        let mut comparer = comparer(vec![]);
        let (read, headers) = (operation("events.read"), HeaderMap::new());
        let answer = |status| ComparedResponse {
            status,
            headers: &headers,
            body: b"{}",
            own_hosts: OwnHosts::NONE,
        };
        let (well, failed) = (answer(StatusCode::OK), answer(StatusCode::INTERNAL_SERVER_ERROR));
        let refused = answer(StatusCode::TOO_MANY_REQUESTS);
        for _ in 0..10 {
            comparer.compare_twice(read, well, failed, failed);
            comparer.compare_twice(read, well, refused, refused);
            comparer.compare_twice(read, refused, well, well);
        }
        assert_eq!(
            comparer.compare(read, well, failed).worst(),
            DifferenceClass::Different
        );
    }
}
