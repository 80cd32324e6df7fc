//! Replacing names in a byte stream: one anchor, one verdict per candidate, a bounded suffix held back.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use memchr::memmem::Finder;

use super::address::AddressMatcher;
use super::namespace::NamespaceMatcher;
use super::rules::Content;
use super::spelling::{Agreement, agreement};
use super::url_map::UrlMap;
use super::url_matcher::UrlMatcher;

/// Puts the public names into a JSON document that arrives in pieces.
///
/// Any way of cutting the document gives the same bytes. Pieces without an origin's name pass without
/// being copied. What is held back between pieces is the unfinished beginning of a name: at most the
/// longest name plus 1 KiB.
#[derive(Debug)]
pub struct Rewriter {
    stages: Vec<Stage>,
}

/// One pass over the bytes.
#[derive(Debug)]
struct Stage {
    matcher: Matcher,
    held: Bytes,
    /// The last bytes of the input before `held`; blanks at the start.
    before: [u8; LOOK_BEHIND],
    scratch: Vec<u8>,
}

#[derive(Debug)]
enum Matcher {
    Url(UrlMatcher),
    Namespace(NamespaceMatcher),
    Address(AddressMatcher),
}

/// How many bytes before a candidate a matcher may look at.
pub(super) const LOOK_BEHIND: usize = 3;

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

/// What a matcher thinks of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its first bytes, this many, are replaced by what the matcher wrote.
    Replace(usize),
    /// It stays.
    Keep,
    /// More bytes are needed; never said when none can follow.
    Undecided,
}

// === impl Rewriter ===

impl Rewriter {
    /// Prepares the rewriting of one answer that came over the root `root`.
    ///
    /// `public_base` is scheme and authority of the edge, without a trailing slash.
    pub fn new(map: &Arc<UrlMap>, public_base: &Arc<str>, root: usize, content: Content) -> Self {
        let url = UrlMatcher::new(Arc::clone(map), Arc::clone(public_base), root);
        let mut stages = vec![Stage::new(Matcher::Url(url))];
        if content == Content::Description
            && let Some(names) = map.renamed_namespace()
        {
            stages.push(Stage::new(Matcher::Namespace(NamespaceMatcher::new(names))));
        }
        stages.extend(
            map.telling_addresses()
                .filter(|address| !address.is_of(public_base))
                .map(|address| Stage::new(Matcher::Address(AddressMatcher::new(address)))),
        );
        Self { stages }
    }

    /// Takes a piece of the document and returns what is decided; it may be empty.
    pub fn push(&mut self, piece: Bytes) -> Bytes {
        self.pass(piece, End::Open)
    }

    /// Returns what was held back; nothing may follow.
    pub fn finish(&mut self) -> Bytes {
        self.pass(Bytes::new(), End::Closed)
    }

    /// Rewrites a document that is there as a whole.
    pub fn whole(mut self, document: Bytes) -> Bytes {
        self.pass(document, End::Closed)
    }

    fn pass(&mut self, piece: Bytes, end: End) -> Bytes {
        self.stages
            .iter_mut()
            .fold(piece, |piece, stage| stage.pass(piece, end))
    }
}

// === impl Stage ===

impl Stage {
    fn new(matcher: Matcher) -> Self {
        Self {
            matcher,
            held: Bytes::new(),
            before: [b' '; LOOK_BEHIND],
            scratch: Vec::new(),
        }
    }

    fn pass(&mut self, piece: Bytes, end: End) -> Bytes {
        let text = self.take_held_and(piece);
        let mut out = BytesMut::new();
        let mut copied = 0;
        let mut from = 0;
        let decided = loop {
            let Some(found) = self.matcher.anchor().find(&text[from..]) else {
                break text.len() - self.unfinished_anchor(&text[from..], end);
            };
            let at = from + found;
            let candidate = Candidate {
                before: self.look_behind(&text[..at]),
                text: &text[at..],
                end,
            };
            self.scratch.clear();
            match self.matcher.judge(candidate, &mut self.scratch) {
                Verdict::Replace(length) => {
                    out.extend_from_slice(&text[copied..at]);
                    out.extend_from_slice(&self.scratch);
                    copied = at + length;
                    from = copied;
                }
                Verdict::Keep => from = at + 1,
                Verdict::Undecided => break at,
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
        let mut joined = BytesMut::with_capacity(held.len() + piece.len());
        joined.extend_from_slice(&held);
        joined.extend_from_slice(&piece);
        joined.freeze()
    }

    fn look_behind(&self, text: &[u8]) -> [u8; LOOK_BEHIND] {
        if let Some(last) = text.last_chunk::<LOOK_BEHIND>() {
            return *last;
        }
        let mut seen = self.before;
        seen.rotate_left(text.len());
        seen[LOOK_BEHIND - text.len()..].copy_from_slice(text);
        seen
    }

    /// How many of the last bytes may be the beginning of an anchor.
    fn unfinished_anchor(&self, text: &[u8], end: End) -> usize {
        if end == End::Closed {
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
    /// The bytes that every candidate begins with; never empty.
    fn anchor(&self) -> &Finder<'static> {
        match self {
            Self::Url(matcher) => matcher.anchor(),
            Self::Namespace(matcher) => matcher.anchor(),
            Self::Address(matcher) => matcher.anchor(),
        }
    }

    fn judge(&self, candidate: Candidate<'_>, out: &mut Vec<u8>) -> Verdict {
        match self {
            Self::Url(matcher) => matcher.judge(candidate, out),
            Self::Namespace(matcher) => matcher.judge(candidate, out),
            Self::Address(matcher) => matcher.judge(candidate, out),
        }
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;
    use crate::relay::{OriginRoot, RootNames};

    const BASE: &str = "https://events.example.org";

    fn root(url: &str) -> OriginRoot {
        OriginRoot::from_setting(&Url::parse(url).unwrap())
    }

    fn map(dialled: &str, advertised: Option<&str>) -> Arc<UrlMap> {
        let roots = [("/wp-json", ""), ("/de/wp-json", "/de")].map(|(public_path, language)| RootNames {
            public_path: public_path.to_owned(),
            dialled: root(&dialled.replace("LANG", language)),
            advertised: advertised.map(|url| root(&url.replace("LANG", language))),
        });
        Arc::new(UrlMap::new(&roots, "tribe/events/v1", "calendar/events/v1"))
    }

    fn site() -> Arc<UrlMap> {
        map("http://origin.exampleLANG/wp-json", None)
    }

    fn internal() -> Arc<UrlMap> {
        map(
            "http://10.0.0.5:8080LANG/wp-json",
            Some("https://www.site.exampleLANG/wp-json"),
        )
    }

    fn rewriter(map: &Arc<UrlMap>, content: Content) -> Rewriter {
        Rewriter::new(map, &Arc::from(BASE), 0, content)
    }

    fn whole(map: &Arc<UrlMap>, content: Content, text: &str) -> String {
        let out = rewriter(map, content).whole(Bytes::copy_from_slice(text.as_bytes()));
        String::from_utf8(out.to_vec()).unwrap()
    }

    fn in_pieces(map: &Arc<UrlMap>, text: &[u8], cuts: &[usize]) -> Vec<u8> {
        let mut rewriter = rewriter(map, Content::Description);
        let mut out = Vec::new();
        let mut start = 0;
        for end in cuts.iter().copied().chain([text.len()]) {
            let end = end.clamp(start, text.len());
            out.extend_from_slice(&rewriter.push(Bytes::copy_from_slice(&text[start..end])));
            start = end;
        }
        out.extend_from_slice(&rewriter.finish());
        out
    }

    #[track_caller]
    fn assert_rewritten(map: &Arc<UrlMap>, cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            assert_eq!(whole(map, Content::Records, text), *expected, "{text}");
        }
    }

    #[test]
    fn every_spelling_of_an_api_url_becomes_public_in_its_own_spelling() {
        assert_rewritten(
            &site(),
            &[
                (
                    r#""http:\/\/origin.example\/wp-json\/tribe\/events\/v1\/events\/56""#,
                    r#""https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events\/56""#,
                ),
                (
                    "http://origin.example/wp-json/tribe/events/v1",
                    "https://events.example.org/wp-json/calendar/events/v1",
                ),
                (
                    "https://origin.example/de/wp-json/tribe/events/v1?a=1",
                    "https://events.example.org/de/wp-json/calendar/events/v1?a=1",
                ),
                (
                    r#""{\"u\":\"http:\\\/\\\/origin.example\\\/wp-json\\\/tribe\\\/events\\\/v1\\\/\"}""#,
                    r#""{\"u\":\"https:\\\/\\\/events.example.org\\\/wp-json\\\/calendar\\\/events\\\/v1\\\/\"}""#,
                ),
                (
                    "?url=http%3A%2F%2Forigin.example%2Fwp-json%2Ftribe%2Fevents%2Fv1%2Fevents",
                    "?url=https%3A%2F%2Fevents.example.org%2Fwp-json%2Fcalendar%2Fevents%2Fv1%2Fevents",
                ),
                (
                    "?url=https%3a%2f%2forigin.example%2fwp-json%2ftribe%2fevents%2fv1&x",
                    "?url=https%3a%2f%2fevents.example.org%2fwp-json%2fcalendar%2fevents%2fv1&x",
                ),
                (
                    r"See http:\/\/origin.example\/wp-json\/tribe\/events\/v1.\nThen",
                    r"See https:\/\/events.example.org\/wp-json\/calendar\/events\/v1.\nThen",
                ),
            ],
        );
    }

    #[test]
    fn everything_else_stays() {
        let site = site();
        for text in [
            r"http:\/\/origin.example\/wp-json\/",
            r"http:\/\/origin.example\/wp-json\/wp\/v2\/tags\/10",
            r"http:\/\/origin.example\/event\/new-york-gala\/",
            r"http:\/\/origin.example\/wp-json\/tribe\/events\/v10\/events",
            r"http:\/\/origin.example\/wp-json\/tribe\/events\/v1-beta",
            r"http:\/\/origin.example\/wp-json\/tribe\/events\/v1.1",
            r"http:\/\/origin.example.evil\/wp-json\/tribe\/events\/v1\/",
            r"http:\/\/origin.example:8080\/wp-json\/tribe\/events\/v1\/",
            r"http:\/\/u@origin.example\/wp-json\/tribe\/events\/v1\/",
            r"http:\/\/other.example\/wp-json\/tribe\/events\/v1\/",
            r"http:/\/origin.example\/wp-json\/tribe\/events\/v1\/",
            r"http://origin.example/WP-JSON/tribe/events/v1/",
            r"origin.example?id=56, \/tribe\/events\/v1, httphttps:http",
            "http",
            "",
        ] {
            assert_eq!(whole(&site, Content::Records, text), text);
        }
    }

    #[test]
    fn a_document_without_origin_urls_is_not_copied() {
        let text = Bytes::from_static(br#"{"url":"https:\/\/other.example\/"}"#);
        let out = rewriter(&site(), Content::Records).push(text.clone());
        assert_eq!(out.as_ptr(), text.as_ptr());
        assert_eq!(out, text);
    }

    #[test]
    fn the_dialled_address_is_seen_nowhere() {
        assert_rewritten(
            &internal(),
            &[
                (
                    r"http:\/\/10.0.0.5:8080\/wp-json\/tribe\/events\/v1\/events",
                    r"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events",
                ),
                (
                    r"https:\/\/www.site.example\/de\/wp-json\/tribe\/events\/v1\/events",
                    r"https:\/\/events.example.org\/de\/wp-json\/calendar\/events\/v1\/events",
                ),
                (
                    r"http:\/\/10.0.0.5:8080\/event\/gala\/, http%3A%2F%2F10.0.0.5%3A8080%2F",
                    r"https:\/\/www.site.example\/event\/gala\/, https%3A%2F%2Fwww.site.example%2F",
                ),
                (
                    r#""10.0.0.5:8080?id=5", 10.0.0.5:8080.\n10.0.0.5:8080: refused"#,
                    r#""www.site.example?id=5", www.site.example.\nwww.site.example: refused"#,
                ),
                (
                    "110.0.0.5:8080 10.0.0.5:80801 10.0.0.5:8080:1 a@10.0.0.5:8080",
                    "110.0.0.5:8080 10.0.0.5:80801 10.0.0.5:8080:1 a@10.0.0.5:8080",
                ),
                (
                    "http://www.site.example/x http://10.0.0.5:8080",
                    "http://www.site.example/x https://www.site.example",
                ),
            ],
        );
    }

    #[test]
    fn plain_permalinks_become_paths() {
        let map = map("http://origin.exampleLANG/index.php?rest_route=/", None);
        assert_rewritten(
            &map,
            &[
                (
                    r"http:\/\/origin.example\/index.php?rest_route=\/tribe\/events\/v1\/events\/56",
                    r"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events\/56",
                ),
                (
                    r#"http:\/\/origin.example\/index.php?rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents%2F&page=2&a=%2F""#,
                    r#"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events\/?page=2&a=%2F""#,
                ),
                (
                    "http://origin.example/de/index.php?rest_route=/tribe/events/v1/tags&#038;page=2",
                    "https://events.example.org/de/wp-json/calendar/events/v1/tags?page=2",
                ),
                (
                    "http%3A%2F%2Forigin.example%2Findex.php%3Frest_route%3D%252Ftribe%252Fevents%252Fv1%252Fevents%26page%3D2",
                    "https%3A%2F%2Fevents.example.org%2Fwp-json%2Fcalendar%2Fevents%2Fv1%2Fevents%3Fpage%3D2",
                ),
                (
                    "http://origin.example/index.php?rest_route=/wp/v2/tags",
                    "http://origin.example/index.php?rest_route=/wp/v2/tags",
                ),
            ],
        );
    }

    #[test]
    fn roots_that_share_an_address_are_told_apart_by_the_call() {
        let shared = map("http://origin.example/wp-json", None);
        let text = Bytes::from_static(b"http://origin.example/wp-json/tribe/events/v1/events");
        let out = Rewriter::new(&shared, &Arc::from(BASE), 1, Content::Records).whole(text);
        assert_eq!(
            out,
            "https://events.example.org/de/wp-json/calendar/events/v1/events"
        );
    }

    #[test]
    fn descriptions_name_the_public_namespace() {
        let text = r#"{"namespace":"tribe\/events\/v1","routes":{"\/tribe\/events\/v1\/events":{"default":"tribe/events/v1"},"x":"the tribe\/events\/v1 name","tribe\/events\/v10":1}}"#;
        let renamed = r#"{"namespace":"calendar\/events\/v1","routes":{"\/calendar\/events\/v1\/events":{"default":"calendar/events/v1"},"x":"the tribe\/events\/v1 name","tribe\/events\/v10":1}}"#;
        assert_eq!(whole(&site(), Content::Description, text), renamed);
        assert_eq!(whole(&site(), Content::Records, text), text);
        assert_eq!(whole(&site(), Content::Description, renamed), renamed);
    }

    /// Text made of whole and broken pieces of everything that is looked for.
    fn documents() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("http"),
            Just("s"),
            Just(r":\/\/"),
            Just("://"),
            Just("%3A%2F%2F"),
            Just("origin.example"),
            Just("10.0.0.5:8080"),
            Just(r"\/de\/wp-json\/tribe\/events\/v1"),
            Just("/wp-json/tribe/events/v1"),
            Just("%2Fwp-json%2Ftribe%2Fevents%2Fv1"),
            Just("/index.php?rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents"),
            Just(r#""\/"#),
            Just(r"tribe\/events\/v1"),
            Just("\"tri"),
            Just("&"),
            Just("&amp;"),
            Just("/"),
            Just("."),
            Just(":"),
            Just("1"),
            Just(r"\n"),
        ];
        prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn any_chunking_gives_the_same_bytes(text in documents(), cuts in prop::collection::vec(0_usize..200, 0..6)) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let plain = map("http://origin.exampleLANG/index.php?rest_route=", Some("https://h/"));
            for map in [site(), internal(), plain] {
                let expected = whole(&map, Content::Description, &text);
                let pieces = in_pieces(&map, text.as_bytes(), &cuts);
                prop_assert_eq!(String::from_utf8(pieces).unwrap(), expected.clone());
                let single: Vec<usize> = (0..text.len()).collect();
                prop_assert_eq!(in_pieces(&map, text.as_bytes(), &single), expected.into_bytes());
            }
        }

        #[test]
        fn rewriting_twice_changes_nothing_more(text in documents()) {
            let once = whole(&site(), Content::Description, &text);
            prop_assert_eq!(whole(&site(), Content::Description, &once), once);
        }

        #[test]
        fn bytes_of_any_kind_without_an_origin_url_stay(text in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(in_pieces(&site(), &text, &[3, 50]), text);
        }
    }
}
