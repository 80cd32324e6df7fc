//! The chain of causes behind an error, for log lines and for decisions by type.

use std::error::Error;

/// The error and its sources, outermost first.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// The error and its causes on one line. A configuration's problems come with their lines.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
    texts.join(": ")
}
