//! Content lines: folded, with values escaped (RFC 5545 sections 3.1 and 3.3.11).

/// Maximum bytes of a line, without the CRLF.
const LONGEST: usize = 75;

/// Lines of a calendar.
#[derive(Debug, Default)]
pub(super) struct ContentLines {
    /// The lines so far.
    pub(super) text: String,
}

// === impl ContentLines ===

impl ContentLines {
    /// A line whose value is written as it is: `name` may have parameters. Control characters are dropped, so that no value
    /// begins a line of its own.
    pub(super) fn plain(&mut self, name: &str, value: &str) {
        let letters = name.chars().chain([':']).chain(value.chars());
        self.fold(letters.filter(|letter| !letter.is_control()));
    }

    /// A line whose value is text: several lines of text are one value.
    pub(super) fn text(&mut self, name: &str, value: &str) {
        let escaped = escaped(value);
        self.plain(name, &escaped);
    }

    /// A line whose value is a list of texts.
    pub(super) fn texts(&mut self, name: &str, values: &[String]) {
        let escaped: Vec<String> = values.iter().map(|value| escaped(value)).collect();
        self.plain(name, &escaped.join(","));
    }

    /// Breaks a line before it becomes too long, never inside a character.
    fn fold(&mut self, letters: impl Iterator<Item = char>) {
        let mut length = 0;
        for letter in letters {
            if length + letter.len_utf8() > LONGEST {
                self.text.push_str("\r\n ");
                length = 1;
            }
            self.text.push(letter);
            length += letter.len_utf8();
        }
        self.text.push_str("\r\n");
    }
}

/// A text as a value: other control characters than line feeds and tabs are dropped.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\\' | ';' | ',' => escaped.extend(['\\', letter]),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push(' '),
            _ if letter.is_control() => {}
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// The value of a parameter, in quotes, which no such value can contain. A caret begins an escape there (RFC 6868).
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push('\''),
            '^' => quoted.push_str("^^"),
            _ if letter.is_control() => {}
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(value: &str) -> String {
        let mut lines = ContentLines::default();
        lines.text("SUMMARY", value);
        lines.text
    }

    /// Reads the value of the only line, as a parser does.
    fn read(lines: &str) -> String {
        let unfolded = lines.replace("\r\n ", "");
        let line = unfolded.strip_suffix("\r\n").expect("an end of line");
        assert!(!line.contains(['\r', '\n']), "{line:?}");
        let mut letters = line.strip_prefix("SUMMARY:").expect("its name").chars();
        let mut value = String::new();
        while let Some(letter) = letters.next() {
            value.push(match letter {
                '\\' => match letters.next().expect("a letter behind a backslash") {
                    'n' => '\n',
                    escaped => escaped,
                },
                plain => plain,
            });
        }
        value
    }

    #[test]
    fn values_do_not_end_their_line() {
        for (value, expected) in [
            ("a,b;c\\n", "SUMMARY:a\\,b\\;c\\\\n\r\n"),
            ("a\r\nBEGIN:VALARM", "SUMMARY:a\\nBEGIN:VALARM\r\n"),
            ("a\rATTACH:x\u{0}\u{7f}\u{85}", "SUMMARY:aATTACH:x\r\n"),
        ] {
            assert_eq!(written(value), expected, "{value:?}");
        }
        let mut lines = ContentLines::default();
        lines.plain("URL", "https://a.example/\r\nX-BAD:1");
        assert_eq!(lines.text, "URL:https://a.example/X-BAD:1\r\n");
        assert_eq!(quoted("a\"b\r\n;c ^n"), "\"a'b;c ^^n\"");
    }

    #[test]
    fn a_line_of_75_bytes_is_whole_and_a_longer_one_is_folded() {
        let fits = "x".repeat(LONGEST - "SUMMARY:".len());
        assert_eq!(written(&fits).lines().count(), 1);
        assert_eq!(written(&format!("{fits}y")), format!("SUMMARY:{fits}\r\n y\r\n"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn every_text_is_read_as_it_was_written(text in "(?s).{0,300}") {
            let lines = written(&text);
            for line in lines.split_terminator("\r\n") {
                prop_assert!(line.len() <= LONGEST, "{line:?}");
            }
            let kept = |letter: &char| matches!(letter, '\n' | '\t') || !letter.is_control();
            let expected: String = text.chars().filter(kept).map(|letter| if letter == '\t' { ' ' } else { letter }).collect();
            prop_assert_eq!(read(&lines), expected);
        }
    }
}
