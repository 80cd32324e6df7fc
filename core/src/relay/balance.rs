//! A test of a streamed JSON document for completeness.

use crate::simd::{self, BLOCK, Lane};

/// Counts brackets outside strings. At the speed of a scan, it detects a document that was cut off and one
/// followed by more bytes. It does not detect every malformed document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Balance {
    depth: u64,
    /// True inside a string.
    in_text: bool,
    /// True behind a backslash that is no escaped one.
    in_escape: bool,
    /// True once a bracket was closed that nothing had opened.
    broken: bool,
}

/// Every second bit, the second first.
const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

// === impl Balance ===

impl Balance {
    /// Processes the next piece.
    pub(super) fn read(&mut self, piece: &[u8]) {
        let (blocks, last) = piece.as_chunks();
        for block in blocks {
            self.read_block(block);
        }
        for byte in last {
            self.read_byte(*byte);
        }
    }

    /// True if every opened bracket and string is closed.
    pub(super) const fn is_complete(self) -> bool {
        self.depth == 0 && !self.in_text && !self.in_escape && !self.broken
    }

    fn read_byte(&mut self, byte: u8) {
        match byte {
            _ if std::mem::take(&mut self.in_escape) => {}
            b'\\' => self.in_escape = true,
            b'"' => self.in_text = !self.in_text,
            b'{' | b'[' if !self.in_text => self.depth += 1,
            b'}' | b']' if !self.in_text => self.close(),
            _ => {}
        }
    }

    /// The same for a block of bytes: a bit of each mask is a byte.
    fn read_block(&mut self, block: &[u8; BLOCK]) {
        // Braces and square brackets differ in one bit, which is set in braces.
        const BRACE: u8 = b'{' ^ b'[';
        let is_bracket = |lane: Lane, brace: u8| simd::is(lane | Lane::splat(BRACE), brace);
        let escaped = self.escaped(simd::mask(block, |lane| simd::is(lane, b'\\')));
        let text = self.text(simd::mask(block, |lane| simd::is(lane, b'"')) & !escaped);
        let brackets = simd::mask(block, |lane| is_bracket(lane, b'{') | is_bracket(lane, b'}'));
        let brackets = brackets & !text & !escaped;
        // Most blocks lie within a record and have none.
        if brackets != 0 {
            self.read_brackets(brackets, simd::mask(block, |lane| is_bracket(lane, b'{')));
        }
    }

    /// The bytes behind backslashes that are not escaped themselves.
    ///
    /// Of a run of backslashes every second one is escaped. A subtraction finds them in all runs at once, without a
    /// branch: where a run begins at an even place its odd places differ from [`ODD`], else its even ones.
    fn escaped(&mut self, backslashes: u64) -> u64 {
        let first = u64::from(self.in_escape);
        let runs = backslashes & !first;
        let escaping_or_behind = (runs << 1 | ODD).wrapping_sub(runs) ^ ODD;
        self.in_escape = (escaping_or_behind & backslashes) >> (BLOCK - 1) == 1;
        escaping_or_behind ^ (backslashes | first)
    }

    /// The bytes inside strings, from their first quotation mark on and without their last.
    fn text(&mut self, quotes: u64) -> u64 {
        // Each bit becomes the parity of the quotation marks up to it.
        let parity = [1, 2, 4, 8, 16, 32]
            .into_iter()
            .fold(quotes, |bits, shift| bits ^ bits << shift);
        let text = if self.in_text { !parity } else { parity };
        self.in_text = text >> (BLOCK - 1) == 1;
        text
    }

    fn read_brackets(&mut self, brackets: u64, opening: u64) {
        let opened = brackets & opening;
        let closed = brackets & !opening;
        match self.depth.checked_sub(u64::from(closed.count_ones())) {
            Some(depth) => self.depth = depth + u64::from(opened.count_ones()),
            None => self.read_in_order(brackets, opening),
        }
    }

    /// Counts brackets one by one: some may close what nothing opened.
    fn read_in_order(&mut self, brackets: u64, opening: u64) {
        let mut left = brackets;
        while left != 0 {
            let bracket = left & left.wrapping_neg();
            if opening & bracket == 0 {
                self.close();
            } else {
                self.depth += 1;
            }
            left ^= bracket;
        }
    }

    fn close(&mut self) {
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => self.broken = true,
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

        #[test]
        fn blocks_are_read_as_their_bytes(
            text in prop_oneof![r#"[\[\]{}"\\;^a]{0,300}"#, r#"[\["\\]{0,300}"#],
            cut in 0_usize..300,
        ) {
            let (mut by_block, mut by_byte) = (Balance::default(), Balance::default());
            let (left, right) = text.as_bytes().split_at(cut.min(text.len()));
            by_block.read(left);
            by_block.read(right);
            for byte in text.bytes() {
                by_byte.read_byte(byte);
            }
            prop_assert_eq!(by_block, by_byte);
        }
    }
}
