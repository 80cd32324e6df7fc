//! One recognised piece of a date, and PHP's way to take numbers and words from it.
//!
//! PHP recognises a piece as a whole and then takes its numbers one after the other, skipping the bytes
//! between them. This leads to some strange readings, which this module reproduces.

use super::date_reading::DateReading;
use super::vocabulary::{self, Amount, Unit};
use crate::wordpress::value::split_while;
use crate::wordpress::value::timezone::{ZoneReading, offset};

/// One form of date, time, zone or relative words: the regular expression of its spelling, which names
/// [`vocabulary::FRAGMENTS`] in braces, and the function that adds its content to a reading, or returns `None` for a flaw.
pub(super) type Form = (
    &'static str,
    fn(&mut DateReading, &mut DateToken<'_>) -> Option<()>,
);

/// The part of a piece that was not read yet.
pub(super) struct DateToken<'a> {
    rest: &'a [u8],
}

// === impl DateToken ===

impl<'a> DateToken<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// The next byte; `None` at the end, which PHP sees as a NUL.
    pub(super) fn peek(&self) -> Option<u8> {
        self.rest.first().copied().filter(|&byte| byte != 0)
    }

    /// True if these bytes come next.
    pub(super) fn starts_with(&self, bytes: &[u8]) -> bool {
        self.rest.starts_with(bytes)
    }

    /// The next number, of at most `most` digits; `None` if there is no number left.
    pub(super) fn number(&mut self, most: usize) -> Option<i64> {
        self.digits(most).and_then(number_of)
    }

    /// The next number, as a year: one or two digits represent 1970 to 2069.
    pub(super) fn year(&mut self) -> Option<i64> {
        let digits = self.digits(4)?;
        let year = number_of(digits)?;
        Some(match year {
            0..70 if digits.len() < 4 => year + 2000,
            70..100 if digits.len() < 4 => year + 1900,
            _ => year,
        })
    }

    /// The next number with its signs: each `-` reverses it.
    pub(super) fn signed(&mut self, most: usize) -> Option<i64> {
        self.skip_until(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-'));
        let mut negative = false;
        while let Some(sign @ (b'+' | b'-')) = self.peek() {
            negative ^= sign == b'-';
            self.advance(1);
        }
        let digits = self.digits(most)?;
        let magnitude: i128 = std::str::from_utf8(digits).ok()?.parse().ok()?;
        i64::try_from(if negative { -magnitude } else { magnitude }).ok()
    }

    /// The next month's name; no pattern accepts an unknown name.
    pub(super) fn month(&mut self) -> Option<i64> {
        self.skip_while(|byte| b" \t-./".contains(&byte));
        vocabulary::month(self.take_while(|byte| byte.is_ascii_alphabetic()))
    }

    /// Skips `st`, `nd`, `rd` or `th` at this position.
    pub(super) fn skip_ordinal(&mut self) {
        let suffix = self.rest.get(..2).unwrap_or_default().to_ascii_lowercase();
        if [b"st", b"nd", b"rd", b"th"]
            .iter()
            .any(|known| suffix == known[..])
        {
            self.advance(2);
        }
    }

    /// Skips blanks, tabs and the two no-break spaces.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.rest {
                [b' ' | b'\t', ..] => self.advance(1),
                [0xc2, 0xa0, ..] => self.advance(2),
                [0xe2, 0x80, 0xaf, ..] => self.advance(3),
                _ => return,
            }
        }
    }

    /// The hours that `am` or `pm` adds to this hour.
    pub(super) fn meridian(&mut self, hour: i64) -> i64 {
        self.skip_until(|byte| b"AaPp".contains(&byte));
        let morning = matches!(self.peek(), Some(b'a' | b'A'));
        match (morning, hour) {
            (true, 12) => -12,
            (true, _) | (false, 12) => 0,
            (false, _) => 12,
        }
    }

    /// A fraction of a second, in microseconds. As in PHP, rounding may make it a whole second.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "PHP scales the digits as a double and cuts the result"
    )]
    pub(super) fn fraction(&mut self) -> i64 {
        let written = self.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':'));
        let digits = number_text(written.get(1..).unwrap_or_default());
        let scaled = digits.parse::<f64>().unwrap_or(0.0) * 10f64.powf(7.0 - written.len() as f64);
        scaled as i64
    }

    /// The fraction of a timestamp, up to six digits, in microseconds.
    pub(super) fn fraction_digits(&mut self) -> Option<i64> {
        let digits = self.digits(6)?;
        let missing = 6u32.saturating_sub(u32::try_from(digits.len()).unwrap_or(6));
        Some(number_of(digits)? * 10i64.pow(missing))
    }

    /// The amount of a word such as `next` or `third`.
    pub(super) fn amount(&mut self) -> Amount {
        self.skip_while(|byte| b" \t-/".contains(&byte));
        let word = self.take_while(|byte| byte.is_ascii_alphabetic());
        vocabulary::amount(word)
    }

    /// The next unit, and the number of units that its name represents.
    pub(super) fn unit(&mut self) -> Option<(Unit, i64)> {
        let name = self.take_while(|byte| !b"\0 ,\t;:/.-()".contains(&byte));
        vocabulary::unit(name)
    }

    /// The zone that the rest names.
    pub(super) fn zone(&mut self) -> ZoneReading {
        let (zone, rest) = offset::read(self.rest);
        self.rest = rest;
        zone
    }

    /// The digits of the next number, at most `most` of them.
    fn digits(&mut self, most: usize) -> Option<&'a [u8]> {
        self.skip_until(|byte| byte.is_ascii_digit());
        let count = self
            .rest
            .iter()
            .take(most)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        (count > 0).then_some(digits)
    }

    fn skip_until(&mut self, stops: impl Fn(u8) -> bool) {
        self.skip_while(|byte| byte != 0 && !stops(byte));
    }

    fn skip_while(&mut self, skips: impl Fn(u8) -> bool) {
        self.take_while(skips);
    }

    fn take_while(&mut self, takes: impl Fn(u8) -> bool) -> &'a [u8] {
        let count = self.rest.iter().take_while(|&&byte| takes(byte)).count();
        let (start, rest) = self.rest.split_at(count);
        self.rest = rest;
        start
    }

    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }
}

/// The value of at most 19 digits; where a plain number is read, the patterns allow no more.
fn number_of(digits: &[u8]) -> Option<i64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The leading digits, as text.
fn number_text(bytes: &[u8]) -> &str {
    let (digits, _) = split_while(bytes, |byte| byte.is_ascii_digit());
    std::str::from_utf8(digits).unwrap_or_default()
}
