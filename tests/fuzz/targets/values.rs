//! Values: rules that hold for every text, whatever it is.

#![no_main]

use calendar_edge_judge::wordpress::value::boolean::is_boolean;
use calendar_edge_judge::wordpress::value::datetime::time;
use calendar_edge_judge::wordpress::value::integer::{is_integer, is_positive_int};
use calendar_edge_judge::wordpress::value::numeric::is_numeric;
use calendar_edge_judge::wordpress::value::timezone::timezone_or_empty;
use calendar_edge_judge::wordpress::value::url_filter::url_or_empty;
use calendar_edge_judge::wordpress::value::{Value, Verdict};
use libfuzzer_sys::fuzz_target;

/// Longer texts are left to PHP.
const LONGEST_DATE: usize = 500;

fuzz_target!(|text: &[u8]| {
    numbers(text);
    dates(text);
    zones(text);
    addresses(text);
});

fn numbers(text: &[u8]) {
    let value = Value::text(text);
    assert!(!is_positive_int(&value) || is_numeric(text));
    assert!(!is_integer(&value) || is_numeric(text));
    assert_eq!(
        is_numeric(text),
        is_numeric(&[b" ", text, b"\n"].concat()) && !text.is_empty()
    );
    let words: [&[u8]; 4] = [b"0", b"1", b"true", b"false"];
    assert_eq!(is_boolean(&value), words.contains(&&*text.to_ascii_lowercase()));
}

fn dates(text: &[u8]) {
    let verdict = time(text);
    if is_numeric(text) {
        assert_eq!(verdict, Verdict::Admit);
    }
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    if text.iter().all(is_blank) || text.len() > LONGEST_DATE {
        return;
    }
    // PHP trims a date before it reads it; of blanks alone it keeps the last.
    assert_eq!(time(&[b" ", text].concat()), verdict);
    assert_eq!(time(&[text, b"\t"].concat()), verdict);
}

fn zones(text: &[u8]) {
    let trimmed = trim(text);
    if !trimmed.is_empty() {
        // Whatever stands behind `UTC` is taken.
        assert_eq!(timezone_or_empty(&[b"UTC", text].concat()), Verdict::Admit);
    }
    if text.contains(&0) && !trimmed.starts_with(b"UTC") {
        assert_eq!(timezone_or_empty(text), Verdict::Reject);
    }
}

/// PHP's `trim`.
fn trim(text: &[u8]) -> &[u8] {
    let is_kept = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0);
    let start = text.iter().position(is_kept).unwrap_or(text.len());
    let end = text.iter().rposition(is_kept).map_or(start, |last| last + 1);
    &text[start..end]
}

fn addresses(text: &[u8]) {
    let verdict = url_or_empty(text);
    if verdict == Verdict::Reject || text.is_empty() || text == b"0" {
        return;
    }
    assert!(text.iter().all(u8::is_ascii_graphic) && text.contains(&b':'));
    if text.len() > 4 && text[..4].eq_ignore_ascii_case(b"http") {
        assert_eq!(url_or_empty(&text.to_ascii_uppercase()), verdict);
        assert_eq!(url_or_empty(&text.to_ascii_lowercase()), verdict);
    }
}
