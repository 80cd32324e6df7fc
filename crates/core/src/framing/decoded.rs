//! The checks of a decoded HTTP/2 head that the HTTP library leaves to its user (RFC 9113 8).
//!
//! The library itself resets streams for upper-case names, connection fields, a `te` other than `trailers`,
//! pseudo-fields that are missing, repeated or late, and bodies whose length differs from the Content-Length.

use http::header::{CONTENT_LENGTH, EXPECT};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Version};

use super::breach::Breach;
use super::fields;
use super::request_line::check_method;
use crate::errors;

/// Checks a decoded head. For HTTP/1 only the expectation is left to check.
///
/// # Errors
///
/// Returns the breach if the head breaks a rule.
pub fn check_decoded(head: &Parts) -> Result<(), Breach> {
    if head.version == Version::HTTP_2 {
        check_method(head.method.as_str().as_bytes())?;
        check_target(head)?;
        check_fields(&head.headers)?;
    }
    check_expectation(&head.headers)
}

fn check_target(head: &Parts) -> Result<(), Breach> {
    let is_web = |scheme: &str| scheme == "http" || scheme == "https";
    let has_path = head
        .uri
        .path_and_query()
        .is_some_and(|target| target.as_str().starts_with('/'));
    if head.uri.scheme_str().is_some_and(|scheme| !is_web(scheme)) || !has_path {
        return Err(errors::BAD_TARGET);
    }
    Ok(())
}

fn check_fields(headers: &HeaderMap) -> Result<(), Breach> {
    for (name, value) in headers {
        fields::framing_field(name.as_str().as_bytes())?;
        let value = value.as_bytes();
        // HTTP/2 allows no blanks around values. A parser that strips them would read another value
        // (RFC 9113 8.2.1).
        if value.trim_ascii().len() != value.len() {
            return Err(errors::BAD_HEADER);
        }
    }
    let mut lengths = headers.get_all(CONTENT_LENGTH).iter();
    if let Some(length) = lengths.next() {
        fields::length(length.as_bytes())?;
    }
    if lengths.next().is_some() {
        return Err(errors::AMBIGUOUS_LENGTH);
    }
    Ok(())
}

/// Accepts only `100-continue`, once or repeated (T-31).
fn check_expectation(headers: &HeaderMap) -> Result<(), Breach> {
    let is_known = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"100-continue");
    if headers.get_all(EXPECT).iter().all(is_known) {
        return Ok(());
    }
    Err(errors::UNKNOWN_EXPECTATION)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn verdict(version: Version, request: http::request::Builder) -> Result<(), Breach> {
        let (head, ()) = request.version(version).body(()).unwrap().into_parts();
        check_decoded(&head)
    }

    #[test]
    fn judges_targets_of_http2() {
        for (method, target, expected) in [
            ("GET", "http://a.example/b", Ok(())),
            ("GET", "/b", Ok(())),
            ("GET", "ftp://a.example/b", Err(errors::BAD_TARGET)),
            ("OPTIONS", "*", Err(errors::BAD_TARGET)),
            ("GET", "http://a.example?b", Err(errors::BAD_TARGET)),
            ("CONNECT", "a.example:80", Err(errors::BAD_TARGET)),
            ("CONNECT", "/a", Err(errors::BAD_TARGET)),
            (
                "GETGETGETGETGETGETGETGETGETGETGETGET",
                "/",
                Err(errors::MALFORMED_METHOD),
            ),
        ] {
            let request = Request::builder().method(method).uri(target);
            assert_eq!(verdict(Version::HTTP_2, request), expected, "{method} {target}");
        }
    }

    #[test]
    fn judges_fields_of_http2() {
        for (fields, expected) in [
            (&[("content-length", "5")][..], Ok(())),
            (&[("content-length", "")], Err(errors::AMBIGUOUS_LENGTH)),
            (
                &[("content-length", "5"), ("content-length", "5")],
                Err(errors::AMBIGUOUS_LENGTH),
            ),
            (&[("content_length", "5")], Err(errors::LOOK_ALIKE_HEADER)),
            (
                &[("transfer_encoding", "chunked")],
                Err(errors::LOOK_ALIKE_HEADER),
            ),
            (&[("x", " a")], Err(errors::BAD_HEADER)),
            (&[("x", "a\t")], Err(errors::BAD_HEADER)),
        ] {
            let request = fields.iter().fold(Request::get("/"), |request, (name, value)| {
                request.header(*name, *value)
            });
            assert_eq!(verdict(Version::HTTP_2, request), expected, "{fields:?}");
        }
    }

    #[test]
    fn the_only_expectation_is_a_continuation() {
        for (value, expected) in [
            ("100-continue", Ok(())),
            ("100-Continue", Ok(())),
            ("200-ok", Err(errors::UNKNOWN_EXPECTATION)),
            ("100-continue, x", Err(errors::UNKNOWN_EXPECTATION)),
            ("", Err(errors::UNKNOWN_EXPECTATION)),
        ] {
            for version in [Version::HTTP_11, Version::HTTP_2] {
                let request = Request::get("/").header(EXPECT, value);
                assert_eq!(verdict(version, request), expected, "{value}");
            }
        }
    }
}
