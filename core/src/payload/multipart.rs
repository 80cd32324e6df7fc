//! Multipart forms, as far as PHP's reading of them is certain.
//!
//! PHP tolerates many faults: odd line ends, half headers, a missing last boundary. A form with such a fault
//! can be read in two ways, so it is refused. Forms that RFC 2046 and RFC 7578 allow are read if PHP reads
//! them in the same way. File parts are not parameters.

use super::elements::{ElementBudget, TooManyElements};
use super::names::{PHP_VARIABLE_LIMIT, VariableName};
use crate::value::{PhpArray, Value, split_once, split_while};

/// The reason why a multipart body is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MultipartError {
    /// No part begins, a boundary line contains further text, or the boundary appears in a position that is
    /// not read.
    #[error("the multipart body does not follow its boundary")]
    Boundary,
    /// The last boundary is missing.
    #[error("the multipart body ends without its closing boundary")]
    Unterminated,
    /// A part's headers are not plain `Content-…` lines with one disposition.
    #[error("a part of the multipart body has unreadable headers")]
    Headers,
    /// More parts than the limit.
    #[error("the multipart body has too many parts")]
    TooManyParts,
    /// The names of its parts have too many brackets.
    #[error(transparent)]
    TooManyElements(#[from] TooManyElements),
}

/// Reads the fields of a multipart form with at most `limit` parts.
///
/// # Errors
/// [`MultipartError`] for every body that RFC 7578 does not allow, or that PHP reads in another way.
pub fn parse_multipart(body: &[u8], boundary: &[u8], limit: usize) -> Result<PhpArray, MultipartError> {
    let mut fields = PhpArray::default();
    let mut budget = ElementBudget::full();
    let delimiter = [b"\r\n--", boundary].concat();
    // Shorter forms that PHP, or another parser, takes for a boundary in some positions.
    let (dashed, unreturned) = (delimiter.split_at(2).1, delimiter.split_at(1).1);
    let mut rest = behind_preamble(body, dashed).ok_or(MultipartError::Boundary)?;
    for count in 0.. {
        match rest {
            // PHP looks for further parts in the epilogue, other parsers do not.
            [b'-', b'-', epilogue @ ..]
                if epilogue.is_empty()
                    || epilogue.starts_with(b"\r\n") && cut(epilogue, dashed).is_none() =>
            {
                break;
            }
            [b'\r', b'\n', part @ ..] if count < limit.min(PHP_VARIABLE_LIMIT) => {
                let (part, behind) = cut(part, &delimiter).ok_or(MultipartError::Unterminated)?;
                // For PHP a line feed alone begins a boundary line.
                if cut(part, unreturned).is_some() {
                    return Err(MultipartError::Boundary);
                }
                if let Some((name, value)) = field(part)? {
                    budget.spend(name.element_count())?;
                    name.register(&mut fields, Value::text(value));
                }
                rest = behind;
            }
            [b'\r', b'\n', ..] => return Err(MultipartError::TooManyParts),
            _ => return Err(MultipartError::Boundary),
        }
    }
    fields.settle_kinds();
    Ok(fields)
}

/// The part after the first boundary. Text before it has no meaning, unless PHP could find a boundary in it.
fn behind_preamble<'a>(body: &'a [u8], dashed: &[u8]) -> Option<&'a [u8]> {
    let (preamble, behind) = cut(body, dashed)?;
    (preamble.is_empty() || preamble.ends_with(b"\r\n")).then_some(behind)
}

/// The name and value of a part; none where PHP registers no field.
fn field(part: &[u8]) -> Result<Option<(VariableName, &[u8])>, MultipartError> {
    let (head, value) = cut(part, b"\r\n\r\n").ok_or(MultipartError::Headers)?;
    let disposition = disposition(head)?;
    if disposition.is_file {
        return Ok(None);
    }
    // As in a query: PHP registers nothing under a name that is empty or too deep.
    Ok(VariableName::read(disposition.name).map(|name| (name, value)))
}

struct Disposition<'a> {
    name: &'a [u8],
    is_file: bool,
}

/// The only `Content-Disposition` among a part's headers.
fn disposition(head: &[u8]) -> Result<Disposition<'_>, MultipartError> {
    let mut found = None;
    for line in split_lines(head) {
        let (name, value) = split_once(line, b':').ok_or(MultipartError::Headers)?;
        if !name
            .iter()
            .all(|&byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            return Err(MultipartError::Headers);
        }
        if name.eq_ignore_ascii_case(b"content-disposition")
            && found.replace(read_disposition(value)?).is_some()
        {
            return Err(MultipartError::Headers);
        }
    }
    found.ok_or(MultipartError::Headers)
}

/// Reads `form-data; name="x"`. A parameter `filename="y"` marks a file; all other parameters are ignored.
fn read_disposition(value: &[u8]) -> Result<Disposition<'_>, MultipartError> {
    let (kind, mut rest) = split_while(value, |byte| byte != b';');
    if !kind.trim_ascii().eq_ignore_ascii_case(b"form-data") {
        return Err(MultipartError::Headers);
    }
    let (mut name, mut is_file, mut is_called_file) = (None, false, false);
    while let [b';', parameter @ ..] = rest {
        let (key, value) = key_and_value(parameter.trim_ascii_start())?;
        let (inner, after) = match value {
            [b'"', ..] => quoted(value)?,
            _ => token(value)?,
        };
        rest = after;
        match key.to_ascii_lowercase().as_slice() {
            b"name" if name.is_some() => return Err(MultipartError::Headers),
            b"name" => name = Some(inner),
            b"filename" => is_file = true,
            b"filename*" => is_called_file = true,
            _ => {}
        }
    }
    // PHP does not know `filename*`. A part with only that one is a file for other parsers and a field for
    // PHP.
    let is_plain = rest.is_empty() && (is_file || !is_called_file);
    Ok(Disposition {
        name: name.filter(|_| is_plain).ok_or(MultipartError::Headers)?,
        is_file,
    })
}

/// The key of a parameter, and the rest: its value and all text after that.
fn key_and_value(parameter: &[u8]) -> Result<(&[u8], &[u8]), MultipartError> {
    let (key, value) = split_once(parameter, b'=').ok_or(MultipartError::Headers)?;
    let is_key = |&byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'*');
    if key.is_empty() || !key.iter().all(is_key) {
        return Err(MultipartError::Headers);
    }
    Ok((key, value))
}

/// A quoted text and the rest after it. Parsers disagree about line ends, NUL and backslashes, so these are
/// refused; PHP takes every other byte literally.
fn quoted(value: &[u8]) -> Result<(&[u8], &[u8]), MultipartError> {
    let value = value.strip_prefix(b"\"").ok_or(MultipartError::Headers)?;
    let (inner, after) = split_once(value, b'"').ok_or(MultipartError::Headers)?;
    if inner.iter().any(|byte| matches!(byte, b'\\' | b'\r' | b'\n' | 0)) {
        return Err(MultipartError::Headers);
    }
    Ok((inner, after.trim_ascii()))
}

/// An unquoted text and the rest after it. Only PHP treats an apostrophe as a quote. A usual token contains
/// none, but every `filename*` contains a pair, adjacent or around a language.
fn token(value: &[u8]) -> Result<(&[u8], &[u8]), MultipartError> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&*+-.^_`|~'".contains(&byte);
    let (inner, after) = split_while(value, is_token);
    let apostrophes = memchr::memchr_iter(b'\'', inner).count();
    let is_certain = !inner.is_empty() && !inner.starts_with(b"'") && apostrophes.is_multiple_of(2);
    is_certain
        .then(|| (inner, after.trim_ascii()))
        .ok_or(MultipartError::Headers)
}

fn split_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(head);
    std::iter::from_fn(move || {
        let text = rest?;
        let (line, behind) = cut(text, b"\r\n").map_or((text, None), |(line, behind)| (line, Some(behind)));
        rest = behind;
        Some(line)
    })
}

/// The parts before and after the first occurrence of the needle.
fn cut<'a>(haystack: &'a [u8], needle: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memchr::memmem::find(haystack, needle)?;
    let (before, from) = haystack.split_at(at);
    Some((before, from.strip_prefix(needle)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<PhpArray, MultipartError> {
        parse_multipart(body.as_bytes(), b"BB", 10)
    }

    #[test]
    fn reads_fields_by_phps_name_rules_and_skips_files() {
        let body = "--BB\r\nContent-Disposition: form-data; name=\"per.page\"\r\n\r\n5\r\n--BB\r\n\
            Content-Disposition: form-data; name=\"f\"; filename=\"x.png\"\r\nContent-Type: image/png\r\n\r\nPNG\r\n\
            --BB\r\nContent-Disposition: form-data; name=\"a[]\"\r\n\r\nline\r\n--BBx\r\n--BB--\r\n";
        assert_eq!(read(body), Err(MultipartError::Boundary));
        let fields = read(&body.replace("\r\n--BBx", "")).expect("a form");
        assert_eq!(
            crate::value::to_json(&Value::Array(fields)).expect("UTF-8"),
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
            let json = crate::value::to_json(&Value::Array(fields)).expect("UTF-8");
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
            crate::value::to_json(&Value::Array(fields)).expect("UTF-8"),
            br#"{"title":"T","b":"2"}"#
        );
    }

    #[test]
    fn refuses_forms_that_only_php_tolerates() {
        let cases = [
            ("x=1", MultipartError::Boundary),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1",
                MultipartError::Unterminated,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name='a'\r\n\r\n1\r\n--BB--",
                MultipartError::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name =\"a\"\r\n\r\n1\r\n--BB--",
                MultipartError::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=a; filename*=utf-8''x\r\n\r\n1\r\n--BB--",
                MultipartError::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=a\r\n\r\n1\n--BB\r\n\
                 Content-Disposition: form-data; name=rest_route\r\n\r\n/x\r\n--BB--",
                MultipartError::Boundary,
            ),
            (
                "text --BB\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--BB--",
                MultipartError::Boundary,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--BB--\r\n--BB",
                MultipartError::Boundary,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--BB--text",
                MultipartError::Boundary,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\" \r\nname=\"b\"\r\n\r\n1\r\n--BB--",
                MultipartError::Headers,
            ),
            ("--BB\r\n\r\n1\r\n--BB--", MultipartError::Headers),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\\b\"\r\n\r\n1\r\n--BB--",
                MultipartError::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\r\n\r\n1\r\n--BB--",
                MultipartError::Headers,
            ),
            (
                "--BB\r\nContent-Disposition: form-data; name=\"a\" b\r\n\r\n1\r\n--BB--",
                MultipartError::Headers,
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
            Err(MultipartError::TooManyParts)
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
