//! A place in a text where a name may begin, and a matcher's decision on it.

use super::spelling::{Agreement, agreement};

/// How many bytes before a candidate a matcher may look at.
pub(super) const LOOK_BEHIND: usize = 6;

/// A place where the anchor was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// The bytes before it.
    pub(super) before: [u8; LOOK_BEHIND],
    /// Everything from the anchor on.
    pub(super) text: &'a [u8],
    /// Whether more may follow.
    pub(super) end: End,
}

/// Whether more bytes may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Open,
    Closed,
}

/// A matcher's decision on a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateVerdict {
    /// Its first bytes, this many, are replaced by what the matcher wrote.
    Replace(usize),
    /// It stays.
    Keep,
    /// More bytes are needed; never given when none can follow.
    Undecided,
}

// === impl Candidate ===

impl Candidate<'_> {
    /// Compares what stands at an offset; at the end of the document a beginning is no agreement.
    pub(super) fn compare(&self, offset: usize, expected: &[u8]) -> Agreement {
        let rest = self.text.get(offset..).unwrap_or_default();
        match agreement(rest, expected) {
            Agreement::SoFar if self.end == End::Closed => Agreement::Differs,
            agreement => agreement,
        }
    }

    /// Whether a name that ends at an offset is complete there: what follows cannot belong to its last
    /// segment. `None`: not known yet.
    pub(super) fn ends_name(&self, offset: usize) -> Option<bool> {
        match (self.text.get(offset), self.text.get(offset + 1)) {
            // A full stop ends the name when it ends a sentence.
            (Some(b'.'), Some(&next)) => Some(!continues_segment(next)),
            (Some(&next), _) if next != b'.' => Some(!continues_segment(next)),
            _ => (self.end == End::Closed).then_some(true),
        }
    }
}

/// Whether a byte after a path segment still belongs to it. A backslash (an escaped slash, a line end) and
/// a percent sign (an encoded slash, question mark or ampersand) do not.
const fn continues_segment(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') || !byte.is_ascii()
}
