//! A `rest_route` in the form of a request that is not a calendar call.

use http::Method;

use super::content_type::{BodyReading, body_reading};
use super::form::sets_variable;
use super::multipart::parse_multipart;
use super::names::PHP_VARIABLE_LIMIT;

/// Returns true if a body of this method and type would set `rest_route`, in any spelling that PHP reads.
///
/// For requests outside the calendar API: a form field of that name makes the site's front controller serve a
/// REST route on any URL (backend.md section 6). If a multipart body cannot be read exactly, the function
/// returns true whenever the name occurs in it.
pub fn names_rest_route(method: &Method, content_type: Option<&[u8]>, body: &[u8]) -> bool {
    match body_reading(method, content_type) {
        BodyReading::Form if method == Method::POST => sets_variable(body, "rest_route"),
        BodyReading::Multipart {
            boundary: Some(boundary),
        } => match parse_multipart(body, boundary, PHP_VARIABLE_LIMIT) {
            Ok(fields) => fields.get("rest_route").is_some(),
            Err(_) => may_name_rest_route(body),
        },
        BodyReading::Contradictory => sets_variable(body, "rest_route") || may_name_rest_route(body),
        BodyReading::Form | BodyReading::Json | BodyReading::Multipart { .. } | BodyReading::Ignored => false,
    }
}

/// Returns true if `rest` and `route` occur with one byte between them, which covers every spelling of the
/// name in a part.
fn may_name_rest_route(body: &[u8]) -> bool {
    body.windows(10)
        .any(|window| window.starts_with(b"rest") && window.ends_with(b"route"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_route_in_every_form_php_reads() {
        let multipart = b"--B\r\nContent-Disposition: form-data; name=\"rest.route\"\r\n\r\n/x\r\n--B--";
        let odd = b"--B\nContent-Disposition: form-data; name=rest_route\n\n/x\n--B--";
        let form = Some(&b"application/x-www-form-urlencoded"[..]);
        let parts = Some(&b"multipart/form-data; boundary=B"[..]);
        let cases = [
            (Method::POST, form, &b"a=1&%20rest%5Froute=/x"[..], true),
            (Method::POST, form, b"comment=rest_route", false),
            (Method::PUT, form, b"rest_route=/x", false),
            (Method::POST, None, b"rest_route=/x", false),
            (Method::POST, parts, multipart, true),
            (Method::POST, parts, odd, true),
        ];
        for (method, content_type, body, expected) in cases {
            assert_eq!(
                names_rest_route(&method, content_type, body),
                expected,
                "{method} {body:?}"
            );
        }
    }
}
