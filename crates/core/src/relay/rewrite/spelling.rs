//! The spellings of one URL inside a JSON document.

/// The spelling of a URL's reserved characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `http:\/\/h\/a`: PHP's JSON.
    Escaped,
    /// `http://h/a`: headers, and JSON of encoders other than PHP's.
    Plain,
    /// `http:\\\/\\\/h\\\/a`: PHP's JSON inside a JSON string, as in attributes of blocks.
    Nested,
    /// `http%3A%2F%2Fh%2Fa`: a URL as the parameter of another one.
    PercentUpper,
    /// `http%3a%2f%2fh%2fa`: the same in lower-case hex.
    PercentLower,
}

/// The agreement of a text with an expected beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// The text begins with all of it.
    Full,
    /// The text ends before a difference appears.
    SoFar,
    /// The text differs.
    Differs,
}

/// One value per spelling.
#[derive(Debug, Clone)]
pub(super) struct PerSpelling<T>([T; 5]);

// === impl Spelling ===

impl Spelling {
    /// Every spelling in the order of their declaration, the most frequent one first.
    pub(super) const ALL: [Self; 5] = [
        Self::Escaped,
        Self::Plain,
        Self::Nested,
        Self::PercentUpper,
        Self::PercentLower,
    ];

    /// The separator between scheme and authority: `://`.
    pub(super) const fn separator(self) -> &'static [u8] {
        match self {
            Self::Plain => b"://",
            Self::Escaped => br":\/\/",
            Self::Nested => br":\\\/\\\/",
            Self::PercentUpper => b"%3A%2F%2F",
            Self::PercentLower => b"%3a%2f%2f",
        }
    }

    /// Appends a plain piece of a URL in this spelling.
    pub(super) fn write(self, plain: &str, out: &mut Vec<u8>) {
        let slash: &[u8] = match self {
            Self::Plain => return out.extend_from_slice(plain.as_bytes()),
            Self::Escaped => br"\/",
            Self::Nested => br"\\\/",
            Self::PercentUpper => return write_percent(plain, b"0123456789ABCDEF", out),
            Self::PercentLower => return write_percent(plain, b"0123456789abcdef", out),
        };
        let mut rest = plain;
        while let Some((piece, behind)) = rest.split_once('/') {
            out.extend_from_slice(piece.as_bytes());
            out.extend_from_slice(slash);
            rest = behind;
        }
        out.extend_from_slice(rest.as_bytes());
    }

    /// A plain piece of a URL in this spelling.
    pub(super) fn encode(self, plain: &str) -> Box<[u8]> {
        let mut out = Vec::with_capacity(plain.len() + 16);
        self.write(plain, &mut out);
        out.into_boxed_slice()
    }
}

fn write_percent(plain: &str, digits: &[u8; 16], out: &mut Vec<u8>) {
    for byte in plain.bytes() {
        if is_unreserved(byte) {
            out.push(byte);
        } else {
            write_hex(byte, digits, out);
        }
    }
}

#[expect(clippy::indexing_slicing, reason = "sixteen digits for four bits")]
fn write_hex(byte: u8, digits: &[u8; 16], out: &mut Vec<u8>) {
    out.push(b'%');
    out.push(digits[usize::from(byte >> 4)]);
    out.push(digits[usize::from(byte & 0x0f)]);
}

/// True for bytes that are never percent-encoded (RFC 3986 section 2.3).
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Compares the beginning of a text with the expected bytes.
#[inline]
pub(super) fn agreement(text: &[u8], expected: &[u8]) -> Agreement {
    match text.split_at_checked(expected.len()) {
        // Most names differ in their first byte, which costs no call.
        Some((head, _)) if head.first() == expected.first() && head == expected => Agreement::Full,
        None if expected.starts_with(text) => Agreement::SoFar,
        Some(_) | None => Agreement::Differs,
    }
}

// === impl PerSpelling ===

impl<T> PerSpelling<T> {
    /// Computes the value of each spelling.
    pub(super) fn new(value: impl Fn(Spelling) -> T) -> Self {
        Self(Spelling::ALL.map(value))
    }

    /// The value of one spelling.
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a value for each spelling, in their order"
    )]
    pub(super) const fn get(&self, spelling: Spelling) -> &T {
        &self.0[spelling as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_the_spelt_separator() {
        for spelling in Spelling::ALL {
            assert_eq!(*spelling.encode("://"), *spelling.separator());
        }
    }

    #[test]
    fn percent_spellings_encode_every_reserved_byte() {
        let text = Spelling::PercentLower.encode("[::1]:80/a-b?c=%2F");
        assert_eq!(&*text, b"%5b%3a%3a1%5d%3a80%2fa-b%3fc%3d%252F".as_slice());
    }

    #[test]
    fn agreement_distinguishes_short_from_wrong_text() {
        assert_eq!(agreement(b"abc", b"ab"), Agreement::Full);
        assert_eq!(agreement(b"a", b"ab"), Agreement::SoFar);
        assert_eq!(agreement(b"", b"ab"), Agreement::SoFar);
        assert_eq!(agreement(b"ax", b"ab"), Agreement::Differs);
    }
}
