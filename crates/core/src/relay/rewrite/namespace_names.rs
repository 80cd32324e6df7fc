//! The namespace in descriptions of the API: the index, `/doc`, responses to OPTIONS.

use std::borrow::Cow;

use memchr::memmem::Finder;

use super::candidate::{Candidate, CandidateVerdict};
use super::spelling::{Agreement, Spelling};

/// Renames the namespace at the beginning of a JSON string: `"tribe\/events\/v1"` and
/// `"\/tribe\/events\/v1\/events"`. Elsewhere it is part of a URL or of prose, and stays.
#[derive(Debug)]
pub(super) struct NamespaceMatcher {
    /// The first segment of the origin's namespace.
    pub(super) anchor: Finder<'static>,
    /// The name that the plugin registers and the one that clients see, in two spellings.
    spellings: [[Box<[u8]>; 2]; 2],
}

// === impl NamespaceMatcher ===

impl NamespaceMatcher {
    pub(super) fn new(origin: &str, public: &str) -> Self {
        let first = origin.split('/').next().unwrap_or(origin);
        let spell = |spelling: Spelling| [origin, public].map(|name| spelling.encode(name));
        Self {
            anchor: Finder::new(first).into_owned(),
            spellings: [spell(Spelling::Escaped), spell(Spelling::Plain)],
        }
    }

    /// Replaces the namespace by its public name if it stands here as a name.
    pub(super) fn judge(&self, candidate: &Candidate<'_>) -> CandidateVerdict<'_> {
        if !begins_string(&candidate.before) {
            return CandidateVerdict::Keep;
        }
        for [origin, public] in &self.spellings {
            match candidate.compare(0, origin) {
                Agreement::Differs => {}
                Agreement::SoFar => return CandidateVerdict::Undecided,
                Agreement::Full => match candidate.ends_name(origin.len()) {
                    None => return CandidateVerdict::Undecided,
                    Some(false) => {}
                    Some(true) => {
                        return CandidateVerdict::Replace(origin.len(), Cow::Borrowed(public));
                    }
                },
            }
        }
        CandidateVerdict::Keep
    }
}

/// True if the bytes before are a quote, or a quote and a slash.
fn begins_string(before: &[u8]) -> bool {
    before.ends_with(b"\"") || before.ends_with(b"\"/") || before.ends_with(br#""\/"#)
}
