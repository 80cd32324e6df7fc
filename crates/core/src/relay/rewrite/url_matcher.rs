//! Finding URLs of the origin in text, and writing their public names.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;

use super::candidate::{Candidate, CandidateVerdict};
use super::content::Content;
use super::known_urls::{KnownUrl, UrlMeaning};
use super::origin_root::is_authority_of;
use super::own_name::{OwnName, spell};
use super::spelling::{Agreement, Spelling};
use super::url_map::UrlMap;

/// The scheme, with which every URL begins; in lower case, as WordPress prints it.
pub(super) static SCHEME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"http"));

/// Finds URLs and writes their public names.
#[derive(Debug)]
pub(super) struct UrlMatcher {
    map: Arc<UrlMap>,
    /// The name of the root of the request.
    own_name: Arc<OwnName>,
    content: Content,
}

// === impl UrlMatcher ===

impl UrlMatcher {
    pub(super) fn new(
        map: Arc<UrlMap>,
        public_base: &Arc<str>,
        namespace: &Arc<str>,
        root: usize,
        content: Content,
    ) -> Self {
        Self {
            own_name: map.own_name(root, public_base, namespace),
            map,
            content,
        }
    }

    /// Replaces a URL that begins here by its public name if it belongs to the API.
    pub(super) fn judge(&self, candidate: &Candidate<'_>) -> CandidateVerdict<'_> {
        let mut after_scheme = b"http".len();
        match candidate.compare(after_scheme, b"s") {
            Agreement::SoFar => return CandidateVerdict::Undecided,
            Agreement::Full => after_scheme += 1,
            Agreement::Differs => {}
        }
        for spelling in Spelling::ALL {
            let separator = spelling.separator();
            match candidate.compare(after_scheme, separator) {
                Agreement::Differs => {}
                Agreement::SoFar => return CandidateVerdict::Undecided,
                Agreement::Full => {
                    return self.judge_url(candidate, spelling, after_scheme + separator.len());
                }
            }
        }
        CandidateVerdict::Keep
    }

    /// Judges a URL in this spelling, whose authority begins at this offset.
    fn judge_url(
        &self,
        candidate: &Candidate<'_>,
        spelling: Spelling,
        authority: usize,
    ) -> CandidateVerdict<'_> {
        for known in &self.map.known.urls {
            if self.content == Content::Records && matches!(known.meaning, UrlMeaning::Roots(_)) {
                continue;
            }
            let text = known.spelt.get(spelling);
            match candidate.compare(authority, text) {
                Agreement::Differs => {}
                Agreement::SoFar => return CandidateVerdict::Undecided,
                Agreement::Full => {
                    let end = authority + text.len();
                    let verdict = self.judge_known(known, candidate, spelling, end);
                    if !matches!(verdict, CandidateVerdict::Keep) {
                        return verdict;
                    }
                }
            }
        }
        CandidateVerdict::Keep
    }

    /// Judges a URL that begins with a known one, which ends at this offset.
    fn judge_known<'m>(
        &'m self,
        known: &'m KnownUrl,
        candidate: &Candidate<'_>,
        spelling: Spelling,
        end: usize,
    ) -> CandidateVerdict<'m> {
        match &known.meaning {
            UrlMeaning::Api(roots) => match candidate.ends_name(end) {
                None => CandidateVerdict::Undecided,
                Some(false) => CandidateVerdict::Keep,
                Some(true) => CandidateVerdict::Replace(end, self.public_name(self.owner(roots), spelling)),
            },
            // An index names its root as its `up`: all of a JSON string.
            UrlMeaning::Roots(roots) => match candidate.compare(end, b"\"") {
                Agreement::SoFar => CandidateVerdict::Undecided,
                Agreement::Differs => CandidateVerdict::Keep,
                Agreement::Full => {
                    let path = self.map.public_path(self.owner(roots));
                    let name = spell(&self.own_name.public_base, path, "", spelling);
                    CandidateVerdict::Replace(end, Cow::Owned(name))
                }
            },
            UrlMeaning::Site(_)
                if is_authority_of(known.authority.as_bytes(), &self.own_name.public_base) =>
            {
                CandidateVerdict::Keep
            }
            // The scheme and the authority, unless it is the beginning of a longer one.
            UrlMeaning::Site(advertised) => match candidate.ends_authority(end, spelling) {
                None => CandidateVerdict::Undecided,
                Some(false) => CandidateVerdict::Keep,
                Some(true) => CandidateVerdict::Replace(end, Cow::Borrowed(advertised.get(spelling))),
            },
        }
    }

    /// The root that a URL names. If roots share an address, the root of the call decides.
    fn owner(&self, roots: &[usize]) -> Option<usize> {
        let own = roots.iter().find(|&&root| root == self.own_name.root);
        own.or_else(|| roots.first()).copied()
    }

    fn public_name(&self, root: Option<usize>, spelling: Spelling) -> Cow<'_, [u8]> {
        let own = &self.own_name;
        let path = self.map.public_path(root);
        if root == Some(own.root) {
            // Most URLs of a response are of its own root.
            Cow::Borrowed(own.spelt(spelling, path))
        } else {
            Cow::Owned(spell(&own.public_base, path, &own.namespace, spelling))
        }
    }
}
