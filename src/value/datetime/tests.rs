//! Compares the reading of dates with PHP's: the recorded table, and live PHP where it is installed.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::made_up::{dates, dates_near_1970};
use super::time;
use crate::value::{Verdict, fixture, oracle};

const CASES: &str = include_str!("../../../fixtures/dates/cases.tsv");

/// Verdicts against PHP's, counted.
#[derive(Debug, Default)]
struct Score {
    admitted: usize,
    refused: usize,
    deferred: usize,
    wrong: Vec<String>,
}

impl Score {
    fn of<'a>(cases: impl IntoIterator<Item = (&'a [u8], &'a str)>) -> Self {
        let mut score = Self::default();
        for (text, php) in cases {
            score.count(text, php);
        }
        score
    }

    fn count(&mut self, text: &[u8], php: &str) {
        match (time(text), php) {
            (Verdict::Defer(_), _) => self.deferred += 1,
            (Verdict::Admit, "true" | "number") => self.admitted += 1,
            (Verdict::Reject, "false" | "zero") => self.refused += 1,
            (verdict, _) => {
                let text = fixture::escape(text);
                self.wrong.push(format!("{text}: {verdict:?}, PHP says {php}"));
            }
        }
    }

    fn assert_none_wrong(&self, what: &str) {
        println!("{what}: {self}");
        assert!(self.wrong.is_empty(), "{what}:\n{}", self.wrong.join("\n"));
    }

    fn assert_few_deferred(&self) {
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

#[test]
fn agrees_with_the_recorded_verdicts_of_php() {
    let cases = fixture::rows(CASES);
    assert!(cases.len() >= 1000, "the table is complete");
    let score = Score::of(cases.iter().map(|(text, columns)| (&text[..], columns[0])));
    score.assert_none_wrong("recorded dates");
    score.assert_few_deferred();
}

#[test]
fn agrees_with_live_php_on_made_up_dates() {
    if let Some(score) = compare("made-up dates", &dates()) {
        score.assert_few_deferred();
    }
}

#[test]
fn agrees_with_live_php_on_dates_near_the_epoch() {
    compare("dates near the epoch", &dates_near_1970());
}

proptest! {
    #[test]
    fn never_panics_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        time(&bytes);
    }

    #[test]
    fn never_panics_on_pieces_of_dates(text in dates()) {
        time(&text);
    }
}

#[test]
fn leaves_long_texts_to_php() {
    let long = "2027-01-15 ".repeat(60);
    assert!(matches!(time(long.as_bytes()), Verdict::Defer(_)));
    assert_eq!(
        time(&b" ".repeat(5000)),
        Verdict::Admit,
        "blanks around a text don't count"
    );
    assert_eq!(
        time(&b"1".repeat(5000)),
        Verdict::Admit,
        "a number of any length is one"
    );
}

/// Compares made-up dates, half of them always the same; none where there is no PHP to ask.
fn compare(what: &str, strategy: &impl Strategy<Value = Vec<u8>>) -> Option<Score> {
    let half = oracle::cases() / 2;
    let mut texts = made_up(strategy, TestRunner::deterministic(), half);
    texts.extend(made_up(strategy, random_runner(), half));
    let verdicts = oracle::verdicts("dates/verdicts.php", &texts)?;
    let score = Score::of(
        texts
            .iter()
            .zip(&verdicts)
            .map(|(text, php)| (&text[..], &php[..])),
    );
    score.assert_none_wrong(what);
    Some(score)
}

fn made_up(strategy: &impl Strategy<Value = Vec<u8>>, mut runner: TestRunner, count: usize) -> Vec<Vec<u8>> {
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
