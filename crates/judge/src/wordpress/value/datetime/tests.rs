//! Compares the reading of dates with PHP's: with the recorded table, and with live PHP if it is installed.

use proptest::prelude::*;

use super::generated::{dates, dates_near_1970};
use super::time;
use crate::wordpress::value::oracle::{Score, compare};
use crate::wordpress::value::{Verdict, fixture};

const CASES: &str = include_str!("../../../../../../fixtures/dates/cases.tsv");
const SCRIPT: &str = "dates/verdicts.php";

#[test]
fn agrees_with_the_recorded_verdicts_of_php() {
    let cases = fixture::rows(CASES);
    assert!(cases.len() >= 1000, "the table is complete");
    let score = Score::of(time, cases.iter().map(|(text, columns)| (&text[..], columns[0])));
    score.assert_none_wrong("recorded dates");
    score.assert_few_deferred();
}

#[test]
fn a_date_that_counts_back_to_1970_may_be_the_epoch() {
    for text in [
        "-56 years",
        "-600 months",
        "-20000 days",
        "-500000 hours",
        "-15000 weekdays",
    ] {
        assert!(matches!(time(text.as_bytes()), Verdict::Defer(_)), "{text}");
    }
    for text in ["-40 years", "+600 months", "-500 months", "+20000 days"] {
        assert_eq!(time(text.as_bytes()), Verdict::Admit, "{text}");
    }
}

#[test]
fn agrees_with_live_php_on_generated_dates() {
    if let Some(score) = compare("made-up dates", SCRIPT, time, &dates()) {
        score.assert_few_deferred();
    }
}

#[test]
fn agrees_with_live_php_on_dates_near_the_epoch() {
    compare("dates near the epoch", SCRIPT, time, &dates_near_1970());
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
