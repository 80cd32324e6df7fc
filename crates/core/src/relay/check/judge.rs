//! The verdict on a backend's response: accepts only what WordPress's REST API gives.

use http::{HeaderMap, Method, StatusCode, header};

use super::buffer::Buffered;
use super::call_context::CallContext;
use super::document::{begins_json, is_surely_list, judge_document, trimmed, without_byte_order_marks};
use super::wordpress::{self, script_argument};
use crate::relay::failure::{OriginFailure, RequestPart, shortened};
use crate::settings::BackendSoftware;

/// The kind of body that must follow, determined by the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectedBody {
    /// A JSON document.
    Json,
    /// A JSON document, perhaps as the argument of a call.
    Script,
    /// An HTML page, which describes an error.
    Page,
}

/// Judges a head that is no redirect, and returns the kind of body that must follow; none: HEAD, 204, 205.
pub(super) fn judge_head(
    status: StatusCode,
    headers: &HeaderMap,
    call: &CallContext,
) -> Result<Option<ExpectedBody>, OriginFailure> {
    // The edge sends no range and no conditions, so it expects neither 206 nor 304.
    if matches!(status.as_u16(), ..200 | 206 | 304 | 600..) {
        return Err(OriginFailure::InvalidStatus(status));
    }
    if let Some(coding) = coding(headers) {
        return Err(OriginFailure::CodedBody(coding));
    }
    if [StatusCode::NO_CONTENT, StatusCode::RESET_CONTENT].contains(&status) {
        return Ok(None);
    }
    let expected = match content_type(headers).as_deref() {
        Some(essence) if is_json(essence) => ExpectedBody::Json,
        Some("application/javascript" | "text/javascript") if call.may_be_script => ExpectedBody::Script,
        Some(_) | None => ExpectedBody::Page,
    };
    let is_head = call.method == Method::HEAD;
    if is_head && expected == ExpectedBody::Page {
        return Err(other_page(status, headers, b""));
    }
    Ok((!is_head).then_some(expected))
}

/// The bytes by which a body is judged, and whether they are all of it; else they are the beginning of a body that is
/// larger than the buffer, or whose end shows that it is a complete list. They are joined only where the first piece
/// and the last one show too little.
pub(super) fn received<B>(
    buffered: &mut Buffered<B>,
    expected: ExpectedBody,
    software: BackendSoftware,
) -> (&[u8], bool) {
    let is_whole = buffered.rest.is_none();
    let (first, last) = buffered.ends();
    let (first, last) = (trimmed(first), trimmed(last));
    let is_list = || software == BackendSoftware::WordPress && is_surely_list(first, last);
    let begins = expected == ExpectedBody::Json && first.first().is_some_and(|&first| begins_json(first));
    if begins && (!is_whole || is_list()) {
        (buffered.ends().0, false)
    } else {
        (buffered.join(), is_whole)
    }
}

/// Judges a body whose head was judged.
pub(super) fn judge_body(
    status: StatusCode,
    headers: &HeaderMap,
    (expected, (bytes, is_whole)): (ExpectedBody, (&[u8], bool)),
    software: BackendSoftware,
) -> Result<(), OriginFailure> {
    let bytes = trimmed(bytes);
    if bytes.is_empty() {
        return Err(refused_request(status).unwrap_or(OriginFailure::Empty(status)));
    }
    if expected == ExpectedBody::Page {
        return Err(page(status, headers, bytes, software));
    }
    let document = if expected == ExpectedBody::Script {
        script_argument(bytes)?
    } else {
        bytes
    };
    if !document.first().is_some_and(|&first| begins_json(first)) {
        return Err(known_page(software, bytes).unwrap_or(OriginFailure::TextBeforeJson));
    }
    if is_whole {
        judge_document(document)?;
    }
    if status.as_u16() >= 400 && document.first() != Some(&b'{') {
        return Err(OriginFailure::Malformed);
    }
    // Of a service every JSON object is an error of the API: WordPress's message about a failure of PHP is an error code
    // like others there.
    match software {
        BackendSoftware::WordPress => wordpress::document_failure(status, document).map_or(Ok(()), Err),
        BackendSoftware::Service => Ok(()),
    }
}

/// Judges a response that was read whole, and is neither rewritten nor relayed.
///
/// # Errors
///
/// Fails if WordPress's REST API does not give such a response.
pub fn judge_whole(
    (status, headers, body): (StatusCode, &HeaderMap, &[u8]),
    call: &CallContext,
) -> Result<(), OriginFailure> {
    let Some(expected) = judge_head(status, headers, call)? else {
        return Ok(());
    };
    let body = without_byte_order_marks(body);
    judge_body(
        status,
        headers,
        (expected, (body, true)),
        BackendSoftware::WordPress,
    )
}

// === head ===

fn coding(headers: &HeaderMap) -> Option<String> {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    codings
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .find(|value| !value.trim().is_empty() && !value.trim().eq_ignore_ascii_case("identity"))
        .map(|value| shortened(&value))
}

/// The content type without parameters, in lower case.
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

fn page(status: StatusCode, headers: &HeaderMap, bytes: &[u8], software: BackendSoftware) -> OriginFailure {
    known_page(software, bytes).unwrap_or_else(|| other_page(status, headers, bytes))
}

/// The failure that a page reports in the words of the software; none where its pages report nothing.
fn known_page(software: BackendSoftware, page: &[u8]) -> Option<OriginFailure> {
    match software {
        BackendSoftware::WordPress => wordpress::known_page(page),
        BackendSoftware::Service => None,
    }
}

fn other_page(status: StatusCode, headers: &HeaderMap, bytes: &[u8]) -> OriginFailure {
    refused_request(status).unwrap_or_else(|| unexpected_type(status, headers, bytes))
}

/// The refusal of a web server that did not hand the request to WordPress.
fn refused_request(status: StatusCode) -> Option<OriginFailure> {
    RequestPart::refused_by(status).map(OriginFailure::RequestTooLarge)
}

fn unexpected_type(status: StatusCode, headers: &HeaderMap, bytes: &[u8]) -> OriginFailure {
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
    use crate::relay::rewrite::Content;

    const JSON: &str = "application/json; charset=UTF-8";
    const HTML: &str = "text/html; charset=UTF-8";

    /// The name of the failure, or "passes".
    fn verdict(
        method: &Method,
        may_be_script: bool,
        response: (u16, &[(&str, &str)], &[u8]),
    ) -> &'static str {
        verdict_of(BackendSoftware::WordPress, (method, may_be_script), response)
    }

    fn verdict_of(
        software: BackendSoftware,
        (method, may_be_script): (&Method, bool),
        response: (u16, &[(&str, &str)], &[u8]),
    ) -> &'static str {
        let (status, fields, body) = response;
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(
                name.parse::<header::HeaderName>().unwrap(),
                value.parse().unwrap(),
            );
        }
        let call = CallContext {
            root: 0,
            operation: None,
            method: method.clone(),
            content: Content::Records,
            may_be_script,
            enveloped: false,
            may_change_language: false,
            target: "/".into(),
        };
        let status = StatusCode::from_u16(status).unwrap();
        judge_head(status, &headers, &call)
            .and_then(|expected| match expected {
                Some(expected) => judge_body(status, &headers, (expected, (body, true)), software),
                None => Ok(()),
            })
            .map_or_else(|failure| failure.name(), |()| "passes")
    }

    fn get(status: u16, content_type: &str, body: &str) -> &'static str {
        let fields = [("content-type", content_type)];
        verdict(&Method::GET, false, (status, &fields, body.as_bytes()))
    }

    #[test]
    fn wordpress_responses_pass() {
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
            (413, "", "request_too_large"),
            (414, "<h1>414 Request-URI Too Large</h1>", "request_too_large"),
            (431, "Too large", "request_too_large"),
        ] {
            assert_eq!(get(status, HTML, body), name, "{body}");
        }
        assert_eq!(get(500, JSON, r#""cannot open /srv/x.php""#), "malformed");
        assert_eq!(get(200, "text/plain", "File not found."), "not_json");
        assert_eq!(get(200, "text/plain", "<html>"), "html");
        assert_eq!(get(200, "application/javascript", "/**/a({})"), "not_json");
        assert_eq!(verdict(&Method::GET, false, (200, &[], b"{}")), "not_json");
    }

    #[test]
    fn a_service_has_errors_of_its_own() {
        let json = [("content-type", JSON)];
        let html = [("content-type", HTML)];
        let fatal =
            br#"{"code":"internal_server_error","message":"x","data":{"error":{"file":"a"}}}"#.as_slice();
        let page = b"<p>There has been a critical error on this website.</p>".as_slice();
        for (software, names) in [
            (BackendSoftware::WordPress, ["fatal", "fatal", "malformed"]),
            (BackendSoftware::Service, ["passes", "html", "malformed"]),
        ] {
            let get = |response| verdict_of(software, (&Method::GET, false), response);
            let found = [
                get((500, json.as_slice(), fatal)),
                get((500, html.as_slice(), page)),
                get((500, json.as_slice(), b"\"text\"")),
            ];
            assert_eq!(found, names, "{software:?}");
        }
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
            let response = (200, fields.as_slice(), body.as_bytes());
            assert_eq!(verdict(&Method::GET, true, response), name, "{body}");
        }
    }

    #[test]
    fn some_responses_have_no_body() {
        let json = [("content-type", JSON)];
        let html = [("content-type", HTML)];
        for (method, response, name) in [
            (Method::HEAD, (200, json.as_slice(), b"".as_slice()), "passes"),
            (Method::HEAD, (404, html.as_slice(), b""), "html"),
            (Method::HEAD, (414, html.as_slice(), b""), "request_too_large"),
            (Method::GET, (204, &[], b""), "passes"),
            (Method::GET, (304, &[], b""), "invalid_status"),
            (Method::GET, (200, json.as_slice(), b""), "empty"),
        ] {
            assert_eq!(verdict(&method, false, response), name, "{response:?}");
        }
    }

    #[test]
    fn unrequested_statuses_and_codings_fail() {
        let json = ("content-type", JSON);
        for (status, field, name) in [
            (101, ("upgrade", "x"), "invalid_status"),
            (600, ("age", "0"), "invalid_status"),
            (206, ("content-range", "bytes 0-1/9"), "invalid_status"),
            (200, ("content-encoding", "gzip"), "coded_body"),
            (200, ("content-encoding", "identity"), "passes"),
        ] {
            let response = (status, [json, field], b"{}".as_slice());
            let judged = verdict(&Method::GET, false, (response.0, &response.1, response.2));
            assert_eq!(judged, name, "{response:?}");
        }
    }

    #[test]
    fn large_documents_are_judged_by_their_beginning() {
        let headers = HeaderMap::new();
        let judge = |received| {
            let expected = (ExpectedBody::Json, received);
            judge_body(StatusCode::OK, &headers, expected, BackendSoftware::WordPress)
        };
        let beginning = (&b"{\"events\":[{\"id"[..], false);
        assert!(judge(beginning).is_ok());
        let warning = (&b"Warning: "[..], false);
        assert!(judge(warning).is_err());
    }
}
