//! Judging an origin's answer: is it one that WordPress's REST API gives?

use http::{HeaderMap, Method, StatusCode, header};
use url::Url;

use super::document::{begins_json, inside_call, judge_document, trimmed};
use super::failure::{OriginFailure, shortened};
use super::page::{fatal, known_page};
use super::redirect::redirect;

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

/// Whether a `_jsonp` parameter was forwarded, so that the answer may be a script (backend.md section 12).
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
    /// None: HEAD, 204, 205.
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
    // The edge asks for no range and under no condition.
    if matches!(status.as_u16(), ..200 | 206 | 304 | 600..) {
        return Err(OriginFailure::InvalidStatus(status));
    }
    if status.is_redirection() {
        return Err(redirect(status, headers, expectation.dialled));
    }
    if let Some(coding) = coding(headers) {
        return Err(OriginFailure::CodedBody(coding));
    }
    if [StatusCode::NO_CONTENT, StatusCode::RESET_CONTENT].contains(&status) {
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
    if status.as_u16() >= 400 && document.first() != Some(&b'{') {
        return Err(OriginFailure::Malformed);
    }
    fatal(status, document).map_or(Ok(()), Err)
}

// === head ===

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

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "application/json; charset=UTF-8";
    const HTML: &str = "text/html; charset=UTF-8";

    /// The name of the failure, or "passes".
    fn verdict(method: &Method, script: Script, answer: (u16, &[(&str, &str)], &[u8])) -> &'static str {
        let (status, fields, body) = answer;
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(
                name.parse::<header::HeaderName>().unwrap(),
                value.parse().unwrap(),
            );
        }
        let expectation = Expectation {
            method,
            script,
            dialled: None,
        };
        let status = StatusCode::from_u16(status).unwrap();
        judge(status, &headers, body, expectation).map_or_else(|failure| failure.name(), |()| "passes")
    }

    fn get(status: u16, content_type: &str, body: &str) -> &'static str {
        let fields = [("content-type", content_type)];
        verdict(&Method::GET, Script::Refused, (status, &fields, body.as_bytes()))
    }

    #[test]
    fn wordpress_answers_pass() {
        for (status, body) in [
            (200, r#"{"id":56}"#),
            (200, "[]"),
            (200, "\n {\"a\": 1}\n"),
            (201, r#""text""#),
            (
                404,
                r#"{"code":"rest_no_route","message":"No","data":{"status":404}}"#,
            ),
            (500, r#"{"code":"empty_content","message":"Empty.","data":null}"#),
            (
                403,
                r#"{"code":"wp_die","message":"No.","data":{"status":403},"additional_errors":[]}"#,
            ),
        ] {
            assert_eq!(get(status, JSON, body), "passes", "{body}");
        }
    }

    #[test]
    fn wordpress_pages_are_known() {
        for (status, body, name) in [
            (
                500,
                "<h1>Error establishing a database connection</h1>",
                "database_error",
            ),
            (
                503,
                "<p>Briefly unavailable for scheduled maintenance.</p>",
                "maintenance",
            ),
            (
                500,
                "<p>There has been a critical error on this website.</p>",
                "fatal",
            ),
            (404, "<!DOCTYPE html><title>Not found</title>", "html"),
            (200, "{}", "html"),
            (502, "", "empty"),
        ] {
            assert_eq!(get(status, HTML, body), name, "{body}");
        }
        assert_eq!(get(500, JSON, r#""cannot open /srv/x.php""#), "malformed");
        assert_eq!(get(200, "text/plain", "File not found."), "not_json");
        assert_eq!(get(200, "text/plain", "<html>"), "html");
        assert_eq!(get(200, "application/javascript", "/**/a({})"), "not_json");
        assert_eq!(
            verdict(&Method::GET, Script::Refused, (200, &[], b"{}")),
            "not_json"
        );
    }

    #[test]
    fn text_before_the_document_fails() {
        for (body, name) in [
            (" \n", "empty"),
            ("<br />\n<b>Warning</b>: x{}", "text_before_json"),
            ("\u{feff}{}", "text_before_json"),
            (
                "<p>There has been a critical error on this website.</p>{}",
                "fatal",
            ),
            ("{}<!-- cached -->", "text_after_json"),
        ] {
            assert_eq!(get(200, JSON, body), name, "{body}");
        }
    }

    #[test]
    fn scripts_pass_where_a_callback_was_sent() {
        let fields = [("content-type", "application/javascript; charset=UTF-8")];
        for (body, name) in [
            (r#"/**/a.b({"id":56})"#, "passes"),
            (
                r#"{"code":"rest_callback_invalid","message":"Invalid."}"#,
                "passes",
            ),
            (r#"/**/a({"id":56"#, "truncated"),
            ("/**/a", "malformed"),
            ("/**/a()", "text_before_json"),
            ("alert(1)", "text_before_json"),
        ] {
            let answer = (200, fields.as_slice(), body.as_bytes());
            assert_eq!(verdict(&Method::GET, Script::Admitted, answer), name, "{body}");
        }
    }

    #[test]
    fn some_answers_have_no_body() {
        let json = [("content-type", JSON)];
        let html = [("content-type", HTML)];
        for (method, answer, name) in [
            (Method::HEAD, (200, json.as_slice(), b"".as_slice()), "passes"),
            (Method::HEAD, (404, html.as_slice(), b""), "html"),
            (Method::GET, (204, &[], b""), "passes"),
            (Method::GET, (304, &[], b""), "invalid_status"),
            (Method::GET, (200, json.as_slice(), b""), "empty"),
        ] {
            assert_eq!(verdict(&method, Script::Refused, answer), name, "{answer:?}");
        }
    }

    #[test]
    fn statuses_and_codings_that_nobody_asked_for_fail() {
        let json = ("content-type", JSON);
        for (status, field, name) in [
            (101, ("upgrade", "x"), "invalid_status"),
            (600, ("age", "0"), "invalid_status"),
            (206, ("content-range", "bytes 0-1/9"), "invalid_status"),
            (301, ("location", "https://h/"), "redirect"),
            (300, ("age", "0"), "redirect"),
            (200, ("content-encoding", "gzip"), "coded_body"),
            (200, ("content-encoding", "identity"), "passes"),
        ] {
            let answer = (status, [json, field], b"{}".as_slice());
            let judged = verdict(&Method::GET, Script::Refused, (answer.0, &answer.1, answer.2));
            assert_eq!(judged, name, "{answer:?}");
        }
    }

    #[test]
    fn large_documents_are_judged_by_their_beginning() {
        let headers = HeaderMap::new();
        let beginning = Seen::Beginning(b"{\"events\":[{\"id");
        assert!(judge_body(StatusCode::OK, &headers, Due::Json, beginning).is_ok());
        let warning = Seen::Beginning(b"Warning: ");
        assert!(judge_body(StatusCode::OK, &headers, Due::Json, warning).is_err());
    }
}
