//! WordPress's own error pages, in HTML and in JSON.

use http::StatusCode;
use memchr::memmem;

use super::member::text_at;
use crate::relay::failure::{OriginFailure, shortened};

/// The number of bytes of a page that are searched for WordPress's own messages.
pub(in crate::relay::check) const PAGE_BYTES: usize = 16 * 1024;

/// WordPress's message in English, the language of most sites. A translated page counts as an unknown page.
const DATABASE_ERROR: &[u8] = b"Error establishing a database connection";
const MAINTENANCE: &[u8] = b"Briefly unavailable for scheduled maintenance";
const CRITICAL_ERROR: &[u8] = b"There has been a critical error on this website";

/// The failure that a page reports in WordPress's words.
pub(in crate::relay::check) fn known_page(bytes: &[u8]) -> Option<OriginFailure> {
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

/// The error of WordPress's fatal error handler or of `wp_die`; both send JSON in response to a JSON request.
pub(super) fn fatal(status: StatusCode, document: &[u8]) -> Option<OriginFailure> {
    if !status.is_server_error() && !document.starts_with(br#"{"code":"internal_server_error""#) {
        return None;
    }
    let text = |path: &[&str]| text_at(document, path, PAGE_BYTES);
    let code = text(&["code"])?;
    if code == "internal_server_error" || text(&["data", "error", "file"]).is_some() {
        let message = text(&["data", "error", "message"]);
        let detail = message.map(|message| shortened(message.lines().next().unwrap_or(&message)));
        return Some(OriginFailure::Fatal { detail });
    }
    if code != "wp_die" {
        return None;
    }
    let message = text(&["message"]).unwrap_or_default();
    known_page(message.as_bytes())
        .or_else(|| (status == StatusCode::SERVICE_UNAVAILABLE).then_some(OriginFailure::Maintenance))
        .or_else(|| {
            Some(OriginFailure::Fatal {
                detail: Some(shortened(&message)),
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(failure: Option<OriginFailure>) -> &'static str {
        failure.map_or("none", |failure| failure.name())
    }

    #[test]
    fn wordpress_pages_in_json_are_known() {
        for (status, body, name) in [
            (
                500,
                r#"{"code":"internal_server_error","message":"x","data":{"status":500}}"#,
                "fatal",
            ),
            (
                200,
                r#"{"code":"internal_server_error","message":"x","data":null}"#,
                "fatal",
            ),
            (
                500,
                r#"{"code":"other","message":"x","data":{"error":{"message":"m","file":"\/srv\/x.php"}}}"#,
                "fatal",
            ),
            (
                500,
                r#"{"code":"wp_die","message":"<h1>Error establishing a database connection<\/h1>"}"#,
                "database_error",
            ),
            (
                503,
                r#"{"code":"wp_die","message":"Wegen Wartung geschlossen."}"#,
                "maintenance",
            ),
            (500, r#"{"code":"wp_die","message":"Something."}"#, "fatal"),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(self::name(fatal(status, body.as_bytes())), name, "{body}");
        }
    }

    #[test]
    fn a_fatal_error_becomes_one_short_log_line() {
        let long = "x".repeat(1000);
        let body = format!(
            r#"{{"code":"internal_server_error","data":{{"error":{{"message":"Uncaught {long}\n#0 stack"}}}}}}"#
        );
        let failure = fatal(StatusCode::INTERNAL_SERVER_ERROR, body.as_bytes()).unwrap();
        let line = failure.to_string();
        assert!(line.starts_with("PHP ended with an error: Uncaught x"), "{line}");
        assert!(line.len() < 300 && !line.contains("stack"), "{line}");
    }

    #[test]
    fn errors_of_the_api_are_not_fatal_errors() {
        for (status, body) in [
            (500, r#"{"code":"empty_content","message":"Empty.","data":null}"#),
            (403, r#"{"code":"wp_die","message":"No.","data":{"status":403}}"#),
            (200, r#"{"code":"other","data":{"error":{"file":"x"}}}"#),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert!(fatal(status, body.as_bytes()).is_none(), "{body}");
        }
    }

    #[test]
    fn messages_far_inside_a_page_are_not_searched() {
        let words = "There has been a critical error on this website";
        assert_eq!(name(known_page(words.as_bytes())), "fatal");
        let far = format!("{}{words}", " ".repeat(PAGE_BYTES));
        assert_eq!(name(known_page(far.as_bytes())), "none");
    }
}
