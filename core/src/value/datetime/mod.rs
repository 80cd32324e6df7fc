//! PHP's `strtotime`: which texts are a date or time, and whether that is the first second of 1970.
//!
//! PHP reads a date piece by piece: at each place the form with the longest match counts. A piece may be a
//! date, a time of day, a zone, an amount such as `+1 week`, a word such as `tomorrow`, or a blank. Two dates or two
//! times, three zones, an unknown zone and any byte without a form are flaws. Numbers past their range are none: the
//! forms themselves bound them (hour 25 has no form), and 30 February rolls over.
//!
//! The instant is computed only to tell whether it is zero. The forms follow PHP's documented date formats; which
//! spellings they take was learnt from PHP 8.2 and is proven by `fixtures/dates/cases.tsv`.

mod calendar;
mod clock;
mod date;
mod form;
#[cfg(test)]
mod generated;
mod instant;
mod moment;
mod pattern;
mod plain;
mod reading;
mod relative;
mod rule;
mod token;
mod vocabulary;
mod wall;
mod zone;

use rule::Flaw;
pub use rule::time;
pub use wall::wall;
#[cfg(test)]
mod tests;
