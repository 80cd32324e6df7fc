//! The forms of values in log lines.

use std::error::Error;
use std::time::Duration;

/// Maximum bytes of a text of a client, or of a URL.
const LONGEST: usize = 1024;

/// The beginning of a text that may be long.
pub(crate) fn cut(text: &str) -> &str {
    let end = text.floor_char_boundary(LONGEST);
    text.get(..end).unwrap_or_default()
}

/// Milliseconds with three decimals.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    let microseconds = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
    f64::from(microseconds) / 1000.0
}

/// The error and its sources, outermost first.
pub fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// The error and its causes on one line. A configuration's problems come with their lines.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
    texts.join(": ")
}
