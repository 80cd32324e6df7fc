//! The beginnings of URLs that the origin prints, written once in each spelling.

use std::cmp::Reverse;
use std::sync::Arc;

use super::address::AddressMatcher;
use super::origin_root::{OriginRoot, RootNames};
use super::spelling::{PerSpelling, Spelling};

/// The URLs of all roots.
#[derive(Debug)]
pub(super) struct KnownUrls {
    /// The namespace that the plugin registers.
    pub(super) origin_namespace: String,
    /// In the order in which a printed URL is compared with them.
    pub(super) urls: Vec<KnownUrl>,
    /// Dialled addresses that clients must not see even outside URLs.
    pub(super) addresses: Vec<Arc<AddressMatcher>>,
    /// Every name of a root, with the root's index.
    pub(super) names: Vec<(usize, OriginRoot)>,
}

/// The beginning of a URL.
#[derive(Debug)]
pub(super) struct KnownUrl {
    /// The host in plain text, and the port if it is explicit.
    pub(super) authority: String,
    tail: String,
    /// All of it behind its scheme.
    pub(super) spelt: PerSpelling<Box<[u8]>>,
    pub(super) meaning: UrlMeaning,
}

/// The root or roots that a URL names. If roots share an address, it names all of them.
#[derive(Debug)]
pub(super) enum UrlMeaning {
    /// The API of these roots.
    Api(Vec<usize>),
    /// These roots themselves; the URL ends with a slash.
    Roots(Vec<usize>),
    /// The site, under an authority that clients must not see: the scheme and authority that replace it.
    Site(PerSpelling<Box<[u8]>>),
}

// === impl KnownUrls ===

impl KnownUrls {
    /// Collects the URLs of the roots, which are in the order of the settings. The namespace is the one that the
    /// plugin registers.
    pub(super) fn of(roots: &[RootNames], origin_namespace: &str) -> Self {
        let mut known = Self {
            origin_namespace: origin_namespace.to_owned(),
            urls: Vec::new(),
            addresses: Vec::new(),
            names: Vec::new(),
        };
        for (index, root) in roots.iter().enumerate() {
            known.name(index, &root.dialled);
        }
        // If one root is dialled by a name, that name never counts as another root's advertised name.
        for (index, root) in roots.iter().enumerate() {
            let Some(advertised) = &root.advertised else {
                continue;
            };
            if !roots.iter().any(|other| other.dialled.is_same_place(advertised)) {
                known.name(index, advertised);
            }
            known.add_replacement(&root.dialled, advertised);
        }
        known.add_without_ports(roots);
        // Of two URLs with the same beginning, the longer one must be tried first.
        known.urls.sort_by_key(|url| {
            (
                Reverse(url.authority.len()),
                url.meaning.rank(),
                Reverse(url.tail.len()),
            )
        });
        known
    }

    /// Adds names without ports, because the plugin omits the port in the server of `/doc`. The name of
    /// another root has priority.
    fn add_without_ports(&mut self, roots: &[RootNames]) {
        let names = |root: &RootNames| [Some(root.dialled.clone()), root.advertised.clone()];
        let known: Vec<OriginRoot> = roots.iter().flat_map(names).flatten().collect();
        for (index, root) in roots.iter().enumerate() {
            let portless = names(root).into_iter().flatten();
            for name in portless.filter_map(|name| name.without_port()) {
                if !known.iter().any(|other| other.is_same_place(&name)) {
                    self.add_root(index, &name);
                }
            }
        }
    }

    fn name(&mut self, root: usize, name: &OriginRoot) {
        self.names.push((root, name.clone()));
        self.add_root(root, name);
    }

    fn add_root(&mut self, root: usize, name: &OriginRoot) {
        let tail = format!("{}/{}", name.prefix, self.origin_namespace);
        self.add(name, tail, UrlMeaning::Api(vec![root]));
        self.add(name, format!("{}/", name.prefix), UrlMeaning::Roots(vec![root]));
    }

    /// Adds a URL, or its root to those that have the same URL.
    fn add(&mut self, name: &OriginRoot, tail: String, meaning: UrlMeaning) {
        let mut known = self.urls.iter_mut();
        let known = known.find(|url| {
            url.authority == name.authority && url.tail == tail && url.meaning.rank() == meaning.rank()
        });
        match (known.map(|url| &mut url.meaning), meaning) {
            (
                Some(UrlMeaning::Api(roots) | UrlMeaning::Roots(roots)),
                UrlMeaning::Api(more) | UrlMeaning::Roots(more),
            ) => {
                roots.extend(more);
            }
            (_, meaning) => self.urls.push(KnownUrl::new(&name.authority, tail, meaning)),
        }
    }

    fn add_replacement(&mut self, dialled: &OriginRoot, advertised: &OriginRoot) {
        let authority = dialled.authority.as_str();
        let is_known =
            |url: &KnownUrl| matches!(url.meaning, UrlMeaning::Site(_)) && url.authority == authority;
        if authority == advertised.authority || self.urls.iter().any(is_known) {
            return;
        }
        let replacing = UrlMeaning::Site(written(&advertised.site()));
        self.urls.push(KnownUrl::new(authority, String::new(), replacing));
        if dialled.is_unmistakable() {
            let address = AddressMatcher::new(authority, &advertised.authority);
            self.addresses.push(Arc::new(address));
        }
    }
}

// === impl KnownUrl ===

impl KnownUrl {
    fn new(authority: &str, tail: String, meaning: UrlMeaning) -> Self {
        Self {
            spelt: written(&[authority, &*tail].concat()),
            authority: authority.to_owned(),
            tail,
            meaning,
        }
    }
}

/// A text in each spelling.
fn written(text: &str) -> PerSpelling<Box<[u8]>> {
    PerSpelling::new(|spelling: Spelling| spelling.encode(text))
}

// === impl UrlMeaning ===

impl UrlMeaning {
    /// The place among the URLs of one authority: those of the API come before the shorter ones.
    const fn rank(&self) -> u8 {
        match self {
            Self::Api(..) => 0,
            Self::Roots(_) => 1,
            Self::Site(_) => 2,
        }
    }
}
