//! The excerpt of a file that shows a problem: line, column, the line itself and the part to underline.
//!
//! Crates for diagnostics show their input unchanged. Here secrets are masked first (T-51), control characters are
//! replaced, and a long line is cut to a window.

use std::ops::Range;

/// Maximum characters of a line that are shown.
const WINDOW: usize = 100;

/// A line of a file with the part that has a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The line number, from 1.
    pub line: usize,
    /// The column of the first character, from 1, in characters.
    pub column: usize,
    /// The line as shown, without its end.
    pub(super) shown: String,
    indent: usize,
    width: usize,
}

impl Excerpt {
    /// The excerpt for a span of bytes; a span beyond the text or inside a character is moved to the nearest boundary.
    pub(super) fn new(text: &str, span: Range<usize>) -> Self {
        let start = floor(text, span.start);
        let end = floor(text, span.end.max(start));
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..]
            .find('\n')
            .map_or(text.len(), |newline| start + newline);
        let line = text[line_start..line_end].trim_end_matches('\r');
        let column = text[line_start..start].chars().count();
        let width = text[start..end.min(line_end)]
            .trim_end_matches('\r')
            .chars()
            .count();
        Self::cut(line, column, width.max(1), line_number(text, start))
    }

    /// Reduces a long line to a window that contains the beginning of the span.
    fn cut(line: &str, column: usize, width: usize, number: usize) -> Self {
        let skipped = if column < WINDOW { 0 } else { column - WINDOW / 2 };
        let line = without_passwords(line);
        let mut shown: String = line.chars().skip(skipped).take(WINDOW).map(printable).collect();
        let kept = shown.chars().count();
        if line.chars().nth(skipped + WINDOW).is_some() {
            shown.push('…');
        }
        let mut indent = column - skipped;
        if skipped > 0 {
            shown.insert(0, '…');
            indent += 1;
        }
        Self {
            line: number,
            column: column + 1,
            shown,
            indent,
            width: width.min((kept + 1).saturating_sub(column - skipped).max(1)),
        }
    }

    /// Spaces and carets for the line below, which mark the span.
    pub(super) fn carets(&self) -> String {
        let indent = self.shown.chars().take(self.indent);
        let mut carets: String = indent.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        carets.extend(std::iter::repeat_n(' ', self.indent - carets.chars().count()));
        carets.extend(std::iter::repeat_n('^', self.width));
        carets
    }
}

fn line_number(text: &str, offset: usize) -> usize {
    text[..offset].bytes().filter(|byte| *byte == b'\n').count() + 1
}

fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

/// Replaces secrets by stars, so that they do not reach a log: user information and query of a URL, and the whole
/// value of a key with the name of a secret.
fn without_passwords(line: &str) -> String {
    // The value of a flag has no key before it, and may be a URL with a query.
    let end_of_key = line
        .find('=')
        .filter(|at| !line[..*at].contains(['/', '"', '\'', '@']));
    let (key, value) = line.split_at(end_of_key.map_or(0, |at| at + 1));
    let mut masked = key.to_owned();
    let name = key.to_ascii_lowercase();
    if SECRETS.iter().any(|word| name.contains(word)) {
        masked.extend(value.chars().map(|letter| if letter == ' ' { ' ' } else { '*' }));
        return masked;
    }
    for word in value.split_inclusive(['"', '\'', ' ', ',']) {
        let start = word.find("://").map_or(0, |at| at + "://".len());
        let (scheme, rest) = word.split_at(start);
        let end = rest.find(['/', '"', '\'']).unwrap_or(rest.len());
        let hidden = rest[..end].rfind('@').unwrap_or(0);
        // Plain permalinks have their root in the query, which is not a secret.
        let query = rest.find('?').filter(|_| !rest.contains("?rest_route="));
        let query = query.map_or(rest.len(), |at| at + 1).max(hidden);
        let tail = rest.trim_end_matches(['"', '\'', ' ', ',']).len().max(query);
        masked.push_str(scheme);
        masked.extend(rest[..hidden].chars().map(|_| '*'));
        masked.push_str(&rest[hidden..query]);
        masked.extend(rest[query..tail].chars().map(|_| '*'));
        masked.push_str(&rest[tail..]);
    }
    masked
}

/// Parts of key names that indicate a secret, here or in other programs.
const SECRETS: [&str; 3] = ["passw", "secret", "token"];

/// Replaces control characters, so that a file cannot control a terminal.
fn printable(letter: char) -> char {
    match letter {
        '\t' => '\t',
        control if control.is_control() => '\u{FFFD}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_lines_and_columns_from_one_in_characters() {
        let excerpt = Excerpt::new("a = 1\r\n\tü = \"zwei\"\r\n", 13..19);
        assert_eq!((excerpt.line, excerpt.column), (2, 6));
        assert_eq!(excerpt.shown, "\tü = \"zwei\"");
        assert_eq!(excerpt.carets(), "\t    ^^^^^^");
    }

    #[test]
    fn points_behind_the_text_at_its_end() {
        let excerpt = Excerpt::new("a =", 3..3);
        assert_eq!((excerpt.line, excerpt.column), (1, 4));
        assert_eq!(excerpt.carets(), "   ^");
    }

    #[test]
    fn hides_passwords_in_addresses() {
        let excerpt = Excerpt::new("url = \"https://me:secret@wp.example.org/@x\"", 6..10);
        assert_eq!(excerpt.shown, "url = \"https://*********@wp.example.org/@x\"");
        for (line, shown) in [
            ("url = \"me:secret@h/x\"", "url = \"*********@h/x\""),
            (
                "url = [\"http://a\", 'http://m@h?k=ü'] # x",
                "url = [\"http://a\", 'http://*@h?***'] # x",
            ),
            ("api_Token=\"abc\"", "api_Token=*****"),
            ("password = 'a b'", "password = ** **"),
            ("hosts = [\"a.example\"]", "hosts = [\"a.example\"]"),
            ("http://a:b@h", "http://***@h"),
            ("http://a:b@h/x?c=d", "http://***@h/x?***"),
        ] {
            assert_eq!(Excerpt::new(line, 0..3).shown, shown);
        }
    }

    #[test]
    fn shows_a_window_of_a_long_line() {
        let text = format!("{}x{}", "a".repeat(300), "b".repeat(300));
        let excerpt = Excerpt::new(&text, 300..301);
        assert_eq!(excerpt.column, 301);
        assert_eq!(
            excerpt.shown.chars().nth(excerpt.carets().chars().count() - 1),
            Some('x')
        );
        assert_eq!(excerpt.shown.chars().count(), WINDOW + 2);
    }

    proptest! {
        #[test]
        fn no_text_and_no_span_panics(text in "\\PC{0,300}", start in 0_usize..400, end in 0_usize..400) {
            let excerpt = Excerpt::new(&text, start..end);
            prop_assert!(excerpt.carets().contains('^'));
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64), start in 0_usize..80) {
            let text = String::from_utf8_lossy(&bytes);
            let excerpt = Excerpt::new(&text, start..start + 3);
            prop_assert!(excerpt.line >= 1 && excerpt.column >= 1);
        }
    }
}
