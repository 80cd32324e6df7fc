//! One recorded request with the response of a real WordPress.

use base64::Engine;
use serde::Deserialize;
use serde_json::Value;

/// A line of `fixtures/corpus`. `corpus.jsonl` contains designed requests. `differential.jsonl`, with ids that begin
/// with `d`, contains requests that were sent to a live WordPress 6.7.1 with the plugin 6.10.0 and to the edge in front
/// of it, to find differences.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) area: String,
    pub(crate) request: Recorded,
    pub(crate) auth: String,
    pub(crate) auth_kind: Option<String>,
    pub(crate) response: Response,
}

/// A request as sent.
#[derive(Debug, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    body: Option<String>,
    body_base64: Option<String>,
    body_fill: Option<Fill>,
}

/// A run of one character that the record leaves out.
#[derive(Debug, Deserialize)]
struct Fill {
    marker: String,
    char: String,
    count: usize,
}

/// The response of WordPress, or of the web server in front of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<String>,
    #[serde(default)]
    body_truncated: bool,
}

/// Every record, in the order of recording.
pub(crate) fn records() -> Vec<Record> {
    let read = |name: &str| {
        let text = std::fs::read_to_string(format!("fixtures/corpus/{name}.jsonl"));
        text.expect("the corpus is in the repository")
    };
    let texts = [read("corpus"), read("differential")];
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

// === impl Recorded ===

impl Recorded {
    /// The body as sent.
    pub(crate) fn body(&self) -> Vec<u8> {
        if let Some(encoded) = &self.body_base64 {
            return base64::engine::general_purpose::STANDARD
                .decode(encoded)
                .expect("base64");
        }
        let body = self.body.clone().unwrap_or_default();
        match &self.body_fill {
            Some(fill) => body
                .replace(&fill.marker, &fill.char.repeat(fill.count))
                .into_bytes(),
            None => body.into_bytes(),
        }
    }

    /// Path and query.
    pub(crate) fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }
}

// === impl Record ===

impl Record {
    /// Plausible headers in place of the recorded credentials; only WordPress knows which credentials were valid.
    pub(crate) fn credentials(&self) -> Vec<(&'static str, &'static str)> {
        const BASIC: (&str, &str) = ("Authorization", "Basic YTpi");
        const COOKIE: (&str, &str) = ("Cookie", "wordpress_logged_in_1=a%7C1%7Cb");
        const NONCE: (&str, &str) = ("X-WP-Nonce", "0123456789");
        match (self.auth.as_str(), self.auth_kind.as_deref()) {
            ("none", None) => vec![],
            (_, Some("cookie-only" | "cookie+nonce-query" | "cookie+nonce-body")) => vec![COOKIE],
            (_, Some("cookie+nonce-header" | "cookie+bad-nonce")) => vec![COOKIE, NONCE],
            (_, Some("nonce-only")) => vec![NONCE],
            (_, Some("cookie+basic")) => vec![COOKIE, BASIC],
            (_, Some("bearer")) => vec![("Authorization", "Bearer abc")],
            (_, Some("digest")) => vec![("Authorization", "Digest username=\"admin\"")],
            (_, Some("basic-garbage")) => vec![("Authorization", "Basic !!!")],
            (_, Some("basic-empty")) => vec![("Authorization", "Basic ")],
            (_, Some("basic-no-colon")) => vec![("Authorization", "Basic YWRtaW4=")],
            (_, _) => vec![BASIC],
        }
    }
}

// === impl Response ===

impl Response {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body, if the record is complete.
    pub(crate) fn text(&self) -> Option<&str> {
        self.body.as_deref().filter(|_| !self.body_truncated)
    }

    /// The body, if the record is complete and the body is a JSON response of the API.
    pub(crate) fn json(&self) -> Option<&str> {
        let body = self.text()?;
        let is_json = self
            .header("content-type")
            .is_some_and(|media| media.starts_with("application/json"));
        (is_json && serde_json::from_str::<Value>(body).is_ok()).then_some(body)
    }
}
