//! Recorded requests and answers: one JSON object a line.

use std::io::{self, BufRead, Read as _};

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response};
use serde::Deserialize;

use super::call_judge::SentRequest;

/// The longest line, in bytes.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// The most characters that the marker of a shortened body may stand for.
const LONGEST_FILL: usize = 32 * 1024 * 1024;

/// A request, and the answer that it had.
#[derive(Debug, Deserialize)]
pub(super) struct RecordedCall {
    request: RecordedRequest,
    /// Who sent it; credentials themselves are not recorded.
    #[serde(default)]
    auth: Option<String>,
    response: Option<RecordedResponse>,
}

#[derive(Debug, Deserialize)]
struct RecordedRequest {
    method: String,
    path: String,
    query: Option<String>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<String>,
    body_base64: Option<String>,
    body_fill: Option<BodyFill>,
}

/// A run of one character that the record leaves out.
#[derive(Debug, Deserialize)]
struct BodyFill {
    marker: String,
    char: String,
    count: usize,
}

#[derive(Debug, Deserialize)]
struct RecordedResponse {
    status: u16,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<String>,
    #[serde(default)]
    body_truncated: bool,
}

/// A line of a file of records.
pub(super) type RecordLine = Result<RecordedCall, BrokenLine>;

/// A line that is not a record.
#[derive(Debug, thiserror::Error)]
#[error("line {number} is not a record: {fault}")]
pub(super) struct BrokenLine {
    number: u64,
    fault: String,
}

/// The records of a file, one after the other.
#[derive(Debug)]
pub(super) struct Records<R> {
    lines: R,
    number: u64,
}

// === impl Records ===

impl<R: BufRead> Records<R> {
    pub(super) const fn new(lines: R) -> Self {
        Self { lines, number: 0 }
    }

    /// The next line as a record; blank lines are passed over.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<RecordLine>> {
        loop {
            let mut line = Vec::new();
            let length = self.line(&mut line).context("the file cannot be read")?;
            if length == 0 {
                return Ok(None);
            }
            self.number += 1;
            if length == LONGEST_LINE {
                return Ok(Some(Err(BrokenLine {
                    number: self.number,
                    fault: format!("longer than {LONGEST_LINE} bytes"),
                })));
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let record = serde_json::from_slice(&line).map_err(|error| BrokenLine {
                number: self.number,
                fault: error.to_string(),
            });
            return Ok(Some(record));
        }
    }

    /// Reads a line, and returns its length; the rest of one that is too long is passed over.
    fn line(&mut self, line: &mut Vec<u8>) -> io::Result<u64> {
        let length = (&mut self.lines).take(LONGEST_LINE).read_until(b'\n', line)? as u64;
        if length == LONGEST_LINE {
            self.lines.skip_until(b'\n')?;
        }
        Ok(length)
    }
}

// === impl RecordedCall ===

impl RecordedCall {
    /// The account that sent it, whose credentials are not in the record; none for an anonymous call.
    pub(super) fn account(&self) -> Option<&str> {
        self.auth.as_deref().filter(|auth| *auth != "none")
    }

    /// The request; none if no client could send it to a path of the edge.
    pub(super) fn request(&self) -> Option<SentRequest> {
        let sent = &self.request;
        let target = match &sent.query {
            Some(query) => format!("{}?{query}", sent.path),
            None => sent.path.clone(),
        };
        Some(SentRequest {
            method: Method::from_bytes(sent.method.as_bytes()).ok()?,
            target: target.parse().ok()?,
            headers: headers(&sent.headers)?,
            body: sent.body()?,
        })
    }

    /// The answer; none if the record has none, or only its beginning.
    pub(super) fn response(&self) -> Option<Response<Bytes>> {
        let recorded = self
            .response
            .as_ref()
            .filter(|response| !response.body_truncated)?;
        let body = recorded.body.clone().unwrap_or_default();
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = recorded.status.try_into().ok()?;
        *response.headers_mut() = headers(&recorded.headers)?;
        Some(response)
    }
}

// === impl RecordedRequest ===

impl RecordedRequest {
    fn body(&self) -> Option<Vec<u8>> {
        if let Some(encoded) = &self.body_base64 {
            return STANDARD.decode(encoded).ok();
        }
        let body = self.body.clone().unwrap_or_default();
        let Some(fill) = &self.body_fill else {
            return Some(body.into_bytes());
        };
        let is_bounded = fill.count.checked_mul(fill.char.len())? <= LONGEST_FILL;
        let filled = is_bounded.then(|| body.replacen(&fill.marker, &fill.char.repeat(fill.count), 1));
        filled.map(String::into_bytes)
    }
}

fn headers(fields: &[(String, String)]) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).ok()?);
    }
    Some(headers)
}
