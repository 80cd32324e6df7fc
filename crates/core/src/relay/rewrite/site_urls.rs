//! The URLs of one authority: collected as plain text, then written once in each spelling.

use super::origin_root::RootStyle;
use super::spelling::Spelling;

/// All known URLs at one authority, in plain text.
#[derive(Debug)]
pub(super) struct SiteUrls {
    /// The host, and the port if it is explicit.
    pub(super) authority: String,
    tails: Vec<Tail>,
    /// The roots themselves, with their trailing slashes.
    roots: Vec<Tail>,
    /// The scheme and authority that replace this site's if no tail matches.
    pub(super) replacement: Option<String>,
}

/// The text that follows the authority in a URL of the API.
#[derive(Debug)]
struct Tail {
    text: String,
    style: RootStyle,
    owners: Vec<usize>,
}

/// All known URLs at one authority, as one spelling prints them.
#[derive(Debug)]
pub(super) struct SpeltSite {
    /// The host, and the port if it is explicit, in plain text.
    pub(super) plain_authority: String,
    /// The same as it is printed.
    pub(super) authority: Box<[u8]>,
    /// The API URLs at this authority, longest name first.
    pub(super) tails: Box<[SpeltTail]>,
    /// The roots themselves, with their trailing slashes.
    pub(super) roots: Box<[SpeltTail]>,
    /// The scheme and authority that replace this site's if no tail matches.
    pub(super) replacement: Option<Box<[u8]>>,
}

/// The text that follows the authority in a URL of the API, as one spelling prints it.
#[derive(Debug)]
pub(super) struct SpeltTail {
    /// The text as it is printed.
    pub(super) text: Box<[u8]>,
    /// The part of the URL that holds the route.
    pub(super) style: RootStyle,
    /// The roots that print it.
    pub(super) owners: Box<[usize]>,
}

// === impl SiteUrls ===

impl SiteUrls {
    /// An authority without known URLs.
    pub(super) fn new(authority: &str) -> Self {
        Self {
            authority: authority.to_owned(),
            tails: Vec::new(),
            roots: Vec::new(),
            replacement: None,
        }
    }

    /// Adds a text that follows the authority in URLs of this root's API.
    pub(super) fn add(&mut self, text: String, style: RootStyle, root: usize) {
        Tail::add(&mut self.tails, text, style, root);
    }

    /// Adds the text that follows the authority in the URL of this root itself.
    pub(super) fn add_root(&mut self, text: String, style: RootStyle, root: usize) {
        Tail::add(&mut self.roots, text, style, root);
    }

    /// Sorts by length, longest first: of two names with the same beginning, the longer one must be tried first.
    pub(super) fn sort(&mut self) {
        self.tails.sort_by_key(|tail| std::cmp::Reverse(tail.text.len()));
    }

    /// The URLs as one spelling prints them, in the same order.
    pub(super) fn spelt(&self, spelling: Spelling) -> SpeltSite {
        SpeltSite {
            plain_authority: self.authority.clone(),
            authority: spelling.encode(&self.authority),
            tails: self.tails.iter().map(|tail| tail.spelt(spelling)).collect(),
            roots: self.roots.iter().map(|root| root.spelt(spelling)).collect(),
            replacement: self.replacement.as_deref().map(|plain| spelling.encode(plain)),
        }
    }
}

// === impl Tail ===

impl Tail {
    fn add(tails: &mut Vec<Self>, text: String, style: RootStyle, root: usize) {
        match tails.iter_mut().find(|known| known.text == text) {
            Some(known) => known.owners.push(root),
            None => tails.push(Self {
                text,
                style,
                owners: vec![root],
            }),
        }
    }

    fn spelt(&self, spelling: Spelling) -> SpeltTail {
        SpeltTail {
            text: spelling.encode(&self.text),
            style: self.style,
            owners: self.owners.as_slice().into(),
        }
    }
}
