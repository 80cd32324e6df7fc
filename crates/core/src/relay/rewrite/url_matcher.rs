//! Finding URLs of the origin in text, and writing their public names.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;

use super::candidate::{Candidate, CandidateVerdict};
use super::content::Content;
use super::origin_root::{RootStyle, is_authority_of};
use super::own_name::{OwnName, spell};
use super::printed_url::PrintedUrl;
use super::site_urls::{SpeltSite, SpeltTail};
use super::spelling::{Agreement, Spelling};
use super::url_map::UrlMap;

/// Finds URLs and writes their public names.
#[derive(Debug)]
pub(super) struct UrlMatcher {
    map: Arc<UrlMap>,
    /// The name of the root that was asked.
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

    /// The scheme, with which every URL begins; in lower case, as WordPress prints it.
    #[expect(clippy::unused_self, reason = "matchers share this signature")]
    pub(super) fn anchor(&self) -> &Finder<'static> {
        static SCHEME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"http"));
        &SCHEME
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
                    let url = PrintedUrl {
                        candidate,
                        spelling,
                        authority: after_scheme + separator.len(),
                    };
                    return self.judge_sites(url);
                }
            }
        }
        CandidateVerdict::Keep
    }

    fn judge_sites(&self, url: PrintedUrl<'_>) -> CandidateVerdict<'_> {
        for site in self.map.sites(url.spelling) {
            match url.candidate.compare(url.authority, &site.authority) {
                Agreement::Differs => {}
                Agreement::SoFar => return CandidateVerdict::Undecided,
                Agreement::Full => match self.judge_site(site, url) {
                    CandidateVerdict::Keep => {}
                    decided @ (CandidateVerdict::Replace(..) | CandidateVerdict::Undecided) => {
                        return decided;
                    }
                },
            }
        }
        CandidateVerdict::Keep
    }

    fn judge_site<'m>(&'m self, site: &'m SpeltSite, url: PrintedUrl<'_>) -> CandidateVerdict<'m> {
        let after_authority = url.authority + site.authority.len();
        for tail in &site.tails {
            match url.candidate.compare(after_authority, &tail.text) {
                Agreement::Differs => continue,
                Agreement::SoFar => return CandidateVerdict::Undecided,
                Agreement::Full => {}
            }
            let end = after_authority + tail.text.len();
            match url.candidate.ends_name(end) {
                None => return CandidateVerdict::Undecided,
                Some(false) => continue,
                Some(true) => {}
            }
            let name = self.public_name(tail, url.spelling);
            return match tail.style {
                RootStyle::Path => CandidateVerdict::Replace(end, name),
                RootStyle::Query => url.take_route(end, name.into_owned()),
            };
        }
        if self.content == Content::Description {
            match self.judge_root(site, url) {
                CandidateVerdict::Keep => {}
                decided @ (CandidateVerdict::Replace(..) | CandidateVerdict::Undecided) => return decided,
            }
        }
        match &site.replacement {
            Some(replacement) if !is_authority_of(&site.plain_authority, &self.own_name.public_base) => {
                replace_authority(replacement, url, after_authority)
            }
            Some(_) | None => CandidateVerdict::Keep,
        }
    }

    /// Replaces the URL of a root itself, if it is all of a JSON string: an index names it as its `up`.
    fn judge_root<'m>(&'m self, site: &SpeltSite, url: PrintedUrl<'_>) -> CandidateVerdict<'m> {
        let after_authority = url.authority + site.authority.len();
        for root in &site.roots {
            match url.candidate.compare(after_authority, &root.text) {
                Agreement::Differs => continue,
                Agreement::SoFar => return CandidateVerdict::Undecided,
                Agreement::Full => {}
            }
            let end = after_authority + root.text.len();
            match url.candidate.compare(end, b"\"") {
                Agreement::Differs => continue,
                Agreement::SoFar => return CandidateVerdict::Undecided,
                Agreement::Full => {}
            }
            let path = self.map.public_path(self.owner(root));
            let name = spell(&self.own_name.public_base, path, "", url.spelling);
            return CandidateVerdict::Replace(end, Cow::Owned(name));
        }
        CandidateVerdict::Keep
    }

    /// The root that a text names. If roots share an address, the root of the call decides.
    fn owner(&self, tail: &SpeltTail) -> Option<usize> {
        let own = tail.owners.iter().find(|&&owner| owner == self.own_name.root);
        own.or_else(|| tail.owners.first()).copied()
    }

    fn public_name(&self, tail: &SpeltTail, spelling: Spelling) -> Cow<'_, [u8]> {
        let own = &self.own_name;
        let root = self.owner(tail);
        let path = self.map.public_path(root);
        if root == Some(own.root) {
            // Most URLs of a response are of its own root.
            Cow::Borrowed(own.spelt(spelling, path))
        } else {
            Cow::Owned(spell(&own.public_base, path, &own.namespace, spelling))
        }
    }
}

/// Replaces the scheme and the authority, which ends here, unless it is the beginning of a longer one.
fn replace_authority<'m>(replacement: &'m [u8], url: PrintedUrl<'_>, end: usize) -> CandidateVerdict<'m> {
    match url.ends_authority(end) {
        None => CandidateVerdict::Undecided,
        Some(false) => CandidateVerdict::Keep,
        Some(true) => CandidateVerdict::Replace(end, Cow::Borrowed(replacement)),
    }
}
