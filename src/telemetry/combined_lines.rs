//! Requests in the combined format of Apache and nginx, one line each, for programs that read no JSON.

use std::fmt::{self, Write};

use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes the event of a served request as `ADDRESS - - [TIME] "METHOD PATH PROTOCOL" STATUS BYTES "-" "PROGRAM"`.
///
/// Neither the account nor the query nor the referring page is there: all three hold secrets.
#[derive(Debug, Clone, Copy)]
pub(super) struct CombinedLines;

/// What the line tells; a fact that is not known is `-`.
#[derive(Debug, Default)]
struct CombinedEntry {
    client: String,
    method: String,
    path: String,
    version: String,
    status: u64,
    bytes: u64,
    program: String,
}

// === impl CombinedLines ===

impl<S, N> FormatEvent<S, N> for CombinedLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut entry = CombinedEntry::default();
        event.record(&mut entry);
        writeln!(writer, "{}", entry.line(Timestamp::now()))
    }
}

// === impl CombinedEntry ===

impl CombinedEntry {
    fn line(&self, now: Timestamp) -> String {
        let known = |text: &str| {
            if text.is_empty() {
                "-".to_owned()
            } else {
                escaped(text)
            }
        };
        let bytes = if self.bytes == 0 {
            "-".to_owned()
        } else {
            self.bytes.to_string()
        };
        format!(
            "{} - - [{}] \"{} {} HTTP/{}\" {} {bytes} \"-\" \"{}\"",
            known(&self.client),
            now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
            known(&self.method),
            known(&self.path),
            if self.version == "2" { "2.0" } else { &self.version },
            self.status,
            known(&self.program),
        )
    }
}

impl Visit for CombinedEntry {
    fn record_str(&mut self, field: &Field, value: &str) {
        let place = match field.name() {
            "http.request.method" => &mut self.method,
            "url.path" => &mut self.path,
            "network.protocol.version" => &mut self.version,
            "user_agent.original" => &mut self.program,
            _ => return,
        };
        value.clone_into(place);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "http.response.status_code" => self.status = value,
            "http.response.body.size" => self.bytes = value,
            _ => {}
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "client.address" {
            self.client = format!("{value:?}");
        }
    }
}

/// Escapes as Apache does: quotation marks, backslashes, and all that is no printable ASCII.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => escaped.extend(['\\', char::from(byte)]),
            b'\x08' => escaped.push_str("\\b"),
            b'\n' => escaped.push_str("\\n"),
            b'\r' => escaped.push_str("\\r"),
            b'\t' => escaped.push_str("\\t"),
            b'\x0b' => escaped.push_str("\\v"),
            b' '..=b'~' => escaped.push(char::from(byte)),
            _ => {
                // Writing into a string does not fail.
                let _ = write!(escaped, "\\x{byte:02x}");
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_that_of_apache() {
        let entry = CombinedEntry {
            client: "192.0.2.1".to_owned(),
            method: "GET".to_owned(),
            path: "/a".to_owned(),
            version: "2".to_owned(),
            status: 401,
            bytes: 2326,
            program: "curl/8".to_owned(),
        };
        let now: Timestamp = "2026-10-10T13:55:36.5Z".parse().unwrap();
        assert_eq!(
            entry.line(now),
            r#"192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/2.0" 401 2326 "-" "curl/8""#
        );
        let nothing = CombinedEntry {
            version: "1.1".to_owned(),
            status: 499,
            ..CombinedEntry::default()
        };
        assert_eq!(
            nothing.line(now),
            r#"- - - [10/Oct/2026:13:55:36 +0000] "- - HTTP/1.1" 499 - "-" "-""#
        );
    }

    #[test]
    fn no_text_of_a_client_ends_its_field_or_its_line() {
        assert_eq!(
            escaped("a\" 200 \"\\\n\r\t\u{b}\u{8}\u{1b}[0m\u{7f}é\u{202e}"),
            r#"a\" 200 \"\\\n\r\t\v\b\x1b[0m\x7f\xc3\xa9\xe2\x80\xae"#
        );
    }
}
