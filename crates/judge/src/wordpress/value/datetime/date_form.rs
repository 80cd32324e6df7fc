//! One form of date, time, zone or relative words: its spelling and its meaning.

use super::date_reading::DateReading;
use super::pattern::Pattern;
use super::token::DateToken;

/// One form.
pub(super) struct Form {
    /// The spelling.
    pub(super) pattern: Pattern,
    /// Adds the form's content to the reading; `None` for a flaw.
    pub(super) read: fn(&mut DateReading, &mut DateToken<'_>) -> Option<()>,
}
