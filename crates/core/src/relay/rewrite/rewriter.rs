//! Replacing names in a byte stream: one anchor per matcher, one verdict per candidate, and a bounded tail
//! that is held.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use memchr::memmem::Finder;

use super::address::AddressMatcher;
use super::candidate::{Candidate, CandidateVerdict, LOOK_BEHIND};
use super::content::Content;
use super::namespace_names::NamespaceMatcher;
use super::url_map::UrlMap;
use super::url_matcher::{SCHEME, UrlMatcher};

/// The part of a document's length by which public names may lengthen it before its memory is moved.
const HEADROOM: usize = 16;

/// Puts the public names into a JSON document that arrives in pieces.
///
/// The result does not depend on how the document is cut into pieces. Pieces without a name of the origin
/// pass without being copied. Between pieces, only the unfinished beginning of a name is held: at most the
/// longest name plus 1 KiB.
#[derive(Debug)]
pub struct Rewriter {
    stages: Vec<RewriteStage>,
}

/// One pass over the bytes.
#[derive(Debug)]
struct RewriteStage {
    matcher: Matcher,
    held: Bytes,
    /// The last bytes of the input before `held`; blanks at the start.
    before: [u8; LOOK_BEHIND],
}

#[derive(Debug)]
enum Matcher {
    Url(UrlMatcher),
    Namespace(Box<NamespaceMatcher>),
    Address(Arc<AddressMatcher>),
}

// === impl Rewriter ===

impl Rewriter {
    /// Prepares the rewriting of one response from the root `root`.
    ///
    /// `public_base` is the scheme and authority of the edge, without a trailing slash. The namespace is the first
    /// public one.
    pub fn new(map: &Arc<UrlMap>, public_base: &Arc<str>, root: usize, content: Content) -> Self {
        Self::in_namespace(map, public_base, &map.public_namespace, root, content)
    }

    /// Prepares the rewriting of one response for a client whose request names a public namespace.
    pub fn in_namespace(
        map: &Arc<UrlMap>,
        public_base: &Arc<str>,
        namespace: &Arc<str>,
        root: usize,
        content: Content,
    ) -> Self {
        let url = UrlMatcher::new(Arc::clone(map), public_base, namespace, root, content);
        let mut stages = vec![RewriteStage::new(Matcher::Url(url))];
        let origin = map.known.origin_namespace.as_str();
        if content == Content::Description && *origin != **namespace {
            let names = NamespaceMatcher::new(origin, namespace);
            stages.push(RewriteStage::new(Matcher::Namespace(Box::new(names))));
        }
        let addresses = map.known.addresses.iter();
        let addresses = addresses.filter(|address| !address.is_of(public_base));
        stages.extend(addresses.map(|address| RewriteStage::new(Matcher::Address(Arc::clone(address)))));
        Self { stages }
    }

    /// Takes the next piece of the document and returns the rewritten bytes, which may be empty.
    pub fn push(&mut self, piece: Bytes) -> Bytes {
        self.pass(piece, false)
    }

    /// Returns the bytes that were held. No piece may follow.
    pub fn finish(&mut self) -> Bytes {
        self.pass(Bytes::new(), true)
    }

    /// Rewrites all pieces of a document.
    pub fn pieces(mut self, mut pieces: Vec<Bytes>) -> Vec<Bytes> {
        if let Some((last, before)) = pieces.split_last_mut() {
            for piece in before {
                *piece = self.push(std::mem::take(piece));
            }
            *last = self.whole(std::mem::take(last));
        }
        pieces
    }

    /// Rewrites a complete document.
    pub fn whole(mut self, document: Bytes) -> Bytes {
        self.pass(document, true)
    }

    fn pass(&mut self, piece: Bytes, is_last: bool) -> Bytes {
        self.stages
            .iter_mut()
            .fold(piece, |piece, stage| stage.pass(piece, is_last))
    }
}

// === impl RewriteStage ===

impl RewriteStage {
    fn new(matcher: Matcher) -> Self {
        Self {
            matcher,
            held: Bytes::new(),
            before: [b' '; LOOK_BEHIND],
        }
    }

    #[expect(clippy::indexing_slicing, reason = "every position was found in this text")]
    fn pass(&mut self, piece: Bytes, is_last: bool) -> Bytes {
        let text = self.take_held_and(piece);
        let mut out = BytesMut::new();
        let mut copied = 0;
        let mut from = 0;
        let decided = loop {
            let Some(found) = self.matcher.anchor().find(&text[from..]) else {
                break text.len() - self.unfinished_anchor(&text[from..], is_last);
            };
            let at = from + found;
            let candidate = Candidate {
                before: self.look_behind(&text[..at]),
                text: &text[at..],
                is_last,
            };
            match self.matcher.judge(&candidate) {
                CandidateVerdict::Replace(length, name) => {
                    if copied == 0 {
                        out.reserve(text.len() + text.len() / HEADROOM + name.len());
                    }
                    out.extend_from_slice(&text[copied..at]);
                    out.extend_from_slice(&name);
                    copied = at + length;
                    from = copied;
                }
                CandidateVerdict::Keep => from = at + 1,
                CandidateVerdict::Undecided => break at,
            }
        };
        self.before = self.look_behind(&text[..decided]);
        self.held = text.slice(decided..);
        if copied == 0 {
            return text.slice(..decided);
        }
        out.extend_from_slice(&text[copied..decided]);
        out.freeze()
    }

    fn take_held_and(&mut self, piece: Bytes) -> Bytes {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return piece;
        }
        if piece.is_empty() {
            return held;
        }
        [held, piece].concat().into()
    }

    #[expect(clippy::indexing_slicing, reason = "the text is shorter than a chunk here")]
    fn look_behind(&self, text: &[u8]) -> [u8; LOOK_BEHIND] {
        if let Some(last) = text.last_chunk::<LOOK_BEHIND>() {
            return *last;
        }
        let mut seen = self.before;
        seen.rotate_left(text.len());
        seen[LOOK_BEHIND - text.len()..].copy_from_slice(text);
        seen
    }

    /// The number of final bytes that may be the beginning of an anchor.
    #[expect(clippy::indexing_slicing, reason = "all lengths are below the anchor's")]
    fn unfinished_anchor(&self, text: &[u8], is_last: bool) -> usize {
        if is_last {
            return 0;
        }
        let anchor = self.matcher.anchor().needle();
        let most = text.len().min(anchor.len() - 1);
        (1..=most)
            .rev()
            .find(|&length| text.ends_with(&anchor[..length]))
            .unwrap_or(0)
    }
}

// === impl Matcher ===

impl Matcher {
    /// The bytes with which every candidate begins; never empty.
    fn anchor(&self) -> &Finder<'static> {
        match self {
            Self::Url(_) => &SCHEME,
            Self::Namespace(matcher) => &matcher.anchor,
            Self::Address(matcher) => &matcher.anchor,
        }
    }

    fn judge(&self, candidate: &Candidate<'_>) -> CandidateVerdict<'_> {
        match self {
            Self::Url(matcher) => matcher.judge(candidate),
            Self::Namespace(matcher) => matcher.judge(candidate),
            Self::Address(matcher) => matcher.judge(candidate),
        }
    }
}
