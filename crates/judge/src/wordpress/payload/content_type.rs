//! The reading of a body. PHP and WordPress decide about it independently (backend.md section 4).

use std::sync::LazyLock;

use http::Method;
use regex_automata::meta::Regex;

use crate::wordpress::expression;

/// The reading of a request's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyReading<'a> {
    /// WordPress decodes it as JSON.
    Json,
    /// An urlencoded form: read by PHP on POST, by WordPress on the other writing methods.
    Form,
    /// A multipart form, which only PHP reads, and only on POST.
    Multipart {
        /// The boundary, as PHP finds it; none: PHP reads nothing.
        boundary: Option<&'a [u8]>,
    },
    /// Neither PHP nor WordPress reads it.
    Ignored,
    /// PHP would read a form, and WordPress JSON, from the same bytes.
    Contradictory,
}

/// The way in which PHP and WordPress read the body of a request with this method on the wire, the method that
/// WordPress takes, and `Content-Type`. PHP reads a form by the first, WordPress its parameters by the second.
pub fn body_reading<'a>(wire: &Method, taken: &Method, content_type: Option<&'a [u8]>) -> BodyReading<'a> {
    let json = content_type.is_some_and(is_json);
    let by_php = read_by_php(wire, content_type);
    let form = match *taken {
        Method::PUT | Method::PATCH | Method::DELETE if by_php == BodyReading::Ignored => {
            read_by_wordpress(content_type)
        }
        Method::POST | Method::PUT | Method::PATCH | Method::DELETE => by_php,
        // The form of a read is none of its parameters, yet it may name another route.
        _ if by_php != BodyReading::Ignored => BodyReading::Contradictory,
        _ => BodyReading::Ignored,
    };
    match (json, form) {
        (true, BodyReading::Ignored) => BodyReading::Json,
        (true, _) => BodyReading::Contradictory,
        (false, form) => form,
    }
}

/// Returns true if PHP fills its form variables from the body.
pub fn is_php_form(wire: &Method, content_type: Option<&[u8]>) -> bool {
    read_by_php(wire, content_type) != BodyReading::Ignored
}

/// PHP fills its form variables on POST. The type up to the first `;`, `,` or blank decides.
fn read_by_php<'a>(wire: &Method, content_type: Option<&'a [u8]>) -> BodyReading<'a> {
    let Some(value) = content_type.filter(|_| wire == Method::POST) else {
        return BodyReading::Ignored;
    };
    let end = value
        .iter()
        .position(|byte| matches!(byte, b';' | b',' | b' '))
        .unwrap_or(value.len());
    let (essence, parameters) = value.split_at(end);
    if essence.eq_ignore_ascii_case(b"application/x-www-form-urlencoded") {
        return BodyReading::Form;
    }
    if essence.eq_ignore_ascii_case(b"multipart/form-data") {
        return BodyReading::Multipart {
            boundary: boundary(parameters),
        };
    }
    BodyReading::Ignored
}

/// On the other methods WordPress parses a body as a form if the type is that of a form or is missing.
fn read_by_wordpress(content_type: Option<&[u8]>) -> BodyReading<'_> {
    let essence = content_type
        .map(essence)
        .filter(|essence| essence.contains(&b'/'));
    match essence {
        None => BodyReading::Form,
        Some(essence) if essence.eq_ignore_ascii_case(b"application/x-www-form-urlencoded") => {
            BodyReading::Form
        }
        Some(_) => BodyReading::Ignored,
    }
}

fn essence(content_type: &[u8]) -> &[u8] {
    content_type
        .split(|&byte| byte == b';')
        .next()
        .unwrap_or_default()
        .trim_ascii()
}

/// Returns true if WordPress finds a JSON type before the first `;`, by the expression of `wp_is_json_media_type`.
fn is_json(content_type: &[u8]) -> bool {
    static JSON: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)(^|\s|,)application/([\w!#$&-\^.+]+\+)?json(\+oembed)?($|\s|;|,)"));
    JSON.is_match(essence(content_type))
}

/// The boundary parameter: if quoted, up to the next quote, else up to `,` or `;`.
fn boundary(parameters: &[u8]) -> Option<&[u8]> {
    let lower = parameters.to_ascii_lowercase();
    let name = lower.windows(8).position(|window| window == b"boundary")?;
    let equals = parameters
        .get(name + 8..)?
        .iter()
        .position(|&byte| byte == b'=')?;
    let value = parameters.get(name + 8 + equals + 1..)?;
    let (value, end) = match value {
        [b'"', quoted @ ..] => (quoted, quoted.iter().position(|&byte| byte == b'"')?),
        _ => (
            value,
            value
                .iter()
                .position(|byte| matches!(byte, b',' | b';'))
                .unwrap_or(value.len()),
        ),
    };
    Some(value.split_at(end).0).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(content_type: &str) -> BodyReading<'_> {
        body_reading(&Method::POST, &Method::POST, Some(content_type.as_bytes()))
    }

    #[test]
    fn knows_json_as_wordpress_does() {
        for yes in [
            "application/json",
            "application/JSON; charset=utf-16",
            " application/json",
            "application/json, text/plain",
            "text/plain, application/json",
            "application/vnd.api+json",
            "application/json+oembed",
            "application/foo,bar+json",
            "application/a/b+json+oembed, text/plain",
        ] {
            assert_eq!(post(yes), BodyReading::Json, "{yes}");
        }
        for no in [
            "application/jsonp",
            "application/json+foo",
            "application/+json",
            "text/json",
            "xapplication/json",
            "application/a b+json",
            "text/plain; application/json",
            "application/octet-stream",
            "",
        ] {
            assert_eq!(post(no), BodyReading::Ignored, "{no}");
        }
    }

    #[test]
    fn refuses_to_choose_between_two_readings() {
        assert_eq!(
            post("application/x-www-form-urlencoded, application/json"),
            BodyReading::Contradictory
        );
        assert_eq!(
            post("multipart/form-data application/json"),
            BodyReading::Contradictory
        );
    }

    #[test]
    fn takes_a_missing_type_for_a_form_except_on_post() {
        let reading = |method: Method, content_type| body_reading(&method, &method, content_type);
        assert_eq!(reading(Method::POST, None), BodyReading::Ignored);
        assert_eq!(reading(Method::PUT, None), BodyReading::Form);
        assert_eq!(reading(Method::PATCH, Some(b"nothing")), BodyReading::Form);
        assert_eq!(reading(Method::PUT, Some(b"text/plain")), BodyReading::Ignored);
        let form = b"application/x-www-form-urlencoded";
        assert_eq!(reading(Method::GET, Some(form)), BodyReading::Ignored);
    }

    #[test]
    fn t109_php_reads_by_the_method_on_the_wire_and_wordpress_by_the_one_it_takes() {
        use BodyReading::{Contradictory, Form, Ignored, Json, Multipart};
        const FORM: &str = "application/x-www-form-urlencoded";
        const PARTS: &str = "multipart/form-data; boundary=B";
        let parts = Multipart { boundary: Some(b"B") };
        for (wire, taken, content_type, expected) in [
            (Method::POST, Method::DELETE, FORM, Form),
            (Method::POST, Method::PUT, PARTS, parts),
            (Method::POST, Method::PATCH, "none", Form),
            (Method::PUT, Method::POST, FORM, Ignored),
            (Method::DELETE, Method::PUT, FORM, Form),
            (Method::PUT, Method::DELETE, PARTS, Ignored),
            (Method::POST, Method::GET, FORM, Contradictory),
            (Method::POST, Method::GET, "text/plain", Ignored),
            (Method::PUT, Method::GET, FORM, Ignored),
            (Method::DELETE, Method::GET, "application/json", Json),
        ] {
            let found = body_reading(&wire, &taken, Some(content_type.as_bytes()));
            assert_eq!(found, expected, "{wire} as {taken}, {content_type}");
        }
    }

    #[test]
    fn finds_the_boundary() {
        let cases: [(&str, Option<&[u8]>); 4] = [
            ("multipart/form-data; boundary=BB", Some(b"BB")),
            ("multipart/form-data; boundary=\"B B\"; x=y", Some(b"B B")),
            ("multipart/form-data; BOUNDARY=B;x", Some(b"B")),
            ("multipart/form-data", None),
        ];
        for (text, boundary) in cases {
            assert_eq!(post(text), BodyReading::Multipart { boundary }, "{text}");
        }
    }
}
