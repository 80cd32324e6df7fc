//! HTML as plain text: tags become line breaks or nothing, entities become characters.

use calendar_edge_judge::wordpress::html_entity;

/// Elements whose content is no text.
const UNSEEN: [&str; 2] = ["script", "style"];

/// Elements that begin and end a line.
const BLOCKS: [&str; 21] = [
    "address",
    "article",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "li",
    "ol",
    "p",
    "table",
    "tr",
    "ul",
];

/// The text that a page would show, with its lines. Blanks count once, and empty lines not at all. A text without tags
/// has the lines that it was written in.
pub(super) fn plain_text(html: &str) -> String {
    let mut lines = PlainLines {
        has_tags: html.contains('<'),
        ..PlainLines::default()
    };
    let mut rest = html;
    while let Some(letter) = rest.chars().next() {
        if letter == '<'
            && let Some((name, is_end, behind)) = tag(rest)
        {
            if BLOCKS.contains(&name.as_str()) {
                lines.end();
            }
            let is_unseen = UNSEEN.contains(&name.as_str()) && !is_end;
            rest = if is_unseen {
                behind_end_of(&name, behind)
            } else {
                behind
            };
            continue;
        }
        let plain = || (letter, rest.get(letter.len_utf8()..).unwrap_or_default());
        let (letter, behind) = html_entity(rest).unwrap_or_else(plain);
        lines.push(letter);
        rest = behind;
    }
    lines.finish()
}

/// The same on one line.
pub(super) fn plain_line(html: &str) -> String {
    plain_text(html).replace('\n', " ")
}

/// Lines of text as they are found.
#[derive(Default)]
struct PlainLines {
    has_tags: bool,
    text: String,
    line: String,
}

// === impl PlainLines ===

impl PlainLines {
    fn push(&mut self, letter: char) {
        match letter {
            '\n' if !self.has_tags => self.end(),
            _ if letter.is_whitespace() => {
                if !self.line.ends_with(' ') {
                    self.line.push(' ');
                }
            }
            _ => self.line.push(letter),
        }
    }

    fn end(&mut self) {
        let line = self.line.trim();
        if !line.is_empty() {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(line);
        }
        self.line.clear();
    }

    fn finish(mut self) -> String {
        self.end();
        self.text
    }
}

/// The tag that a text begins with, by its name, whether it ends its element, and what follows it. A comment has no
/// name. A `<` before anything else is a character.
fn tag(text: &str) -> Option<(String, bool, &str)> {
    let inside = text.strip_prefix('<')?;
    if let Some(comment) = inside.strip_prefix("!--") {
        let behind = comment.split_once("-->").map_or("", |(_, behind)| behind);
        return Some((String::new(), false, behind));
    }
    let named = inside.strip_prefix('/').unwrap_or(inside);
    let is_end = named.len() < inside.len();
    let first = named.chars().next().filter(char::is_ascii_alphabetic);
    first.or_else(|| named.starts_with('!').then_some('!'))?;
    let name: String = named.chars().take_while(char::is_ascii_alphanumeric).collect();
    Some((name.to_ascii_lowercase(), is_end, behind_tag(named)))
}

/// The text behind the next `>` outside of quotes.
fn behind_tag(text: &str) -> &str {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return text.get(at + 1..).unwrap_or_default(),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if byte == open => quote = None,
            _ => {}
        }
    }
    ""
}

/// The text behind the end tag of an element.
fn behind_end_of<'a>(name: &str, text: &'a str) -> &'a str {
    let mut rest = text;
    while let Some((_, found)) = rest.split_once('<') {
        let end = found.strip_prefix('/').and_then(|end| end.get(..name.len()));
        if end.is_some_and(|end| end.eq_ignore_ascii_case(name)) {
            return behind_tag(found);
        }
        rest = found;
    }
    ""
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn html_is_read_as_a_page_shows_it() {
        for (html, expected) in [
            ("", ""),
            (
                "<p>One &amp; two&#8217;s</p>\n<p>Three<br/>four</p>",
                "One & two\u{2019}s\nThree\nfour",
            ),
            ("<h2>Menu</h2>\n<ul>\n<li>A</li><li> B </li>\n</ul>", "Menu\nA\nB"),
            ("a <strong>b</strong>c  d\t\te", "a bc d e"),
            (
                "<p><script>alert(1)</script>x</p><STYLE a=b>p{}</style >y",
                "x\ny",
            ),
            ("<script>never closed", ""),
            ("a<!-- <p>no</p> -->b<!-- open", "ab"),
            ("<a href=\"x>y\">link</a>", "link"),
            ("1 < 2 &lt;b&gt; &nbsp;x", "1 < 2 <b> x"),
            ("<p", ""),
            ("&unknown; &", "&unknown; &"),
            ("one\n\ntwo", "one\ntwo"),
            ("<b>one</b>\ntwo", "one two"),
            ("<!DOCTYPE html>x", "x"),
        ] {
            assert_eq!(plain_text(html), expected, "{html}");
        }
        assert_eq!(
            plain_line("J\u{f6}rg &#038;<br>S\u{f8}nner"),
            "J\u{f6}rg & S\u{f8}nner"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read(html in "[a-z<>&;#/!\\-\"' \n\u{e4}]{0,80}") {
            let text = plain_text(&html);
            prop_assert!(text.len() <= html.len());
        }
    }
}
