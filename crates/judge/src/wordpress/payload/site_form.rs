//! The kind of form that PHP reads from the body of a request to the rest of the site.

use http::Method;

use super::content_headers::ContentHeaders;
use super::form::parse_form_body;
use super::multipart::parse_multipart;
use super::variable_names::PHP_VARIABLE_LIMIT;
use crate::wordpress::value::{PhpArray, split_once};

/// Maximum bytes of a boundary (RFC 2046 section 5.1.1).
const BOUNDARY_BYTES: usize = 70;

/// The way in which PHP fills its form variables from a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteForm<'a> {
    /// It does not.
    Absent,
    /// From an urlencoded form.
    Urlencoded,
    /// From the parts of a multipart form.
    Multipart {
        /// The boundary.
        boundary: &'a [u8],
    },
    /// The headers can be read in two ways.
    Ambiguous,
}

// === impl SiteForm ===

impl<'a> SiteForm<'a> {
    /// PHP reads forms of POST requests only. Unlike [`body_reading`](super::body_reading) this requires headers that
    /// every server reads alike: a forwarded body is not written anew.
    pub fn of(method: &Method, content: ContentHeaders<'a>) -> Self {
        if content.repeats_type {
            return Self::Ambiguous;
        }
        let form = match content.content_type() {
            Some(value) if method == Method::POST => Self::of_type(value),
            _ => Self::Absent,
        };
        if content.is_coded && form != Self::Absent {
            // PHP takes the bytes as they are, some web servers decode them.
            return Self::Ambiguous;
        }
        form
    }

    /// The variables that PHP reads from a whole body; none if they cannot be read.
    pub fn fields(self, body: &[u8]) -> Option<PhpArray> {
        match self {
            Self::Absent => Some(PhpArray::default()),
            Self::Urlencoded => parse_form_body(body).ok(),
            Self::Multipart { boundary } => parse_multipart(body, boundary, PHP_VARIABLE_LIMIT).ok(),
            Self::Ambiguous => None,
        }
    }

    /// PHP compares the text up to the first `;`, `,` or blank.
    fn of_type(value: &'a [u8]) -> Self {
        let value = value.trim_ascii();
        let end = value
            .iter()
            .position(|byte| matches!(byte, b';' | b',') || byte.is_ascii_whitespace())
            .unwrap_or(value.len());
        let (essence, parameters) = value.split_at(end);
        if essence.eq_ignore_ascii_case(b"application/x-www-form-urlencoded") {
            return Self::Urlencoded;
        }
        if !essence.eq_ignore_ascii_case(b"multipart/form-data") {
            return Self::Absent;
        }
        boundary(parameters).map_or(Self::Ambiguous, |boundary| Self::Multipart { boundary })
    }
}

/// The boundary among `; name=value` parameters; none where PHP or another parser could find another one.
///
/// PHP takes what follows the first `=` behind the first `boundary`, wherever these stand.
fn boundary(parameters: &[u8]) -> Option<&[u8]> {
    let mut boundary = None;
    let mut rest = parameters.trim_ascii();
    while !rest.is_empty() {
        let parameter = rest.strip_prefix(b";")?.trim_ascii_start();
        let (name, value) = split_once(parameter, b'=')?;
        let (value, behind) = parameter_value(value)?;
        rest = behind.trim_ascii_start();
        if name == b"boundary" {
            if boundary.replace(value).is_some() {
                return None;
            }
        } else if !is_token(name) || is_like_boundary(name) || boundary.is_none() && is_like_boundary(value) {
            return None;
        }
    }
    boundary.filter(|boundary| is_boundary(boundary))
}

/// A quoted or plain value, and the rest behind it.
fn parameter_value(value: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(quoted) = value.strip_prefix(b"\"") {
        return split_once(quoted, b'"').filter(|(inner, _)| !inner.contains(&b'\\'));
    }
    let end = value
        .iter()
        .position(|byte| matches!(byte, b';' | b',' | b'"') || byte.is_ascii_whitespace())
        .unwrap_or(value.len());
    Some(value.split_at(end))
}

fn is_token(name: &[u8]) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !name.is_empty() && name.iter().all(is_token)
}

fn is_like_boundary(text: &[u8]) -> bool {
    memchr::memmem::find(&text.to_ascii_lowercase(), b"boundary").is_some()
}

/// Returns true for the boundaries of RFC 2046, but for commas, which PHP ends one at.
fn is_boundary(boundary: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"'()+_-./:=? ".contains(byte);
    (1..=BOUNDARY_BYTES).contains(&boundary.len())
        && boundary.iter().all(is_plain)
        && !boundary.starts_with(b" ")
        && !boundary.ends_with(b" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundary_of(content_type: &str) -> Option<&[u8]> {
        match SiteForm::of_type(content_type.as_bytes()) {
            SiteForm::Multipart { boundary } => Some(boundary),
            SiteForm::Ambiguous => None,
            other => panic!("{content_type}: {other:?}"),
        }
    }

    #[test]
    fn reads_the_boundaries_of_usual_clients() {
        let cases: [(&str, &[u8]); 7] = [
            (
                "multipart/form-data; boundary=----WebKitFormBoundaryAbC012",
                b"----WebKitFormBoundaryAbC012",
            ),
            (
                "multipart/form-data; boundary=----geckoformboundary0a1b",
                b"----geckoformboundary0a1b",
            ),
            ("multipart/form-data; boundary=\"a=_b c\"", b"a=_b c"),
            ("multipart/form-data;boundary=a", b"a"),
            ("Multipart/Form-Data; boundary=----=_Part_1.2", b"----=_Part_1.2"),
            ("multipart/form-data; charset=utf-8; boundary=a", b"a"),
            ("multipart/form-data; boundary=a; charset=\"utf-8\"", b"a"),
        ];
        for (content_type, expected) in cases {
            assert_eq!(boundary_of(content_type), Some(expected), "{content_type}");
        }
    }

    #[test]
    fn refuses_boundaries_that_can_be_read_in_two_ways() {
        for content_type in [
            "multipart/form-data",
            "multipart/form-data; boundary",
            "multipart/form-data; boundary=",
            "multipart/form-data; boundary=\"\"",
            "multipart/form-data; boundary=a; boundary=b",
            "multipart/form-data; xboundary=a; boundary=b",
            "multipart/form-data; x=boundary; boundary=b",
            "multipart/form-data; Boundary=a",
            "multipart/form-data; boundary=a; Boundary=b",
            "multipart/form-data; boundary*=a",
            "multipart/form-data; boundary =a",
            "multipart/form-data; boundary= a",
            "multipart/form-data; boundary=a,b",
            "multipart/form-data, boundary=a",
            "multipart/form-data boundary=a",
            "multipart/form-data; boundary=\"a",
            "multipart/form-data; boundary=\"a\\b\"",
            "multipart/form-data; boundary=\"a\"b",
            "multipart/form-data; boundary='a,b'",
            "multipart/form-data; boundary=\"a\tb\"",
            "multipart/form-data; boundary=\"a \"",
            &format!("multipart/form-data; boundary={}", "a".repeat(71)),
        ] {
            assert_eq!(boundary_of(content_type), None, "{content_type}");
        }
    }

    #[test]
    fn takes_every_urlencoded_type_that_php_takes() {
        for content_type in [
            "application/x-www-form-urlencoded",
            "Application/X-WWW-Form-Urlencoded; charset=UTF-8",
            "application/x-www-form-urlencoded, application/json",
            "application/x-www-form-urlencoded text",
        ] {
            assert_eq!(
                SiteForm::of_type(content_type.as_bytes()),
                SiteForm::Urlencoded,
                "{content_type}"
            );
        }
        for content_type in [
            "",
            "text/plain",
            "application/json",
            "application/x-www-form-urlencoded2",
        ] {
            assert_eq!(
                SiteForm::of_type(content_type.as_bytes()),
                SiteForm::Absent,
                "{content_type}"
            );
        }
    }
}
