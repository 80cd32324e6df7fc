//! Settings of spans that are sent to a collector.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use http::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderValue};
use url::Url;

use super::keys::form::COLLECTOR;
use super::keys::group::settings_group;
use super::keys::listening_form::file_like;
use super::keys::rule_form::SHARE;
use super::percentage::Percentage;

settings_group! {
    /// Spans of requests, sent to a collector of OpenTelemetry as OTLP over HTTP, see [traces.md](traces.md). Off
    /// without `endpoint`; then requests still carry their trace to the site.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TraceSettings {
        /// Base URL of the collector, as in `OTEL_EXPORTER_OTLP_ENDPOINT`: spans are sent to `/v1/traces` below it.
        /// Collectors listen at port 4318.
        pub endpoint: Option<Url> = None => text(COLLECTOR), "no spans are made";
        /// File with headers for the collector, one a line: `Authorization: Bearer TOKEN`. Lines that begin with `#` do
        /// not count. A changed file is read again.
        pub headers_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/collector-headers"])),
            "no further headers";
        /// The headers in that file.
        pub headers: CollectorHeaders = CollectorHeaders::default();
        /// Share of the traces that begin at the edge to record. A request that names its parent follows the parent's
        /// decision.
        pub sample: Percentage = Percentage::ALL => printed(SHARE);
        /// Maximum duration of one attempt to send.
        pub timeout: Duration = Duration::from_secs(10);
        /// Maximum number of spans that wait, 1 or more.
        pub queue: usize = 2048;
        /// Maximum number of spans that are sent at once, 1 or more.
        pub batch: usize = 512;
        /// Maximum time that a span waits for others.
        pub interval: Duration = Duration::from_secs(5);
    }
}

/// Headers for a collector, such as a token. Their values are never printed.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct CollectorHeaders(HeaderMap);

/// The reason why a line of a file is no header for a collector. It does not quote the line, which may hold a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderLineFault {
    /// The line has no name and no value.
    #[error("line {0} of the file is not a header, like `Authorization: Bearer TOKEN`")]
    Malformed(usize),
    /// The edge writes this header itself.
    #[error("line {0} of the file sets a header that the edge writes itself")]
    OwnHeader(usize),
    /// The file is not text.
    #[error("the file is not UTF-8 text")]
    NotText,
}

/// The headers that are written for each request, or that belong to its connection.
const OWN: [HeaderName; 9] = [
    CONNECTION,
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    HOST,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

// === impl CollectorHeaders ===

impl CollectorHeaders {
    /// Reads a file with one header a line, `Name: value`. Empty lines and lines that begin with `#` do not count.
    ///
    /// # Errors
    ///
    /// When a line is no header, or sets one that the edge writes itself.
    pub fn parse(file: &[u8]) -> Result<Self, HeaderLineFault> {
        let text = std::str::from_utf8(file).map_err(|_| HeaderLineFault::NotText)?;
        let mut headers = HeaderMap::new();
        for (index, line) in text.lines().enumerate() {
            let (line, number) = (line.trim(), index + 1);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = header(line).ok_or(HeaderLineFault::Malformed(number))?;
            if OWN.contains(&name) {
                return Err(HeaderLineFault::OwnHeader(number));
            }
            headers.append(name, value);
        }
        Ok(Self(headers))
    }

    /// The headers; their values are marked as sensitive.
    pub const fn as_map(&self) -> &HeaderMap {
        &self.0
    }
}

impl fmt::Debug for CollectorHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

fn header(line: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = line.split_once(':')?;
    let name = HeaderName::from_bytes(name.trim_end().as_bytes()).ok()?;
    let mut value = HeaderValue::from_str(value.trim()).ok()?;
    value.set_sensitive(true);
    (!value.is_empty()).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_and_never_printed() {
        let file = b"# for the collector\r\n\r\nAuthorization: Bearer s3cret:x\r\nx-scope-orgid : one\n";
        let headers = CollectorHeaders::parse(file).unwrap();
        assert_eq!(headers.as_map()["authorization"], "Bearer s3cret:x");
        assert_eq!(headers.as_map()["x-scope-orgid"], "one");
        let settings = TraceSettings {
            headers,
            ..TraceSettings::default()
        };
        let printed = format!("{settings:?} {:?}", settings.headers.as_map());
        assert!(
            printed.contains("authorization") && !printed.contains("s3cret"),
            "{printed}"
        );
    }

    #[test]
    fn a_bad_line_is_named_by_its_number_alone() {
        for (file, expected) in [
            (&b"s3cret"[..], HeaderLineFault::Malformed(1)),
            (b"\nauthorization:", HeaderLineFault::Malformed(2)),
            (b"author ization: s3cret", HeaderLineFault::Malformed(1)),
            (b"a: s3c\x01ret", HeaderLineFault::Malformed(1)),
            (b"a: 1\nContent-Type: text/plain", HeaderLineFault::OwnHeader(2)),
            (b"a: \xff", HeaderLineFault::NotText),
        ] {
            let fault = CollectorHeaders::parse(file).unwrap_err();
            assert_eq!(fault, expected);
            assert!(!fault.to_string().contains("s3c"), "{fault}");
        }
        assert!(CollectorHeaders::parse(b"").unwrap().as_map().is_empty());
    }
}
