//! The plugin's rule for dates: a number, or a text that PHP's `strtotime` turns into a true value.

use super::date_reading::DateReading;
use super::instant::is_epoch;
use super::plain::is_plain;
use super::scanner::longest;
use super::token::DateToken;
use crate::wordpress::value::numeric::{is_blank, is_numeric};
use crate::wordpress::value::timezone::ZoneReading;
use crate::wordpress::value::{Verdict, Why, split_while, trim_end};

/// The longest text that is judged, in bytes; longer ones are left to PHP. This bounds the work to about a
/// millisecond.
const LONGEST: usize = 512;

/// Judges whether the plugin accepts a text as a date or time (backend.md section 5, "time").
///
/// Numbers are accepted, including `0`. Other texts are accepted if PHP 8.2 `strtotime` reads them in the zone UTC,
/// unless the result is exactly 1970-01-01 00:00:00 UTC. Deferred are texts over 512 bytes, zones that not every PHP
/// has, and dates that are the epoch only on some days (`1 January -56 years`).
pub fn time(text: &[u8]) -> Verdict {
    if is_plain(text) || is_numeric(text) {
        return Verdict::Admit;
    }
    by_grammar(text)
}

/// The verdict on a text that is not a number.
pub(super) fn by_grammar(text: &[u8]) -> Verdict {
    if trim(text).len() > LONGEST {
        return Verdict::Defer(Why::PhpBuild);
    }
    let Some(reading) = read(text) else {
        return Verdict::Reject;
    };
    if reading.zone == Some(ZoneReading::Unsure) {
        return Verdict::Defer(Why::PhpBuild);
    }
    match is_epoch(&reading) {
        Some(is_epoch) => Verdict::of(!is_epoch),
        None => Verdict::Defer(Why::PhpBuild),
    }
}

/// Reads all pieces of a text; `None` if PHP refuses it, and for texts over 512 bytes. A date without a time of day begins
/// at midnight.
pub(super) fn read(text: &[u8]) -> Option<DateReading> {
    let text = trim(text);
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    // PHP's scanner sees a NUL behind the text, which some forms accept as their final blank.
    let mut padded = text.to_vec();
    padded.push(0);
    let mut reading = DateReading::default();
    let mut place = 0;
    while place < text.len() {
        let ((_, read), end) = longest(&padded, place)?;
        let mut token = DateToken::new(padded.get(place..end).unwrap_or_default());
        read(&mut reading, &mut token)?;
        // No form matches an empty text. This prevents a loop if the table of forms has a mistake.
        place = end.max(place + 1);
    }
    if reading.has_date() && !reading.has_clock() {
        reading.clear_clock();
    }
    Some(reading)
}

/// Removes white space from both ends, but keeps one byte if there is nothing else.
fn trim(text: &[u8]) -> &[u8] {
    let trimmed = trim_end(split_while(text, is_blank).1, is_blank);
    if trimmed.is_empty() {
        return text.get(text.len().saturating_sub(1)..).unwrap_or_default();
    }
    trimmed
}
