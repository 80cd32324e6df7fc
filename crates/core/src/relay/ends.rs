//! A test of a streamed JSON document for completeness, by its two ends.

use memchr::memmem;

use super::check::trimmed;

/// The first byte of a document and its last ones.
///
/// WordPress encodes a document whole before it prints its first byte, so nothing goes wrong in the middle: other
/// software prints text before it or behind it, or the output ends early. Each of these shows at an end, and what lies
/// between is not read. An early end is missed where the last byte that was sent happens to be the bracket that closes
/// the document.
#[derive(Debug)]
pub(super) struct Ends {
    first: Option<u8>,
    last: [u8; LAST_BYTES],
    /// The number of these bytes that are known.
    kept: usize,
}

/// The bytes kept of the end. The error document of a PHP program that dies behind its output has up to 1 KiB.
const LAST_BYTES: usize = 2048;

// === impl Ends ===

impl Ends {
    /// Notes the ends of the next piece.
    pub(super) fn read(&mut self, piece: &[u8]) {
        if self.first.is_none() {
            self.first = trimmed(piece).first().copied();
        }
        let new = piece
            .last_chunk::<LAST_BYTES>()
            .map_or(piece, <[u8; LAST_BYTES]>::as_slice);
        let keep = self.kept.min(LAST_BYTES - new.len());
        self.last.copy_within(self.kept - keep..self.kept, 0);
        self.kept = keep + new.len();
        if let Some(place) = self.last.get_mut(keep..self.kept) {
            place.copy_from_slice(new);
        }
    }

    /// True if the document ends as it begins, and is one document.
    pub(super) fn are_of_one_document(&self) -> bool {
        let last = trimmed(self.last.get(..self.kept).unwrap_or_default());
        let closing = match self.first {
            Some(b'{') => b'}',
            Some(b'[') => b']',
            Some(b'"') => b'"',
            // The comment before the name of a callback.
            Some(b'/') => b')',
            Some(_) => return true,
            None => return false,
        };
        last.last() == Some(&closing) && !has_second_document(last)
    }
}

impl Default for Ends {
    fn default() -> Self {
        Self {
            first: None,
            last: [0; LAST_BYTES],
            kept: 0,
        }
    }
}

/// True where an object begins directly behind another. No JSON has these bytes in a row: within a text each quotation
/// mark but the last has a backslash before it, and no letter follows the last.
fn has_second_document(bytes: &[u8]) -> bool {
    const BETWEEN: &[u8] = b"}{\"";
    memmem::find_iter(bytes, BETWEEN)
        .any(|at| bytes.get(at + BETWEEN.len()).is_some_and(u8::is_ascii_alphabetic))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIST: &str = include_str!("../../../../fixtures/backend/event-list-page1.json");
    const FATAL: &str = r#"{"code":"internal_server_error","message":"<p>Critical.<\/p>","data":{"status":500},"additional_errors":[]}"#;

    fn complete(text: &str, cut: usize) -> bool {
        let mut ends = Ends::default();
        let (left, right) = text.as_bytes().split_at(cut.min(text.len()));
        ends.read(left);
        ends.read(right);
        ends.are_of_one_document()
    }

    #[test]
    fn documents_are_told_from_what_ends_otherwise() {
        let printed = serde_json::from_str::<serde_json::Value>(LIST)
            .unwrap()
            .to_string();
        let behind = |text: &str| format!("{printed}{text}");
        for (text, expected) in [
            (printed.clone(), true),
            (behind(" \n"), true),
            (format!("\r\n{printed}"), true),
            (r#"/**/show({"id":1})"#.to_owned(), true),
            (r#"["}{"]"#.to_owned(), true),
            (r#"{"a":"}{","b":"}{\"c"}"#.to_owned(), true),
            ("17".to_owned(), true),
            (String::new(), false),
            (behind("0"), false),
            (behind("<!-- cached -->"), false),
            (behind("<br />\n<b>Warning</b>:  x in <b>y</b>\n"), false),
            (behind(FATAL), false),
            (r#"/**/show({"id":1}"#.to_owned(), false),
        ] {
            assert_eq!(complete(&text, 7), expected, "{text}");
        }
    }

    #[test]
    fn an_early_end_shows_unless_it_follows_the_closing_bracket_of_an_inner_record() {
        let printed = serde_json::from_str::<serde_json::Value>(LIST)
            .unwrap()
            .to_string();
        for end in (1..printed.len()).filter(|end| printed.is_char_boundary(*end)) {
            let (cut, _) = printed.split_at(end);
            assert_eq!(complete(cut, 3), cut.ends_with('}'), "{end}");
        }
    }

    proptest! {
        #[test]
        fn the_result_does_not_depend_on_the_cut(
            text in r#"[\[\]{}"\\a \n]{0,24}"#,
            repeated in 1_usize..300,
            cut in 0_usize..9000,
        ) {
            let text = text.repeat(repeated);
            prop_assert_eq!(complete(&text, cut), complete(&text, 0));
        }
    }
}
