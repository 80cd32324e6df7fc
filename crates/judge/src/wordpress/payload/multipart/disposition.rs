//! The headers of a part of a multipart form.

use std::sync::LazyLock;

use regex_automata::meta::Regex;

use super::super::form_fault::FormFault;
use crate::wordpress::expression;
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

/// A parameter behind its semicolon: its key, and its value in quotes or as a token.
///
/// A file name in quotes may have quotes behind backslashes: clients escape them so, and PHP reads them so. Only PHP
/// treats an apostrophe as a quote.
static PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"^;[ \t\x0c]*([A-Za-z0-9_*-]+)=(?:"((?:\\+"|\\+[^"\\]|[^"\\])*)"|([A-Za-z0-9!#$%&*+.^_`|~'-]+))[ \t\x0c]*"#,
    )
});

/// The names under which PHP takes a file; it skips one whose brackets are odd.
static PAIRED_BRACKETS: LazyLock<Regex> = LazyLock::new(|| expression(r"^[^\[\]]*(\[[^\[\]]*\])*$"));

/// Reads `form-data; name="x"`. A parameter `filename="y"` marks a file; all other parameters are ignored.
fn disposition(value: &[u8]) -> Result<Option<&[u8]>, FormFault> {
    let (kind, mut rest) = split_while(value, |byte| byte != b';');
    if !kind.trim_ascii().eq_ignore_ascii_case(b"form-data") {
        return Err(FormFault::Headers);
    }
    let (mut name, mut is_file, mut is_called_file) = (None, false, false);
    let mut found = PARAMETER.create_captures();
    while !rest.is_empty() {
        PARAMETER.captures(rest, &mut found);
        let group = |group| rest.get(found.get_group(group)?.range());
        let (key, quoted, token) = (group(1).ok_or(FormFault::Headers)?, group(2), group(3));
        let key = key.to_ascii_lowercase();
        // Parsers disagree about backslashes outside of file names.
        let is_certain = match quoted {
            Some(text) => key == b"filename" || !text.contains(&b'\\'),
            None => token.is_some_and(is_certain),
        };
        if !is_certain {
            return Err(FormFault::Headers);
        }
        match key.as_slice() {
            b"name" if name.is_some() => return Err(FormFault::Headers),
            b"name" => name = quoted.or(token),
            b"filename" => is_file = true,
            b"filename*" => is_called_file = true,
            _ => {}
        }
        rest = found
            .get_group(0)
            .and_then(|all| rest.get(all.end..))
            .unwrap_or_default();
    }
    // PHP does not read `filename*`. A part with only that one is a file for other parsers and a field for PHP.
    let is_plain = is_file || !is_called_file;
    let name = name.filter(|_| is_plain).ok_or(FormFault::Headers)?;
    if is_file && !PAIRED_BRACKETS.is_match(name) {
        return Err(FormFault::Headers);
    }
    Ok((!is_file).then_some(name))
}

/// True for a token that every parser reads alike. A usual one contains no apostrophe, but every `filename*` contains a
/// pair, adjacent or around a language.
fn is_certain(token: &[u8]) -> bool {
    let apostrophes = memchr::memchr_iter(b'\'', token).count();
    !token.starts_with(b"'") && apostrophes.is_multiple_of(2)
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
