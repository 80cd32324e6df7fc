//! Multipart forms, as far as PHP's reading of them is certain.
//!
//! PHP tolerates many faults: odd line ends, half headers, a missing last boundary. A form with such a fault
//! can be read in two ways, so it is refused. Forms that RFC 2046 and RFC 7578 allow are read if PHP reads
//! them in the same way. File parts are not parameters.

mod disposition;
mod reader;

use super::elements::ELEMENT_LIMIT;
use super::form_fault::FormFault;
use super::variable_names::{PHP_VARIABLE_LIMIT, VariableName};
use crate::wordpress::value::{PhpArray, Value};

pub(super) use reader::{Arrival, MultipartReader, Piece, Place};

/// Reads the fields of a multipart form with at most `limit` parts.
///
/// # Errors
/// [`FormFault`] for every body that RFC 7578 does not allow, or that PHP reads in another way.
pub fn parse_multipart(body: &[u8], boundary: &[u8], limit: usize) -> Result<PhpArray, FormFault> {
    let reader = MultipartReader::new(boundary);
    let mut fields = PhpArray::default();
    let mut budget = ELEMENT_LIMIT;
    let (mut rest, mut place, mut count) = (body, Place::Start, 0);
    let mut name = None;
    while let Some(read) = reader.read(place, rest, Arrival::Whole)? {
        match read.piece {
            Piece::Filler => {}
            Piece::Head(_) if count >= limit.min(PHP_VARIABLE_LIMIT) => {
                return Err(FormFault::TooManyParts);
            }
            Piece::Head(sent) => {
                count += 1;
                name = sent.and_then(VariableName::read);
            }
            Piece::Content(value) => {
                if let Some(name) = name.take() {
                    let left = budget.checked_sub(name.element_count());
                    budget = left.ok_or(FormFault::TooManyElements)?;
                    name.register(&mut fields, Value::text(value));
                }
            }
        }
        (rest, place) = (rest.get(read.length..).unwrap_or_default(), read.next);
    }
    fields.settle_kinds();
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<PhpArray, FormFault> {
        parse_multipart(body.as_bytes(), b"BB", 10)
    }

    #[test]
    fn reads_fields_by_phps_name_rules_and_skips_files() {
        let body = "--BB\r\nContent-Disposition: form-data; name=\"per.page\"\r\n\r\n5\r\n--BB\r\n\
            Content-Disposition: form-data; name=\"f\"; filename=\"x.png\"\r\nContent-Type: image/png\r\n\r\nPNG\r\n\
            --BB\r\nContent-Disposition: form-data; name=\"a[]\"\r\n\r\nline\r\n--BBx\r\n--BB--\r\n";
        assert_eq!(read(body), Err(FormFault::Boundary));
        let fields = read(&body.replace("\r\n--BBx", "")).expect("a form");
        assert_eq!(
            crate::wordpress::value::to_json(&Value::Array(fields)).expect("UTF-8"),
            br#"{"per_page":"5","a":["line"]}"#
        );
    }

    #[test]
    fn accepts_every_name_that_php_takes_literally() {
        // Registered as PHP 8.2 does it.
        let cases = [
            ("a\u{7}b", r#"{"a\u0007b":"V"}"#),
            ("\tx", r#"{"\tx":"V"}"#),
            ("a;b", r#"{"a;b":"V"}"#),
            ("x=1;name=y", r#"{"x=1;name=y":"V"}"#),
            ("a'b", r#"{"a'b":"V"}"#),
            ("'a'", r#"{"'a'":"V"}"#),
            ("a:b", r#"{"a:b":"V"}"#),
            ("a[\u{1}]", r#"{"a":{"\u0001":"V"}}"#),
            ("", "[]"),
        ];
        for (name, expected) in cases {
            let body =
                format!("--BB\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\nV\r\n--BB--\r\n");
            let fields = read(&body).expect("a form");
            let json = crate::wordpress::value::to_json(&Value::Array(fields)).expect("UTF-8");
            assert_eq!(String::from_utf8_lossy(&json), expected, "{name:?}");
        }
    }

    #[test]
    fn reads_forms_that_the_standards_allow_and_php_reads_alike() {
        let body = "text\r\n--BB\r\nContent-Type: text/plain; charset=utf-8\r\n\
            Content-Disposition: form-data; name=title\r\n\r\nT\r\n--BB\r\n\
            Content-Disposition: form-data; NAME=\"b\"; size=3; x=\"y\"\r\n\r\n2\r\n--BB\r\n\
            Content-Disposition: form-data; name=f; filename=x.png; filename*=utf-8''x.png\r\n\r\nPNG\r\n\
            --BB--\r\ntext\r\n";
        let fields = read(body).expect("a form");
        assert_eq!(
            crate::wordpress::value::to_json(&Value::Array(fields)).expect("UTF-8"),
            br#"{"title":"T","b":"2"}"#
        );
    }

    #[test]
    fn refuses_forms_that_only_php_tolerates() {
        let cases = [
            ("x=1", FormFault::Boundary),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1",
                FormFault::Unterminated,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name='a'\r\n\r\n1\r\n--BB--",
                FormFault::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name =\"a\"\r\n\r\n1\r\n--BB--",
                FormFault::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=a; filename*=utf-8''x\r\n\r\n1\r\n--BB--",
                FormFault::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=a\r\n\r\n1\n--BB\r\n\
                 Content-Disposition: form-data; name=rest_route\r\n\r\n/x\r\n--BB--",
                FormFault::Boundary,
            ),
            (
                "text --BB\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--BB--",
                FormFault::Boundary,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--BB--\r\n--BB",
                FormFault::Boundary,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--BB--text",
                FormFault::Boundary,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\" \r\nname=\"b\"\r\n\r\n1\r\n--BB--",
                FormFault::Headers,
            ),
            ("--BB\r\n\r\n1\r\n--BB--", FormFault::Headers),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\\b\"\r\n\r\n1\r\n--BB--",
                FormFault::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\r\n\r\n1\r\n--BB--",
                FormFault::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\" b\r\n\r\n1\r\n--BB--",
                FormFault::Headers,
            ),
        ];
        for (body, error) in cases {
            assert_eq!(read(body), Err(error), "{body}");
        }
    }

    #[test]
    fn stops_at_the_limit() {
        let part = "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--BB";
        assert_eq!(
            read(&format!("--BB{}--", part.repeat(11))),
            Err(FormFault::TooManyParts)
        );
        assert!(read(&format!("--BB{}--", part.repeat(10))).is_ok());
    }

    proptest::proptest! {
        #[test]
        fn takes_any_bytes(body: Vec<u8>, boundary in proptest::collection::vec(0u8.., 1..5)) {
            let _ = parse_multipart(&body, &boundary, 10);
        }
    }
}
