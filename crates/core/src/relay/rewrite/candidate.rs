//! A position in a text where a name may begin, and a matcher's verdict on it.

use std::borrow::Cow;

use super::spelling::{Agreement, Spelling, agreement};

/// The number of bytes before a candidate that a matcher may see.
pub(super) const LOOK_BEHIND: usize = 6;

/// A position where the anchor was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// The bytes before it.
    pub(super) before: [u8; LOOK_BEHIND],
    /// The text from the anchor on.
    pub(super) text: &'a [u8],
    /// True if no more bytes can follow.
    pub(super) is_last: bool,
}

/// A matcher's verdict on a candidate.
#[derive(Debug)]
pub(super) enum CandidateVerdict<'m> {
    /// This many of its first bytes are replaced by another text.
    Replace(usize, Cow<'m, [u8]>),
    /// The text stays unchanged.
    Keep,
    /// More bytes are needed. A matcher never returns this if no more bytes can follow.
    Undecided,
}

// === impl Candidate ===

impl Candidate<'_> {
    /// Compares the text at an offset with `expected`. At the end of the document, a partial match is no
    /// match.
    pub(super) fn compare(&self, offset: usize, expected: &[u8]) -> Agreement {
        let rest = self.text.get(offset..).unwrap_or_default();
        match agreement(rest, expected) {
            Agreement::SoFar if self.is_last => Agreement::Differs,
            agreement => agreement,
        }
    }

    /// True if a name that ends at this offset is complete, so that the next byte cannot belong to its last
    /// segment. `None`: not known yet.
    pub(super) fn ends_name(&self, offset: usize) -> Option<bool> {
        match (self.text.get(offset), self.text.get(offset + 1)) {
            // A full stop at the end of a sentence ends the name.
            (Some(b'.'), Some(&next)) => Some(!continues_segment(next)),
            (Some(&next), _) if next != b'.' => Some(!continues_segment(next)),
            _ => self.is_last.then_some(true),
        }
    }

    /// True if the authority of a URL that ends at this offset is complete. `None`: not known yet.
    pub(super) fn ends_authority(&self, offset: usize, spelling: Spelling) -> Option<bool> {
        let longer = [":", "@"].map(|plain| self.compare(offset, &spelling.encode(plain)));
        if longer.contains(&Agreement::Full) {
            return Some(false);
        }
        if longer.contains(&Agreement::SoFar) {
            return None;
        }
        self.ends_name(offset)
    }
}

/// True if a byte after a path segment belongs to the segment. A backslash (an escaped slash or line end) and a percent
/// sign (an encoded slash, question mark or ampersand) do not.
const fn continues_segment(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') || !byte.is_ascii()
}
