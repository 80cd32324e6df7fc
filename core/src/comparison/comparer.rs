//! Findings judged by the rules of an operator and by the noise that was learnt.

use jiff::civil::Date;

use super::class::DifferenceClass;
use super::compare::{ComparedAnswer, compare};
use super::findings::PathFindings;
use super::noise::Noise;
use crate::contract::{OperationId, table};
use crate::settings::{CompareSettings, IgnoreRule};

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

    /// Compares the owner's answer with another backend's.
    pub fn compare(
        &self,
        operation: Option<OperationId>,
        owner: ComparedAnswer<'_>,
        other: ComparedAnswer<'_>,
    ) -> PathFindings {
        compare(operation, owner, other).reclassed(|path, class| {
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
