//! Findings judged by the rules of an operator and by the noise that was learnt.

use jiff::civil::Date;

use super::class::DifferenceClass;
use super::compare::{ComparedAnswer, compare};
use super::findings::PathFindings;
use super::noise::Noise;
use crate::settings::{CompareSettings, IgnoreRule};
use calendar_edge_judge::contract::{OperationId, table};

/// Compares answers, leaves ignored paths out, and calls noise by its name.
#[derive(Debug, Clone)]
pub struct Comparer {
    rules: Vec<IgnoreRule>,
    today: Date,
    noise: Noise,
}

/// A rule that has ended, with the path that counts again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct EndedRule {
    /// The path of the rule.
    pub path: String,
    /// Its reason.
    pub reason: String,
    /// The day on which it ended.
    pub until: String,
}

// === impl Comparer ===

impl Comparer {
    /// A comparer by these rules; `today` decides which of them have ended.
    pub fn new(settings: &CompareSettings, today: Date) -> Self {
        Self {
            rules: settings.ignore.clone(),
            today,
            noise: Noise::default(),
        }
    }

    /// The same noise under these rules; `today` decides which of them have ended.
    pub fn adapt(&mut self, settings: &CompareSettings, today: Date) {
        self.rules.clone_from(&settings.ignore);
        self.today = today;
    }

    /// Compares the primary's answer with another backend's.
    pub fn compare(
        &self,
        operation: Option<OperationId>,
        primary: ComparedAnswer<'_>,
        other: ComparedAnswer<'_>,
    ) -> PathFindings {
        compare(operation, primary, other).reclassed(|path, class| {
            if self.ignores(operation, path) {
                return None;
            }
            let is_noise = class == DifferenceClass::Different && self.noise.covers(operation, path);
            Some(if is_noise {
                DifferenceClass::Volatile
            } else {
                class
            })
        })
    }

    /// Learns noise from two answers of one backend to the same call.
    pub fn learn(
        &mut self,
        operation: Option<OperationId>,
        first: ComparedAnswer<'_>,
        second: ComparedAnswer<'_>,
    ) {
        self.noise.learn(operation, &compare(operation, first, second));
    }

    /// The ended rules that would still apply to these findings.
    pub fn ended(&self, operation: Option<OperationId>, findings: &PathFindings) -> Vec<EndedRule> {
        let ended = self.rules.iter().filter(|rule| self.has_ended(rule));
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

    fn ignores(&self, operation: Option<OperationId>, path: &str) -> bool {
        let mut current = self.rules.iter().filter(|rule| !self.has_ended(rule));
        current.any(|rule| applies(rule, operation, path))
    }

    fn has_ended(&self, rule: &IgnoreRule) -> bool {
        rule.until.is_some_and(|until| until <= self.today)
    }
}

/// A rule applies to its path, and to everything below.
fn applies(rule: &IgnoreRule, operation: Option<OperationId>, path: &str) -> bool {
    let is_named = operation.is_some_and(|id| {
        let rows = table().operations().iter();
        let mut names = rows.filter(|row| row.id == id).map(|row| row.name.as_str());
        names.any(|name| rule.operations.iter().any(|pattern| pattern.matches(name)))
    });
    let below = path.strip_prefix(rule.path.as_str());
    is_named && below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, StatusCode};
    use jiff::civil::date;

    use super::super::ComparisonReport;
    use super::super::tests::{found, operation};
    use super::*;
    use crate::settings::OperationPattern;

    fn comparer(ignore: Vec<IgnoreRule>) -> Comparer {
        Comparer::new(&CompareSettings { ignore }, date(2027, 3, 1))
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
        let answer = |body: &'static str| ComparedAnswer {
            status: StatusCode::OK,
            headers: &headers,
            body: body.as_bytes(),
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
            let json = report.to_json(DifferenceClass::Representation);
            let named = json["ended_rules"][0]["until"] == until.to_string();
            assert_eq!(named, is_ended, "{json}");
        }
    }

    #[test]
    fn noise_is_learnt_from_double_questions() {
        let mut comparer = comparer(vec![]);
        let headers = HeaderMap::new();
        let answer = |body: &'static [u8]| ComparedAnswer {
            status: StatusCode::OK,
            headers: &headers,
            body,
        };
        let read = operation("events.read");
        comparer.learn(
            read,
            answer(br#"{"nonce":"a","n":1}"#),
            answer(br#"{"nonce":"b","n":"1"}"#),
        );
        let findings = judged(
            &comparer,
            "events.read",
            r#"{"nonce":"c","n":1}"#,
            r#"{"nonce":"d","n":2}"#,
        );
        let expected = [
            ("n", DifferenceClass::Different),
            ("nonce", DifferenceClass::Volatile),
        ];
        assert_eq!(
            found(&findings),
            expected.map(|(path, class)| (path.to_owned(), class))
        );
        let elsewhere = judged(&comparer, "venues.read", r#"{"nonce":"c"}"#, r#"{"nonce":"d"}"#);
        assert_eq!(elsewhere.worst(), DifferenceClass::Different);
    }
}
