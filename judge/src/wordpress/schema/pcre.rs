//! Regular expressions of PCRE that mean the same here, surely.

use std::str::Chars;

use regex_lite::{Regex, RegexBuilder};

use crate::wordpress::value::{Key, PhpArray, Value};

/// The longest expression that is read, in bytes.
const LONGEST: usize = 1024;

/// The most bytes that a compiled expression takes.
const MOST_BYTES: usize = 64 * 1024;

/// The expression, if PCRE and this crate find the same in every ASCII text that does not end with a line feed.
///
/// Left out is what only PCRE has, such as assertions and references, and what the two read in different ways.
/// `ignores_case` is the `i` of PCRE.
pub(super) fn surely(pattern: &str, ignores_case: bool) -> Option<Regex> {
    if pattern.len() > LONGEST || !pattern.is_ascii() {
        return None;
    }
    let translated = Translation::of(pattern)?;
    let mut builder = RegexBuilder::new(&translated);
    builder.case_insensitive(ignores_case).size_limit(MOST_BYTES);
    builder.build().ok()
}

/// The regular expression of a REST route.
#[derive(Debug, Clone)]
pub struct RouteRegex(Regex);

// === impl RouteRegex ===

impl RouteRegex {
    /// The expression as a site registers it; none if only PCRE can tell what it matches.
    pub fn new(route: &str) -> Option<Self> {
        // WordPress puts the expression between two of these.
        if route.replace(r"\@", "").contains('@') {
            return None;
        }
        surely(&format!("^{route}$"), true).map(Self)
    }

    /// The parameters in the path of a route, in the order of the expression; none if it does not match.
    pub fn parameters(&self, route: &str) -> Option<PhpArray> {
        let found = self.0.captures(route)?;
        // PHP leaves out the last groups that took no part, and sets the others to empty texts.
        let last = (0..found.len()).rev().find(|&group| found.get(group).is_some())?;
        let groups = self.0.capture_names().enumerate().take(last + 1);
        let named = groups.filter_map(|(group, name)| {
            let text = found.get(group).map_or("", |text| text.as_str());
            Some((Key::from_bytes(name?), Value::text(text)))
        });
        Some(PhpArray::from_distinct(named.collect()))
    }
}

/// An expression while it is read.
struct Translation<'p> {
    rest: Chars<'p>,
    written: String,
}

// === impl Translation ===

impl<'p> Translation<'p> {
    fn of(pattern: &'p str) -> Option<String> {
        let mut reading = Self {
            rest: pattern.chars(),
            written: String::new(),
        };
        while let Some(next) = reading.rest.next() {
            match next {
                '\\' => reading.escape()?,
                '[' => reading.class()?,
                '(' => reading.group()?,
                // Two quantifiers in a row are possessive in one of them only.
                '*' | '+' | '?' | '{' => reading.quantifier(next)?,
                '.' => reading.written.push_str(r"[^\n]"),
                '^' | '$' => reading.anchor(next)?,
                _ => reading.written.push(next),
            }
        }
        Some(reading.written)
    }

    /// PCRE does not repeat an anchor.
    fn anchor(&mut self, anchor: char) -> Option<()> {
        self.written.push(anchor);
        (!self.rest.as_str().starts_with(['*', '+', '?', '{'])).then_some(())
    }

    /// Classes of characters, and marks that stand for themselves.
    fn escape(&mut self) -> Option<()> {
        let escaped = self.rest.next()?;
        match escaped {
            'd' => self.written.push_str("[0-9]"),
            'D' => self.written.push_str("[^0-9]"),
            'w' => self.written.push_str("[0-9A-Za-z_]"),
            'W' => self.written.push_str("[^0-9A-Za-z_]"),
            's' => self.written.push_str(BLANKS),
            'S' => self.written.push_str("[^\t\n\u{b}\u{c}\r ]"),
            'n' | 'r' | 't' => self.written.extend(['\\', escaped]),
            mark => self.literal(mark)?,
        }
        Some(())
    }

    fn literal(&mut self, mark: char) -> Option<()> {
        // WordPress puts a backslash before `#`, and a second one in front of that escapes it.
        if !mark.is_ascii_punctuation() || mark == '#' {
            return None;
        }
        if !matches!(mark, '<' | '>') {
            self.written.push('\\');
        }
        self.written.push(mark);
        Some(())
    }

    /// `(`, `(?:`, `(?P<name>` and `(?<name>`.
    fn group(&mut self) -> Option<()> {
        self.written.push('(');
        let Some(behind) = self.rest.as_str().strip_prefix('?') else {
            // `(*` begins a verb.
            return (!self.rest.as_str().starts_with('*')).then_some(());
        };
        if let Some(inner) = behind.strip_prefix(':') {
            self.written.push_str("?:");
            self.rest = inner.chars();
            return Some(());
        }
        let named = behind.strip_prefix("P<").or_else(|| behind.strip_prefix('<'))?;
        let (name, inner) = named.split_once('>')?;
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        self.written.push_str("?P<");
        self.written.push_str(name);
        self.written.push('>');
        self.rest = inner.chars();
        is_name.then_some(())
    }

    fn quantifier(&mut self, first: char) -> Option<()> {
        self.written.push(first);
        if first == '{' {
            let (bounds, behind) = self.rest.as_str().split_once('}')?;
            let (least, most) = bounds.split_once(',').unwrap_or((bounds, bounds));
            let is_bound = |text: &str| text.parse::<u16>().is_ok_and(|number| number <= 1000);
            if !(is_bound(least) && (most.is_empty() || is_bound(most))) {
                return None;
            }
            self.written.push_str(bounds);
            self.written.push('}');
            self.rest = behind.chars();
        }
        if self.rest.as_str().starts_with('?') {
            self.rest.next();
            self.written.push('?');
        }
        (!self.rest.as_str().starts_with(['*', '+', '?', '{'])).then_some(())
    }

    /// A class: single characters, ranges of letters or digits, and escapes.
    fn class(&mut self) -> Option<()> {
        self.written.push('[');
        if self.rest.as_str().starts_with('^') {
            self.rest.next();
            self.written.push('^');
        }
        if self.rest.as_str().starts_with(']') {
            return None;
        }
        let start = self.written.len();
        loop {
            match self.rest.next()? {
                ']' => break,
                '\\' => self.class_escape()?,
                '[' if self.rest.as_str().starts_with([':', '.', '=']) => return None,
                '-' => self.hyphen(start)?,
                '#' => self.written.push('#'),
                one if one.is_ascii_punctuation() => self.literal(one)?,
                one => self.written.push(one),
            }
        }
        self.written.push(']');
        Some(())
    }

    fn class_escape(&mut self) -> Option<()> {
        match self.rest.clone().next()? {
            'd' => self.written.push_str("0-9"),
            'w' => self.written.push_str("0-9A-Za-z_"),
            's' => self.written.push_str("\t\n\u{b}\u{c}\r "),
            'n' | 'r' | 't' => return self.escape(),
            mark => {
                self.rest.next();
                return self.literal(mark);
            }
        }
        self.rest.next();
        // `\w-x` is no range.
        let is_range = self.rest.as_str().starts_with('-') && !self.rest.as_str().starts_with("-]");
        (!is_range).then_some(())
    }

    /// A range between two letters or digits; at the ends of a class a hyphen.
    fn hyphen(&mut self, start: usize) -> Option<()> {
        let before = self.written.chars().next_back();
        let behind = self.rest.clone().next()?;
        let is_end = |letter: char| letter.is_ascii_alphanumeric();
        if before.is_some_and(is_end) && is_end(behind) {
            self.written.push('-');
            return Some(());
        }
        self.written.push_str(r"\-");
        // In the middle it may belong to a range with an escape.
        let is_first = self.written.len() == start + r"\-".len();
        (is_first || behind == ']').then_some(())
    }
}

const BLANKS: &str = "[\t\n\u{b}\u{c}\r ]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_routes_are_read() {
        for (pattern, text, is_found) in [
            (r"^/wp/v2/posts/(?P<id>[\d]+)$", "/wp/v2/posts/7", true),
            (r"^/wp/v2/posts/(?P<id>[\d]+)$", "/wp/v2/posts/x", false),
            (
                r"^/wp/v2/types/(?P<type>[\w-]+)$",
                "/wp/v2/types/wp_block-2",
                true,
            ),
            (
                r#"^/t/(?P<s>[^\/:<>\*\?"\|]+(?:\/[^\/:<>\*\?"\|]+)?)$"#,
                "/t/a/b",
                true,
            ),
            (r"^#a.b{2}\/?$", "#axbb", true),
        ] {
            let found = surely(pattern, false).map(|regex| regex.is_match(text));
            assert_eq!(found.unwrap_or(false), is_found, "{pattern}");
        }
    }

    #[test]
    fn what_only_pcre_means_is_left_out() {
        for pattern in [
            "(?=a)",
            "(?<!a)b",
            r"(a)\1",
            "a++",
            "[[:alpha:]]",
            r"\bа",
            r"\bword",
            "(?i)a",
            r"\x41",
            "(*UTF8)a",
            "a{,3}",
            "[]a]",
            r"\Qa\E",
            "[+--]",
            r"[\w-z]",
            "(a",
            "a)",
            "*a",
        ] {
            assert!(surely(pattern, false).is_none(), "{pattern}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_expression_panics(pattern: String, text in "[ -~]{0,20}") {
            if let Some(regex) = surely(&pattern, true) {
                regex.is_match(&text);
            }
        }
    }
}
