//! Judging an origin's answer: is it one that WordPress's REST API gives?

use http::{HeaderMap, Method, StatusCode, header};
use memchr::memmem;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use url::Url;

use super::failure::OriginFailure;

/// What is known of the call before its answer comes.
#[derive(Debug, Clone, Copy)]
pub struct Expectation<'a> {
    /// The client's method: HEAD has no body.
    pub method: &'a Method,
    /// Whether the answer may be a script.
    pub script: Script,
    /// The REST root that was dialled, to tell what it should have been.
    pub dialled: Option<&'a Url>,
}

/// Whether a `_jsonp` parameter was forwarded, so that the answer may be a script (CONTRACT section 12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Script {
    /// JSON only.
    #[default]
    Refused,
    /// JSON, or JSON in a call: `/**/callback(…)`.
    Admitted,
}

/// The body an answer has to have, judged by its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// None: HEAD, 204, 205, 304.
    Nothing,
    /// A JSON document.
    Json,
    /// A JSON document, perhaps in a call.
    Script,
    /// Some page, which tells what went wrong.
    Page,
}

/// A body, as much as is there.
#[derive(Debug, Clone, Copy)]
pub(super) enum Seen<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// More than fits the buffer; this is how it begins.
    Beginning(&'a [u8]),
}

/// How much of a page is searched for WordPress's own words.
pub(super) const PAGE_BYTES: usize = 16 * 1024;

/// The longest piece of an answer that gets into a log line, in bytes.
const LOGGED_BYTES: usize = 256;

/// WordPress's words, in the language of most sites; translated pages count as other pages.
const DATABASE_ERROR: &[u8] = b"Error establishing a database connection";
const MAINTENANCE: &[u8] = b"Briefly unavailable for scheduled maintenance";
const CRITICAL_ERROR: &[u8] = b"There has been a critical error on this website";

/// Judges an answer that is there as a whole. JSON errors of WordPress pass; fatals do not.
///
/// # Errors
///
/// When the answer must not be passed on.
pub fn judge(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    expectation: Expectation<'_>,
) -> Result<(), OriginFailure> {
    let due = judge_head(status, headers, expectation)?;
    judge_body(status, headers, due, Seen::Whole(body))
}

/// Judges a head, and says what body has to follow.
pub(super) fn judge_head(
    status: StatusCode,
    headers: &HeaderMap,
    expectation: Expectation<'_>,
) -> Result<Due, OriginFailure> {
    if !(200..600).contains(&status.as_u16()) {
        return Err(OriginFailure::InvalidStatus(status));
    }
    if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
        return Err(redirect(status, headers, expectation.dialled));
    }
    if let Some(coding) = coding(headers) {
        return Err(OriginFailure::CodedBody(coding));
    }
    let bodiless = [
        StatusCode::NO_CONTENT,
        StatusCode::RESET_CONTENT,
        StatusCode::NOT_MODIFIED,
    ];
    if bodiless.contains(&status) {
        return Ok(Due::Nothing);
    }
    let due = match content_type(headers).as_deref() {
        Some(essence) if is_json(essence) => Due::Json,
        Some("application/javascript" | "text/javascript") if expectation.script == Script::Admitted => {
            Due::Script
        }
        Some(_) | None => Due::Page,
    };
    match due {
        Due::Page if expectation.method == Method::HEAD => Err(other_page(status, headers, b"")),
        Due::Nothing | Due::Json | Due::Script if expectation.method == Method::HEAD => Ok(Due::Nothing),
        due => Ok(due),
    }
}

/// Judges a body whose head was judged.
pub(super) fn judge_body(
    status: StatusCode,
    headers: &HeaderMap,
    due: Due,
    seen: Seen<'_>,
) -> Result<(), OriginFailure> {
    if due == Due::Nothing {
        return Ok(());
    }
    let (Seen::Whole(bytes) | Seen::Beginning(bytes)) = seen;
    let bytes = trimmed(bytes);
    if bytes.is_empty() {
        return Err(OriginFailure::Empty(status));
    }
    if due == Due::Page {
        return Err(page(status, headers, bytes));
    }
    let document = match due {
        Due::Script => inside_call(bytes)?,
        Due::Nothing | Due::Json | Due::Page => bytes,
    };
    if !document.first().is_some_and(|&first| begins_json(first)) {
        return Err(known_page(bytes).unwrap_or(OriginFailure::TextBeforeJson));
    }
    if matches!(seen, Seen::Whole(_)) {
        judge_document(document)?;
    }
    fatal(status, document).map_or(Ok(()), Err)
}

// === head ===

fn redirect(status: StatusCode, headers: &HeaderMap, dialled: Option<&Url>) -> OriginFailure {
    let target = headers
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok());
    let location = target.map(|target| shortened(target.split(['?', '#']).next().unwrap_or(target)));
    OriginFailure::Redirect {
        status,
        location,
        better_url: target.and_then(|target| better_root(dialled?, target)),
    }
}

/// The dialled root at the scheme and authority of a redirect's target, where those differ.
fn better_root(dialled: &Url, target: &str) -> Option<String> {
    let mut better = dialled.clone();
    let target = Url::parse(target).ok()?;
    let is_web = matches!(target.scheme(), "http" | "https");
    if !is_web || target.origin() == better.origin() {
        return None;
    }
    better.set_port(None).ok()?;
    better.set_scheme(target.scheme()).ok()?;
    better.set_host(target.host_str()).ok()?;
    better.set_port(target.port()).ok()?;
    Some(shortened(better.as_str()))
}

fn coding(headers: &HeaderMap) -> Option<String> {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    codings
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .find(|value| !value.trim().is_empty() && !value.trim().eq_ignore_ascii_case("identity"))
        .map(|value| shortened(&value))
}

/// The type without parameters, in lower case.
fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split(';').next().unwrap_or(value);
    Some(essence.trim().to_ascii_lowercase())
}

fn is_json(essence: &str) -> bool {
    essence
        .strip_prefix("application/")
        .is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

// === pages ===

fn page(status: StatusCode, headers: &HeaderMap, bytes: &[u8]) -> OriginFailure {
    known_page(bytes).unwrap_or_else(|| other_page(status, headers, bytes))
}

fn known_page(bytes: &[u8]) -> Option<OriginFailure> {
    let searched = bytes.get(..PAGE_BYTES).unwrap_or(bytes);
    let says = |words: &[u8]| memmem::find(searched, words).is_some();
    if says(DATABASE_ERROR) {
        return Some(OriginFailure::DatabaseError);
    }
    if says(MAINTENANCE) {
        return Some(OriginFailure::Maintenance);
    }
    says(CRITICAL_ERROR).then_some(OriginFailure::Fatal { detail: None })
}

fn other_page(status: StatusCode, headers: &HeaderMap, bytes: &[u8]) -> OriginFailure {
    let content_type = content_type(headers);
    let is_html = matches!(
        content_type.as_deref(),
        Some("text/html" | "application/xhtml+xml")
    );
    if is_html || bytes.starts_with(b"<") {
        return OriginFailure::Html(status);
    }
    OriginFailure::NotJson {
        status,
        content_type: content_type.map(|essence| shortened(&essence)),
    }
}

// === documents ===

/// The argument of a JSONP call. A call that WordPress refuses is answered with bare JSON.
fn inside_call(bytes: &[u8]) -> Result<&[u8], OriginFailure> {
    let Some(call) = bytes.strip_prefix(b"/**/") else {
        return Ok(bytes);
    };
    let open = call.iter().position(|&byte| byte == b'(');
    let argument = open.and_then(|open| call.get(open + 1..));
    let argument = argument.ok_or(OriginFailure::Malformed)?;
    Ok(trimmed(argument.strip_suffix(b")").unwrap_or(argument)))
}

/// Without the white space that JSON allows around a document.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let start = bytes
        .iter()
        .position(|byte| !is_blank(byte))
        .unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(|byte| !is_blank(byte))
        .map_or(start, |last| last + 1);
    &bytes[start..end]
}

const fn begins_json(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9')
}

fn judge_document(document: &[u8]) -> Result<(), OriginFailure> {
    let mut reader = serde_json::Deserializer::from_slice(document);
    if let Err(error) = IgnoredAny::deserialize(&mut reader) {
        return Err(if error.is_eof() {
            OriginFailure::Truncated
        } else {
            OriginFailure::Malformed
        });
    }
    reader.end().map_err(|_| OriginFailure::TextAfterJson)
}

/// The error of WordPress's fatal error handler or of `wp_die`, which answer in JSON to a JSON request.
fn fatal(status: StatusCode, document: &[u8]) -> Option<OriginFailure> {
    if !status.is_server_error() && !document.starts_with(br#"{"code":"internal_server_error""#) {
        return None;
    }
    let error: Value = serde_json::from_slice(document).ok()?;
    let text = |pointer| error.pointer(pointer).and_then(Value::as_str);
    let code = text("/code")?;
    let detail = text("/data/error/message").map(|message| {
        let line = message.lines().next().unwrap_or(message);
        shortened(line)
    });
    if code == "internal_server_error" || text("/data/error/file").is_some() {
        return Some(OriginFailure::Fatal { detail });
    }
    if code != "wp_die" {
        return None;
    }
    let message = text("/message").unwrap_or_default();
    known_page(message.as_bytes())
        .or_else(|| (status == StatusCode::SERVICE_UNAVAILABLE).then_some(OriginFailure::Maintenance))
        .or_else(|| {
            Some(OriginFailure::Fatal {
                detail: Some(shortened(message)),
            })
        })
}

/// A text for a log line: bounded, without control characters.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().filter(|character| !character.is_control()).collect();
    short.truncate(short.floor_char_boundary(LOGGED_BYTES));
    short
}
