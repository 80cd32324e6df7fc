//! Text of others, written so that it can neither steer a terminal nor turn a line around (T-89).

use std::borrow::Cow;
use std::fmt::Write;

/// True for characters that are seen by their effect alone: controls, directions, and what has no width.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text with hidden characters as Rust escapes them: `\u{202e}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden, |letter, out| out.extend(letter.escape_unicode()))
}

/// A line that a program for people wrote, with its own colours and line end.
pub(super) fn printable_line(line: &str) -> Cow<'_, str> {
    let is_foreign = |letter| is_hidden(letter) && !matches!(letter, '\n' | '\t' | '\u{1b}');
    escaped(line, is_foreign, |letter, out| {
        out.extend(letter.escape_unicode());
    })
}

/// A JSON document with the hidden characters of its strings as JSON escapes them: `\u202e`.
pub fn printable_json(document: &str) -> Cow<'_, str> {
    // Nearly all are, and are looked at many bytes at a time.
    if document.is_ascii() && !document.contains('\u{7f}') {
        return Cow::Borrowed(document);
    }
    // The others are escaped in every document, or stand between its values.
    let is_raw = |letter| letter >= '\u{7f}' && is_hidden(letter);
    escaped(document, is_raw, |letter, out| {
        for unit in letter.encode_utf16(&mut [0; 2]) {
            // Writing into a string does not fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

fn escaped(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_escaped(letter) {
            escape(letter, &mut out);
        } else {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        for (text, expected) in [
            ("plain, ünïcode ✓ 日本", "plain, ünïcode ✓ 日本"),
            ("a\u{202e}b\u{2066}c\u{200b}", "a\\u{202e}b\\u{2066}c\\u{200b}"),
            ("\u{1b}[31m\u{7f}\u{9b}", "\\u{1b}[31m\\u{7f}\\u{9b}"),
            ("\u{2028}\u{feff}\n", "\\u{2028}\\u{feff}\\u{a}"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }

    #[test]
    fn a_document_keeps_its_meaning() {
        let document = "{\"a\":\"\\u001b\u{202e}\u{9b}\u{e0041}é\"}\n";
        let shown = printable_json(document);
        assert_eq!(shown, "{\"a\":\"\\u001b\\u202e\\u009b\\udb40\\udc41é\"}\n");
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(parse(&shown), parse(document));
    }
}
