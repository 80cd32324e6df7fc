//! Log lines as JSON: one object a line, each field written once.

use std::cell::Cell;
use std::fmt::{self, Write};

use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use super::printable::printable_json;

/// Writes an event as one JSON object: time, level, the event's own fields, target, and the innermost span.
///
/// It writes what `tracing-subscriber` writes with flattened events and the current span, at a fraction of the cost: a
/// request has a line of twenty fields. Hidden characters are escaped.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonLines;

/// Puts the fields of an event into a line.
struct JsonFieldWriter<'a> {
    line: &'a mut String,
}

thread_local! {
    /// The memory of the last line of this thread, taken while a line is written.
    static LINE: Cell<String> = const { Cell::new(String::new()) };
}

/// Maximum memory that a thread keeps for its next line, in bytes.
const LARGEST_KEPT: usize = 16 * 1024;

// === impl JsonLines ===

impl<S, N> FormatEvent<S, N> for JsonLines
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
        let mut line = LINE.take();
        line.clear();
        let span = event.parent().and_then(|id| context.span(id));
        let span = span.or_else(|| context.lookup_current());
        write_event(&mut line, event)?;
        if let Some(span) = &span {
            write_span::<S, N>(&mut line, span);
        }
        line.push_str("}\n");
        let written = if line.is_ascii() && !line.contains('\u{7f}') {
            writer.write_str(&line)
        } else {
            writer.write_str(&printable_json(&line))
        };
        if line.capacity() <= LARGEST_KEPT {
            LINE.set(line);
        }
        written
    }
}

fn write_event(line: &mut String, event: &Event<'_>) -> fmt::Result {
    let metadata = event.metadata();
    write!(line, "{{\"timestamp\":\"{:.6}\"", Timestamp::now())?;
    line.push_str(",\"level\":\"");
    line.push_str(metadata.level().as_str());
    line.push('"');
    event.record(&mut JsonFieldWriter { line });
    line.push_str(",\"target\":");
    push_text(line, metadata.target());
    Ok(())
}

/// The fields of a span, which were written as an object when it began, and its name.
fn write_span<S, N>(line: &mut String, span: &SpanRef<'_, S>)
where
    S: for<'a> LookupSpan<'a>,
    N: 'static,
{
    let extensions = span.extensions();
    let fields = extensions.get::<FormattedFields<N>>();
    let object = fields.map_or("{}", |fields| fields.fields.as_str()).trim();
    let inner = object
        .strip_prefix('{')
        .and_then(|object| object.strip_suffix('}'));
    line.push_str(",\"span\":{");
    if let Some(inner) = inner.filter(|inner| !inner.is_empty()) {
        line.push_str(inner);
        line.push(',');
    }
    line.push_str("\"name\":");
    push_text(line, span.name());
    line.push('}');
}

/// A string; only what JSON must escape is escaped.
fn push_text(line: &mut String, text: &str) {
    let start = line.len() + 1;
    line.push('"');
    line.push_str(text);
    end_text(line, start);
}

/// Ends the string that begins behind the quotation mark before `start`.
fn end_text(line: &mut String, start: usize) {
    let is_plain = |text: &str| {
        text.bytes()
            .all(|byte| byte >= b' ' && !matches!(byte, b'"' | b'\\'))
    };
    if line.get(start..).is_some_and(is_plain) {
        line.push('"');
        return;
    }
    let text = line.split_off(start);
    line.pop();
    line.push_str(&serde_json::Value::from(text).to_string());
}

// === impl JsonFieldWriter ===

impl JsonFieldWriter<'_> {
    fn name(&mut self, field: &Field) {
        self.line.push(',');
        push_text(self.line, field.name());
        self.line.push(':');
    }

    fn plain(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        self.name(field);
        // Writing into a string does not fail.
        let _ = self.line.write_fmt(value);
    }
}

impl Visit for JsonFieldWriter<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        push_text(self.line, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.name(field);
        self.line.push_str(if value { "true" } else { "false" });
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.plain(field, format_args!("{value}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.plain(field, format_args!("{value}"));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.plain(field, format_args!("{value:?}"));
        } else {
            self.plain(field, format_args!("null"));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.name(field);
        let start = self.line.len() + 1;
        self.line.push('"');
        // Writing into a string fails only if the value does: what it wrote stays.
        let _ = write!(self.line, "{value:?}");
        end_text(self.line, start);
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, LazyLock, Mutex};

    use proptest::prelude::*;
    use serde_json::Value;
    use tracing::Dispatch;
    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::{Layer, Registry};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Lines {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    impl Lines {
        /// Each line without its time, which must be one.
        fn read(&self) -> Vec<String> {
            let bytes = self.0.lock().unwrap();
            let text = std::str::from_utf8(&bytes).unwrap();
            text.lines().map(without_time).collect()
        }
    }

    fn without_time(line: &str) -> String {
        let (time, rest) = line.split_at(r#"{"timestamp":"2026-11-22T09:00:00.000000Z""#.len());
        let time = time
            .strip_prefix(r#"{"timestamp":""#)
            .unwrap()
            .strip_suffix('"')
            .unwrap();
        assert!(time.parse::<Timestamp>().is_ok(), "{time}");
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
        printable_json(rest).into_owned()
    }

    /// A subscriber that lives as long as the tests: while two others change, a call site that no living one wants is
    /// switched off for all threads.
    static INTERESTED: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Registry::default()));

    /// What `log` writes by the library, and what it writes here.
    fn both(log: impl Fn()) -> (Vec<String>, Vec<String>) {
        LazyLock::force(&INTERESTED);
        let (theirs, ours) = (Lines::default(), Lines::default());
        let library = || {
            tracing_subscriber::fmt::layer()
                .json()
                .flatten_event(true)
                .with_span_list(false)
        };
        let layer = library().with_writer(theirs.clone());
        let subscriber = Registry::default().with(layer.boxed());
        tracing::subscriber::with_default(subscriber, &log);
        let layer = library().event_format(JsonLines).with_writer(ours.clone());
        let subscriber = Registry::default().with(layer.boxed());
        tracing::subscriber::with_default(subscriber, &log);
        (theirs.read(), ours.read())
    }

    /// Logs while it is printed.
    struct Chatty;

    impl fmt::Debug for Chatty {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            tracing::warn!("printing");
            formatter.write_str("chatty")
        }
    }

    #[test]
    fn lines_are_those_of_the_library() {
        let (theirs, ours) = both(|| {
            tracing::info!("plain");
            tracing::warn!(target: "calendar_edge::access", number = 7_u64, below = -7, flag = true, time = 0.25, "a line");
            tracing::info!(
                whole = 12.0,
                tiny = 1e-9,
                none = f64::NAN,
                wide = u128::MAX,
                absent = Option::<u64>::None
            );
            tracing::error!(error = %io::Error::other("a \"quoted\"\nerror"), debugged = ?vec!["a\\b"], dotted.name = "x");
            let outer = tracing::info_span!("request", id = "r-1");
            let _outer = outer.enter();
            tracing::info!("inside");
            let inner = tracing::info_span!("nameless");
            inner.in_scope(|| tracing::info!("in a span without fields"));
            tracing::info!(parent: &inner, "beside");
        });
        assert_eq!(theirs, ours);
        assert_eq!(ours.len(), 7);
    }

    #[test]
    fn a_value_that_logs_does_not_mix_lines() {
        let (theirs, ours) = both(|| tracing::info!(value = ?Chatty, "a line"));
        assert_eq!(theirs, ours);
        assert!(ours[0].contains(r#""value":"chatty""#), "{ours:?}");
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_the_library_writes_it(text: String, more in "[\"\\\\\u{0}-\u{20}\u{7f}a-c€]{0,12}") {
            let (theirs, ours) = both(|| {
                let span = tracing::info_span!("request", id = more.as_str());
                let _inside = span.enter();
                tracing::info!(text = text.as_str(), shown = %more, debugged = ?more, "{text}");
            });
            prop_assert_eq!(theirs, ours);
        }
    }
}
