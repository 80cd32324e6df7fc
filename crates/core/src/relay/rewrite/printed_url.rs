//! A URL as printed in text, and the end of its authority.

use super::candidate::Candidate;
use super::spelling::{Agreement, Spelling};

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

// === impl PrintedUrl ===

impl PrintedUrl<'_> {
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
