//! The Huffman code of HPACK (RFC 7541 5.2, appendix B): where each code of a string ends.
//!
//! The code is canonical: the codes of one length are consecutive numbers, and each length continues where the one before
//! ended. So the number of codes of each length describes it, and no table of symbols is needed.

/// The lengths of codes in bits, and how many codes have each.
const COUNTS: [(u32, u32); 21] = [
    (5, 10),
    (6, 26),
    (7, 32),
    (8, 6),
    (10, 5),
    (11, 3),
    (12, 2),
    (13, 6),
    (14, 2),
    (15, 3),
    (19, 3),
    (20, 8),
    (21, 13),
    (22, 26),
    (23, 29),
    (24, 12),
    (25, 4),
    (26, 15),
    (27, 19),
    (28, 29),
    (30, 4),
];

/// For each length the first 32 bits that belong to a longer code.
const LIMITS: [(u32, u64); 21] = limits();

/// The code that no string may contain (RFC 7541 5.2).
const END_OF_STRING: Code = Code(0x3fff_ffff, 30);

/// A code: its bits as a number, and their count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code(pub(super) u32, pub(super) u32);

/// The bits of a string that are not part of a whole code yet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HuffmanBits {
    bits: u64,
    count: u32,
}

#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it")]
const fn limits() -> [(u32, u64); 21] {
    let mut limits = [(0, 0); 21];
    let (mut at, mut next) = (0, 0);
    while at < COUNTS.len() {
        let (length, count) = COUNTS[at];
        next += (count as u64) << (32 - length);
        limits[at] = (length, next);
        at += 1;
    }
    limits
}

// === impl HuffmanBits ===

impl HuffmanBits {
    /// Adds the next byte. The codes that it completes must be taken before the next one is added.
    pub(super) fn push(&mut self, byte: u8) {
        self.bits = (self.bits << 8) | u64::from(byte);
        self.count += 8;
    }

    /// Takes the next code, if it is complete.
    ///
    /// The last byte that was added holds the last bit of the code, because earlier bytes alone did not complete it.
    pub(super) fn take(&mut self) -> Option<Code> {
        // Bits that are not known yet count as 0. They do not change the length of a code that is complete.
        let window = self.bits.checked_shl(64 - self.count)? >> 32;
        let (length, _) = LIMITS.iter().find(|(_, limit)| window < *limit)?;
        let left = self.count.checked_sub(*length)?;
        let code = self.bits >> left;
        self.count = left;
        self.bits &= (1 << left) - 1;
        Some(Code(u32::try_from(code).unwrap_or(u32::MAX), *length))
    }

    /// The place of the last taken code's last bit in the last added byte, from the lowest.
    pub(super) const fn place(&self) -> u32 {
        self.count
    }

    /// True if the string may end here: less than a byte is left, of ones only (RFC 7541 5.2).
    pub(super) const fn may_end(&self) -> bool {
        self.count < 8 && self.bits == (1 << self.count) - 1
    }
}

// === impl Code ===

impl Code {
    pub(super) fn is_end_of_string(self) -> bool {
        self == END_OF_STRING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(bytes: &[u8]) -> (Vec<Code>, HuffmanBits) {
        let (mut bits, mut codes) = (HuffmanBits::default(), Vec::new());
        for byte in bytes {
            bits.push(*byte);
            codes.extend(std::iter::from_fn(|| bits.take()));
        }
        (codes, bits)
    }

    #[test]
    fn the_code_is_complete() {
        assert_eq!(COUNTS.iter().map(|(_, count)| count).sum::<u32>(), 257);
        assert_eq!(LIMITS[20], (30, 1 << 32));
    }

    #[test]
    fn strings_of_the_examples_end_where_they_should() {
        // RFC 7541 C.4.1 and C.6.1.
        for (bytes, text) in [
            (
                &[
                    0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff,
                ][..],
                "www.example.com",
            ),
            (&[0xae, 0xc3, 0x77, 0x1a, 0x4b], "private"),
        ] {
            let (codes, bits) = codes(bytes);
            assert_eq!(codes.len(), text.len());
            assert!(bits.may_end());
        }
        assert_eq!(codes(&[0xff, 0xaf]).0, [Code(0xffa, 12)], "the number sign");
    }

    #[test]
    fn the_end_of_a_string_is_no_symbol_and_padding_has_ones() {
        assert!(codes(&[0xff; 4]).0[0].is_end_of_string());
        assert!(!codes(&[0xff]).1.may_end(), "a whole byte");
        assert!(!codes(&[0b0000_0110]).1.may_end());
        assert!(codes(&[0b0000_0111]).1.may_end());
        assert!(codes(&[]).1.may_end());
    }
}
