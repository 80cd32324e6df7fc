//! The headers of a part of a multipart form.

use super::super::form_fault::FormFault;
use crate::wordpress::value::{split_once, split_while};

/// The name of the variable that a part sets, as it was sent; none for a file, which sets none.
///
/// Reads the lines before the empty one, with the only `Content-Disposition` among them.
pub(super) fn variable(head: &[u8]) -> Result<Option<&[u8]>, FormFault> {
    let mut found = None;
    for line in lines(head) {
        let (name, value) = split_once(line, b':').ok_or(FormFault::Headers)?;
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        // To PHP a line feed alone ends a line, and a NUL cuts one.
        let is_plain = name.iter().all(is_name) && memchr::memchr3(b'\r', b'\n', 0, value).is_none();
        if !is_plain {
            return Err(FormFault::Headers);
        }
        if name.eq_ignore_ascii_case(b"content-disposition") && found.replace(disposition(value)?).is_some() {
            return Err(FormFault::Headers);
        }
    }
    found.ok_or(FormFault::Headers)
}

/// Reads `form-data; name="x"`. A parameter `filename="y"` marks a file; all other parameters are ignored.
fn disposition(value: &[u8]) -> Result<Option<&[u8]>, FormFault> {
    let (kind, mut rest) = split_while(value, |byte| byte != b';');
    if !kind.trim_ascii().eq_ignore_ascii_case(b"form-data") {
        return Err(FormFault::Headers);
    }
    let (mut name, mut is_file, mut is_called_file) = (None, false, false);
    while let [b';', parameter @ ..] = rest {
        let (key, value) = key_and_value(parameter.trim_ascii_start())?;
        let key = key.to_ascii_lowercase();
        let (inner, after) = match value {
            [b'"', file_name @ ..] if key == b"filename" => quoted_file_name(file_name)?,
            [b'"', ..] => quoted(value)?,
            _ => token(value)?,
        };
        rest = after;
        match key.as_slice() {
            b"name" if name.is_some() => return Err(FormFault::Headers),
            b"name" => name = Some(inner),
            b"filename" => is_file = true,
            b"filename*" => is_called_file = true,
            _ => {}
        }
    }
    // PHP does not read `filename*`. A part with only that one is a file for other parsers and a field for PHP.
    let is_plain = rest.is_empty() && (is_file || !is_called_file);
    let name = name.filter(|_| is_plain).ok_or(FormFault::Headers)?;
    if is_file && !has_paired_brackets(name) {
        return Err(FormFault::Headers);
    }
    Ok((!is_file).then_some(name))
}

/// Returns true if PHP takes a file under this name; it skips one whose brackets are odd.
fn has_paired_brackets(name: &[u8]) -> bool {
    let (_, mut rest) = split_while(name, |byte| !matches!(byte, b'[' | b']'));
    while let [b'[', inner @ ..] = rest {
        let (_, after) = split_while(inner, |byte| !matches!(byte, b'[' | b']'));
        match after {
            [b']', after @ ..] => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
}

/// The text of a file name behind its first quote, and the rest after its last. Clients escape quotes in file
/// names with a backslash, and PHP reads them so.
fn quoted_file_name(value: &[u8]) -> Result<(&[u8], &[u8]), FormFault> {
    let mut from = 0;
    loop {
        let behind = value.get(from..).ok_or(FormFault::Headers)?;
        let at = from + memchr::memchr(b'"', behind).ok_or(FormFault::Headers)?;
        let (name, after) = value.split_at(at);
        if name.ends_with(b"\\") {
            from = at + 1;
            continue;
        }
        return Ok((name, after.strip_prefix(b"\"").unwrap_or(after).trim_ascii()));
    }
}

/// The key of a parameter, and the rest: its value and all text after that.
fn key_and_value(parameter: &[u8]) -> Result<(&[u8], &[u8]), FormFault> {
    let (key, value) = split_once(parameter, b'=').ok_or(FormFault::Headers)?;
    let is_key = |&byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'*');
    if key.is_empty() || !key.iter().all(is_key) {
        return Err(FormFault::Headers);
    }
    Ok((key, value))
}

/// A quoted text and the rest after it. Parsers disagree about line ends, NUL and backslashes, so these are
/// refused; PHP takes every other byte literally.
fn quoted(value: &[u8]) -> Result<(&[u8], &[u8]), FormFault> {
    let value = value.strip_prefix(b"\"").ok_or(FormFault::Headers)?;
    let (inner, after) = split_once(value, b'"').ok_or(FormFault::Headers)?;
    if inner.iter().any(|byte| matches!(byte, b'\\' | b'\r' | b'\n' | 0)) {
        return Err(FormFault::Headers);
    }
    Ok((inner, after.trim_ascii()))
}

/// An unquoted text and the rest after it. Only PHP treats an apostrophe as a quote. A usual token contains
/// none, but every `filename*` contains a pair, adjacent or around a language.
fn token(value: &[u8]) -> Result<(&[u8], &[u8]), FormFault> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&*+-.^_`|~'".contains(&byte);
    let (inner, after) = split_while(value, is_token);
    let apostrophes = memchr::memchr_iter(b'\'', inner).count();
    let is_certain = !inner.is_empty() && !inner.starts_with(b"'") && apostrophes.is_multiple_of(2);
    is_certain
        .then(|| (inner, after.trim_ascii()))
        .ok_or(FormFault::Headers)
}

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(head);
    std::iter::from_fn(move || {
        let text = rest?;
        let (line, behind) = match memchr::memmem::find(text, b"\r\n") {
            Some(end) => (text.get(..end)?, text.get(end + 2..)),
            None => (text, None),
        };
        rest = behind;
        Some(line)
    })
}
