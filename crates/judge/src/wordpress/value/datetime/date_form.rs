//! One form of date, time, zone or relative words: its spelling and its meaning.

use super::date_reading::DateReading;
use super::pattern::Pattern;
use super::token::DateToken;
use super::{Flaw, clock, date, moment, relative, zone};

/// One form.
pub(super) struct Form {
    /// The spelling.
    pub(super) pattern: Pattern,
    /// Adds the form's content to the reading.
    pub(super) read: fn(&mut DateReading, &mut DateToken<'_>) -> Result<(), Flaw>,
}

/// All forms, in order: of equally long matches the first one counts.
fn all() -> impl Iterator<Item = &'static Form> {
    relative::FORMS
        .iter()
        .chain(clock::FORMS)
        .chain(moment::FORMS)
        .chain(date::FORMS)
        .chain([&clock::LONE_YEAR])
        .chain(zone::FORMS)
}

/// The form with the longest match at `start`, and the end of that match.
pub(super) fn longest(text: &[u8], start: usize) -> Option<(&'static Form, usize)> {
    let mut best: Option<(&Form, usize)> = None;
    let first = *text.get(start)?;
    for form in all().filter(|form| form.pattern.may_begin_with(first)) {
        if let Some(end) = form.pattern.longest(text, start)
            && best.is_none_or(|(_, longest)| end > longest)
        {
            best = Some((form, end));
        }
    }
    best
}
