//! Reads the tables of PHP's verdicts in `fixtures/`: each line is one escaped text and its columns.

use std::fmt::Write;

/// The rows of a table: the unescaped text and the columns after it. Lines that start with `#` are comments.
pub(super) fn rows(table: &str) -> Vec<(Vec<u8>, Vec<&str>)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut columns = line.split('\t');
            (unescape(columns.next().unwrap_or_default()), columns.collect())
        })
        .collect()
}

/// Escapes a text as in C, so that PHP's `stripcslashes` can read it: the verdict scripts read the same
/// lines.
pub(super) fn escape(text: &[u8]) -> String {
    let mut escaped = String::new();
    for &byte in text {
        match byte {
            b'\\' => escaped.push_str("\\\\"),
            b' '..=b'~' if !(byte == b'#' && escaped.is_empty()) => escaped.push(char::from(byte)),
            _ => write!(escaped, "\\{byte:03o}").expect("a String takes every write"),
        }
    }
    escaped
}

/// The bytes of an escaped text.
pub(super) fn unescape(escaped: &str) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = escaped.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            text.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => text.push(b'\n'),
            Some(b't') => text.push(b'\t'),
            Some(b'r') => text.push(b'\r'),
            Some(b'v') => text.push(0x0b),
            Some(b'f') => text.push(0x0c),
            Some(b'x') => text.push(number(&mut rest, 16, 2, 0)),
            Some(digit @ b'0'..=b'7') => text.push(number(&mut rest, 8, 2, digit - b'0')),
            Some(other) => text.push(other),
            None => {}
        }
    }
    text
}

fn number(rest: &mut std::iter::Peekable<std::str::Bytes<'_>>, radix: u32, most: usize, first: u8) -> u8 {
    let mut value = u32::from(first);
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|&byte| char::from(byte).to_digit(radix)) else {
            break;
        };
        value = value * radix + digit;
        rest.next();
    }
    u8::try_from(value & 0xff).unwrap_or_default()
}

#[test]
fn unescaping_reverses_escaping() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(unescape(&escape(&all)), all);
    assert_eq!(unescape(r"\n\x41\1012\\\0"), b"\nAA2\\\0");
}
