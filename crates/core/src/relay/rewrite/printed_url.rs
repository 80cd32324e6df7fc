//! A URL as printed in text: the end of its authority, and the conversion of its `rest_route` parameter.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::candidate::{Candidate, CandidateVerdict, End};
use super::spelling::{Agreement, PerSpelling, Spelling, is_unreserved};

/// The longest route, in bytes as printed, that is taken from a `rest_route` parameter.
const LONGEST_ROUTE: usize = 1024;

/// A URL of some site, whose scheme was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct PrintedUrl<'a> {
    /// The text from the scheme on.
    pub(super) candidate: &'a Candidate<'a>,
    /// The spelling of the URL.
    pub(super) spelling: Spelling,
    /// The offset of the authority.
    pub(super) authority: usize,
}

/// A separator of segments or parameters inside a `rest_route` parameter.
#[derive(Debug)]
struct Mark {
    spelt: Box<[u8]>,
    is_slash: bool,
}

/// The marks of each spelling. Entities come before the ampersand with which they begin.
static MARKS: LazyLock<PerSpelling<[Mark; 6]>> = LazyLock::new(|| {
    PerSpelling::new(|spelling| {
        [
            ("/", true),
            ("%2F", true),
            ("%2f", true),
            ("&amp;", false),
            ("&#038;", false),
            ("&", false),
        ]
        .map(|(plain, is_slash)| Mark {
            spelt: spelling.encode(plain),
            is_slash,
        })
    })
});

/// One piece of a route inside a `rest_route` parameter.
enum Piece {
    /// A slash of this many bytes, in any spelling.
    Slash(usize),
    /// The ampersand before the next parameter, of this many bytes.
    NextParameter(usize),
    /// A byte of a segment.
    Byte(u8),
    /// The end of the URL.
    End,
    /// Not known yet.
    Unknown,
}

// === impl PrintedUrl ===

impl PrintedUrl<'_> {
    /// Writes the rest of a `rest_route` value behind the name `out` as a path, and makes the next parameter the first
    /// one.
    pub(super) fn take_route<'m>(self, from: usize, mut out: Vec<u8>) -> CandidateVerdict<'m> {
        let mut at = from;
        while at - from < LONGEST_ROUTE {
            match self.piece(at) {
                Piece::Unknown => return CandidateVerdict::Undecided,
                Piece::End => break,
                Piece::Slash(length) => {
                    self.spelling.write("/", &mut out);
                    at += length;
                }
                Piece::Byte(byte) => {
                    out.push(byte);
                    at += 1;
                }
                Piece::NextParameter(length) => {
                    self.spelling.write("?", &mut out);
                    at += length;
                    break;
                }
            }
        }
        CandidateVerdict::Replace(at, Cow::Owned(out))
    }

    fn piece(self, at: usize) -> Piece {
        match self.candidate.text.get(at) {
            Some(&byte) if is_unreserved(byte) => return Piece::Byte(byte),
            None if self.candidate.end == End::Open => return Piece::Unknown,
            Some(_) | None => {}
        }
        let marks = MARKS.get(self.spelling);
        let mut unknown = false;
        for mark in marks {
            match self.candidate.compare(at, &mark.spelt) {
                Agreement::Full if mark.is_slash => return Piece::Slash(mark.spelt.len()),
                // An ampersand may still become the entity of one.
                Agreement::Full if !unknown => return Piece::NextParameter(mark.spelt.len()),
                Agreement::SoFar => unknown = true,
                Agreement::Full | Agreement::Differs => {}
            }
        }
        match self.candidate.text.get(at) {
            _ if unknown => Piece::Unknown,
            Some(b'%') if !self.spelling.is_percent() => Piece::Byte(b'%'),
            Some(_) | None => Piece::End,
        }
    }

    /// True if an authority that ends at this offset is complete. `None`: not known yet.
    pub(super) fn ends_authority(self, offset: usize) -> Option<bool> {
        let longer = [":", "@"].map(|plain| self.candidate.compare(offset, &self.spelling.encode(plain)));
        if longer.contains(&Agreement::Full) {
            return Some(false);
        }
        if longer.contains(&Agreement::SoFar) {
            return None;
        }
        self.candidate.ends_name(offset)
    }
}
