//! A test of a streamed JSON document for completeness.

use memchr::memchr2;

/// Counts brackets outside strings. At the speed of a scan, it detects a document that was cut off and one
/// followed by more bytes. It does not detect every malformed document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Balance {
    depth: u64,
    place: Depth,
    broken: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Depth {
    #[default]
    Outside,
    Text,
    Escape,
}

// === impl Balance ===

impl Balance {
    /// Processes the next piece.
    pub(super) fn read(&mut self, mut piece: &[u8]) {
        while let [first, rest @ ..] = piece {
            piece = match self.place {
                Depth::Escape => {
                    self.place = Depth::Text;
                    rest
                }
                Depth::Text => self.read_text(piece),
                Depth::Outside => {
                    self.read_outside(*first);
                    rest
                }
            };
        }
    }

    /// True if every opened bracket and string is closed.
    pub(super) const fn is_complete(self) -> bool {
        self.depth == 0 && matches!(self.place, Depth::Outside) && !self.broken
    }

    fn read_text<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        let at = memchr2(b'"', b'\\', piece).unwrap_or(piece.len());
        let Some((found, behind)) = piece.split_at(at).1.split_first() else {
            return &[];
        };
        self.place = if *found == b'"' {
            Depth::Outside
        } else {
            Depth::Escape
        };
        behind
    }

    fn read_outside(&mut self, byte: u8) {
        match byte {
            b'"' => self.place = Depth::Text,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => match self.depth.checked_sub(1) {
                Some(depth) => self.depth = depth,
                None => self.broken = true,
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn complete(text: &str, cut: usize) -> bool {
        let mut balance = Balance::default();
        let (left, right) = text.as_bytes().split_at(cut.min(text.len()));
        balance.read(left);
        balance.read(right);
        balance.is_complete()
    }

    #[test]
    fn distinguishes_complete_documents_from_cut_ones() {
        let whole = r#"{"a":["x]\"}\\",{"b":1}],"c":"\u00e9"}"#;
        assert!(complete(whole, 7));
        for end in 1..whole.len() {
            assert!(!complete(&whole[..end], 3), "{}", &whole[..end]);
        }
        assert!(!complete("[]]", 0));
    }

    proptest! {
        #[test]
        fn the_result_does_not_depend_on_the_cut(text in r#"[\[\]{}"\\a]{0,24}"#, cut in 0_usize..24) {
            prop_assert_eq!(complete(&text, cut), complete(&text, 0));
        }
    }
}
