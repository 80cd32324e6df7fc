//! Recorded requests and answers: one JSON object a line.

use std::io::{self, BufRead, Read as _};

use anyhow::{Context as _, bail};
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

    /// The next record; blank lines are passed over.
    ///
    /// # Errors
    ///
    /// A line that cannot be read, is too long, or is not a record; the message has its number.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<RecordedCall>> {
        loop {
            let Some(line) = self.line()? else { return Ok(None) };
            self.number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let record = serde_json::from_slice(&line);
            return record
                .map(Some)
                .with_context(|| format!("line {} is not a record", self.number));
        }
    }

    fn line(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut bounded = (&mut self.lines).take(LONGEST_LINE);
        let read = bounded.read_until(b'\n', &mut line);
        let length =
            read.map_err(|error: io::Error| anyhow::Error::from(error).context("the file cannot be read"))?;
        if length as u64 == LONGEST_LINE {
            bail!("line {} is longer than {LONGEST_LINE} bytes", self.number + 1);
        }
        Ok((length > 0).then_some(line))
    }
}

// === impl RecordedCall ===

impl RecordedCall {
    /// Returns true if somebody sent it whose credentials are not in the record.
    pub(super) fn needs_credentials(&self) -> bool {
        self.auth.as_deref().is_some_and(|auth| auth != "none")
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
