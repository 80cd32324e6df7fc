//! The dialled address outside URLs, if the site advertises another one (T-25).

use std::borrow::Cow;

use memchr::memmem::Finder;

use super::candidate::{Candidate, CandidateVerdict, LOOK_BEHIND};
use super::origin_root::is_authority_of;

/// Replaces an address that stands alone, which the edge dials and clients must not see: an IP literal, or a name with a
/// port. Other names are replaced in URLs only, because in other text they may be words or mail domains.
#[derive(Debug)]
pub(super) struct AddressMatcher {
    /// The address.
    pub(super) anchor: Finder<'static>,
    advertised: String,
}

// === impl AddressMatcher ===

impl AddressMatcher {
    pub(super) fn new(dialled: &str, advertised: &str) -> Self {
        Self {
            anchor: Finder::new(dialled).into_owned(),
            advertised: advertised.to_owned(),
        }
    }

    /// True if this address is the edge itself for clients.
    pub(super) fn is_of(&self, public_base: &str) -> bool {
        is_authority_of(self.anchor.needle(), public_base)
    }

    /// Replaces the address by the advertised one, unless it is part of a longer address.
    pub(super) fn judge(&self, candidate: &Candidate<'_>) -> CandidateVerdict<'_> {
        if continues_backwards(candidate.before) {
            return CandidateVerdict::Keep;
        }
        let length = self.anchor.needle().len();
        let ends = match (candidate.text.get(length), candidate.text.get(length + 1)) {
            (Some(b':'), Some(next)) => Some(!next.is_ascii_digit()),
            (Some(b':'), None) => candidate.is_last.then_some(true),
            _ => candidate.ends_name(length),
        };
        match ends {
            None => CandidateVerdict::Undecided,
            Some(false) => CandidateVerdict::Keep,
            Some(true) => CandidateVerdict::Replace(length, Cow::Borrowed(self.advertised.as_bytes())),
        }
    }
}

/// True if the bytes before an address belong to it, such as the `1` before `10.0.0.5`. The end of a JSON
/// escape such as `
/// ` or `\u002f` does not belong to it.
const fn continues_backwards(before: [u8; LOOK_BEHIND]) -> bool {
    if let [b'\\', b'u', _, _, _, _] = before {
        return false;
    }
    let [.., escape, last] = before;
    let is_escape = escape == b'\\' && matches!(last, b'n' | b't' | b'r');
    (last.is_ascii_alphanumeric() && !is_escape) || matches!(last, b'-' | b'.' | b'_' | b'@')
}
