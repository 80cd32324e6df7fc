//! Log lines as text for people: those of the library, without the hidden characters of clients.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::printable::printable_line;

/// Writes an event as the library does, with or without colours.
#[derive(Debug)]
pub(super) struct TextLines(Format<Full>);

// === impl TextLines ===

impl TextLines {
    pub(super) fn new(is_coloured: bool) -> Self {
        Self(Format::default().with_ansi(is_coloured))
    }
}

impl<S, N> FormatEvent<S, N> for TextLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        writer.write_str(&printable_line(&line))
    }
}
