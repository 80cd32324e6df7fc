//! PHP as a second opinion in tests: verdicts recorded in `fixtures/`, and live ones if PHP is installed.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use guards::skips::skipped;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{Verdict, fixture};

/// A rule under test.
type Oracle = fn(&[u8]) -> Verdict;

/// The counts of verdicts that agree with PHP's, and of those that do not.
#[derive(Debug, Default)]
pub(super) struct Score {
    admitted: usize,
    refused: usize,
    deferred: usize,
    wrong: Vec<String>,
}

impl Score {
    /// Judges texts and compares each verdict with PHP's.
    pub(super) fn of<'a>(judge: Oracle, cases: impl IntoIterator<Item = (&'a [u8], &'a str)>) -> Self {
        let mut score = Self::default();
        for (text, php) in cases {
            score.count(judge(text), text, php);
        }
        score
    }

    fn count(&mut self, verdict: Verdict, text: &[u8], php: &str) {
        match (verdict, php) {
            (Verdict::Defer(_), _) => self.deferred += 1,
            (Verdict::Admit, "true" | "number") => self.admitted += 1,
            (Verdict::Reject, "false" | "zero") => self.refused += 1,
            _ => {
                let text = fixture::escape(text);
                self.wrong.push(format!("{text}: {verdict:?}, PHP reads {php}"));
            }
        }
    }

    pub(super) fn assert_none_wrong(&self, what: &str) {
        println!("{what}: {self}");
        assert!(self.wrong.is_empty(), "{what}:\n{}", self.wrong.join("\n"));
    }

    pub(super) fn assert_few_deferred(&self) {
        let judged = self.admitted + self.refused;
        assert!(self.deferred * 50 <= judged, "at most 2 % deferred: {self}");
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            admitted,
            refused,
            deferred,
            wrong,
        } = self;
        let wrong = wrong.len();
        write!(
            f,
            "{admitted} admitted, {refused} refused, {deferred} deferred, {wrong} wrong"
        )
    }
}

/// Compares generated texts, half of them always the same; `None` if PHP is not installed.
pub(super) fn compare(
    what: &str,
    script: &str,
    judge: Oracle,
    strategy: &impl Strategy<Value = Vec<u8>>,
) -> Option<Score> {
    let half = cases() / 2;
    let mut texts = generate(strategy, TestRunner::deterministic(), half);
    texts.extend(generate(strategy, random_runner(), half));
    let verdicts = verdicts(script, &texts)?;
    let score = Score::of(
        judge,
        texts
            .iter()
            .zip(&verdicts)
            .map(|(text, php)| (&text[..], &php[..])),
    );
    score.assert_none_wrong(what);
    Some(score)
}

fn generate(strategy: &impl Strategy<Value = Vec<u8>>, mut runner: TestRunner, count: usize) -> Vec<Vec<u8>> {
    let mut make = || {
        strategy
            .new_tree(&mut runner)
            .expect("nothing is filtered")
            .current()
    };
    (0..count).map(|_| make()).collect()
}

fn random_runner() -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &random_seed());
    TestRunner::new_with_rng(Config::default(), rng)
}

/// A seed from the hash keys of the process, printed so that a failure can be repeated.
fn random_seed() -> [u8; 32] {
    use std::hash::{BuildHasher, RandomState};
    let mut seed = [0; 32];
    for part in seed.chunks_exact_mut(8) {
        part.copy_from_slice(&RandomState::new().hash_one(0).to_le_bytes());
    }
    println!("seed of the random half: {seed:?}");
    seed
}

/// PHP's verdicts on the texts, in their order, from a script of `fixtures/`; `None` if PHP 8.2 is not
/// installed.
fn verdicts(script: &str, texts: &[Vec<u8>]) -> Option<Vec<String>> {
    if !is_php_8_2() {
        skipped("no PHP 8.2 here to compare with");
        return None;
    }
    let mut php = Command::new("php")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/").to_owned() + script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("PHP starts");
    let lines: String = texts.iter().map(|text| fixture::escape(text) + "\n").collect();
    let mut stdin = php.stdin.take().expect("stdin is piped");
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = php.wait_with_output().expect("PHP ends");
    writer
        .join()
        .expect("the writer ends")
        .expect("PHP reads all lines");
    let output = String::from_utf8(output.stdout).expect("verdicts are ASCII");
    let rows: Vec<String> = fixture::rows(&output)
        .into_iter()
        .map(|(_, columns)| columns.join("\t"))
        .collect();
    assert_eq!(rows.len(), texts.len(), "one verdict a text");
    Some(rows)
}

/// The number of random texts in a comparison: `CALENDAR_EDGE_ORACLE_CASES`, or a default that keeps tests
/// quick.
fn cases() -> usize {
    let wanted = std::env::var("CALENDAR_EDGE_ORACLE_CASES").ok();
    wanted.and_then(|count| count.parse().ok()).unwrap_or(3000)
}

fn is_php_8_2() -> bool {
    let version = Command::new("php").args(["-r", "echo PHP_VERSION;"]).output();
    match version {
        Ok(output) => output.stdout.starts_with(b"8.2."),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => panic!("PHP does not run: {error}"),
    }
}
