//! The results of a test: checks by subject, each passed, failed or left out.

use std::io::{self, Write};

use calendar_edge::telemetry::printable;
use serde::Serialize;
use serde_json::{Value, json};

/// The checks of a test, in the order in which they were made.
#[derive(Debug, Default)]
pub(super) struct SuiteReport {
    pub(super) checks: Vec<SuiteCheck>,
}

/// One check, or several of one kind with the same result.
#[derive(Debug, Serialize)]
pub(super) struct SuiteCheck {
    /// The operation, or another subject.
    pub(super) subject: String,
    /// The law, as a sentence.
    pub(super) law: String,
    /// The number of times it was made with this result.
    pub(super) count: u64,
    /// The first request that shows it, of a check that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) request: Option<String>,
    #[serde(flatten)]
    pub(super) result: CheckResult,
}

/// The result of a check.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub(super) enum CheckResult {
    Passed,
    Failed {
        expected: String,
        found: String,
    },
    /// It could not be made.
    LeftOut {
        reason: String,
    },
}

// === impl SuiteReport ===

impl SuiteReport {
    /// Adds a check, and the request that shows a failure. One with the same result as before counts once more; the
    /// first request stays.
    pub(super) fn add(&mut self, subject: &str, law: &str, request: Option<String>, result: CheckResult) {
        let same =
            |check: &&mut SuiteCheck| check.subject == subject && check.law == law && check.result == result;
        match self.checks.iter_mut().find(same) {
            Some(check) => check.count += 1,
            None => self.checks.push(SuiteCheck {
                subject: subject.to_owned(),
                law: law.to_owned(),
                count: 1,
                request,
                result,
            }),
        }
    }

    /// The laws that do not hold.
    pub(super) fn failed(&self) -> usize {
        let is_failed = |check: &&SuiteCheck| matches!(check.result, CheckResult::Failed { .. });
        self.checks.iter().filter(is_failed).count()
    }

    fn made(&self) -> u64 {
        self.checks.iter().map(|check| check.count).sum()
    }

    /// The subjects, in the order of their first check.
    pub(super) fn subjects(&self) -> Vec<&str> {
        let mut subjects: Vec<&str> = Vec::new();
        for check in &self.checks {
            if !subjects.contains(&check.subject.as_str()) {
                subjects.push(&check.subject);
            }
        }
        subjects
    }

    /// The checks of a subject.
    pub(super) fn of<'a>(&'a self, subject: &'a str) -> impl Iterator<Item = &'a SuiteCheck> {
        self.checks.iter().filter(move |check| check.subject == subject)
    }

    /// The report for programs.
    pub(super) fn to_json(&self) -> Value {
        json!({"checks": self.checks, "made": self.made(), "failed": self.failed()})
    }

    /// The report for people: subjects with their counts, and the checks that failed or were left out.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for subject in self.subjects() {
            let made: u64 = self.of(subject).map(|check| check.count).sum();
            writeln!(out, "{subject}: {made} checks")?;
            for check in self.of(subject) {
                check.write(out)?;
            }
        }
        writeln!(out, "{} checks, {} laws do not hold", self.made(), self.failed())
    }
}

// === impl SuiteCheck ===

impl SuiteCheck {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.result {
            CheckResult::Passed => Ok(()),
            CheckResult::LeftOut { reason } => writeln!(out, "  left out  {}: {reason}", self.law),
            CheckResult::Failed { expected, found } => {
                writeln!(
                    out,
                    "  FAILED    {}  ({} times)",
                    printable(&self.law),
                    self.count
                )?;
                let request = self.request.as_deref().unwrap_or_default();
                for (name, text) in [("request", request), ("expected", expected), ("found", found)] {
                    writeln!(out, "      {name:9} {}", printable(text))?;
                }
                Ok(())
            }
        }
    }
}
