//! A kept request as a line of a recording, which `replay` reads.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName};
use serde::Serialize;

use super::kept_request::KeptRequest;
use super::recorded_body::RecordedPart;
use calendar_edge_judge::call::credentials::{Caller, Credentials};

/// The headers of a client that change the meaning of a call; all others stay out, addresses of clients among them.
const MEANINGFUL: [HeaderName; 2] = [CONTENT_TYPE, HeaderName::from_static("x-http-method-override")];

/// One recorded call.
#[derive(Serialize)]
struct RecordedLine<'a> {
    /// Seconds since 1970.
    at: u64,
    operation: &'a str,
    auth: &'a str,
    request: LineRequest<'a>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    redacted: &'a [String],
}

#[derive(Serialize)]
struct LineRequest<'a> {
    method: &'a str,
    path: &'a str,
    query: Option<&'a str>,
    headers: Vec<(&'a str, &'a str)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
}

// === impl KeptRequest ===

impl KeptRequest {
    /// The request as one line of JSON without a line end; none if its body was not kept whole.
    pub fn line(&self, operation: &str, credentials: &Credentials, unix_time: u64) -> Option<Vec<u8>> {
        let body = match self.body() {
            RecordedPart::Whole(body) => &body[..],
            RecordedPart::Irrelevant => b"",
            RecordedPart::Unread | RecordedPart::TooLarge | RecordedPart::Withheld => return None,
        };
        let head = self.head();
        let text = std::str::from_utf8(body).ok();
        let line = RecordedLine {
            at: unix_time,
            operation,
            auth: account(credentials),
            request: LineRequest {
                method: head.method.as_str(),
                path: head.uri.path(),
                query: head.uri.query(),
                headers: meaningful(&head.headers),
                body: text.filter(|text| !text.is_empty()),
                body_base64: text.is_none().then(|| STANDARD.encode(body)),
            },
            redacted: self.redacted(),
        };
        serde_json::to_vec(&line).ok()
    }
}

/// The account of Basic credentials, or a word for other credentials.
fn account(credentials: &Credentials) -> &str {
    match credentials.identity().sole_account() {
        Some(account) => account,
        None if credentials.shows_login() => "cookie",
        None if credentials.has_authorization() => "token",
        None if credentials.caller(None) == Caller::Credentialed => "nonce",
        None => "none",
    }
}

fn meaningful(headers: &HeaderMap) -> Vec<(&str, &str)> {
    let kept = headers.iter().filter(|(name, _)| MEANINGFUL.contains(name));
    kept.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
        .collect()
}
