//! PHP's `strtotime`: the texts that it reads as a date or time, and the test for the first second of 1970.
//!
//! PHP reads a date piece by piece. At each position, the form with the longest match counts. A piece is a
//! date, a time of day, a zone, an amount such as `+1 week`, a word such as `tomorrow`, or a blank. PHP
//! refuses two dates, two times, three zones, an unknown zone, and any byte that no form accepts. Numbers
//! past their range are not an error: the forms bound them (hour 25 has no form), and 30 February becomes 1
//! or 2 March.
//!
//! The instant is computed only to compare it with zero. The forms follow PHP's documented date formats. The
//! exact spellings were learnt from PHP 8.2, and `fixtures/dates/cases.tsv` proves them.

mod calendar;
mod clock;
mod date;
mod date_reading;
mod date_rule;
#[cfg(test)]
mod generated;
mod instant;
mod moment;
mod plain;
mod relative;
mod scanner;
mod token;
mod turn;
mod vocabulary;
mod wall;
mod zone;

pub use date_rule::time;
pub use turn::{DateTurn, turn};
pub use wall::wall;
#[cfg(test)]
mod tests;
