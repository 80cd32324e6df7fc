//! The URLs of the origin that belong to the API, and their public names.

use std::borrow::Cow;

use url::Url;

use super::address::AddressSpelling;
use std::sync::Arc;

use super::namespace::RenamedNamespace;
use super::origin_root::{OriginRoot, RootStyle};
use super::spelling::PerSpelling;

/// The names of one REST root.
#[derive(Debug, Clone)]
pub struct RootNames {
    /// The public path, without a trailing slash: `/de/wp-json`.
    pub public_path: String,
    /// The root as the edge dials it.
    pub dialled: OriginRoot,
    /// The root as the site prints it, if known.
    pub advertised: Option<OriginRoot>,
}

/// The absolute URLs of the API (REST root and namespace) and their public paths.
///
/// Every root has two names: the dialled one and the advertised one. Both are found with either scheme,
/// because a site behind a proxy prints the scheme that it believes to have. If the advertised address
/// differs from the dialled one, URLs of the dialled address outside the API get the advertised address
/// (T-25).
#[derive(Debug)]
pub struct UrlMap {
    sites: Vec<SiteUrls>,
    public_paths: Vec<String>,
    origin_namespace: String,
    /// The first public namespace.
    public_namespace: Arc<str>,
    addresses: Vec<AddressSpelling>,
    /// Every name of a root, with the root's index.
    names: Vec<(usize, OriginRoot)>,
}

/// All known URLs at one authority.
#[derive(Debug)]
pub(super) struct SiteUrls {
    /// The host, and the port if it is explicit.
    pub(super) plain: String,
    /// The authority as it is printed.
    pub(super) authority: PerSpelling<Box<[u8]>>,
    /// The API URLs at this authority, longest name first.
    pub(super) tails: Vec<Tail>,
    /// The scheme and authority that replace this site's if no tail matches.
    pub(super) replacement: Option<String>,
}

/// The text that follows the authority in a URL of the API.
#[derive(Debug)]
pub(super) struct Tail {
    plain: String,
    /// The part of the URL that holds the route.
    pub(super) style: RootStyle,
    /// The text as it is printed.
    pub(super) spelt: PerSpelling<Box<[u8]>>,
    /// The roots that print it.
    pub(super) owners: Vec<usize>,
}

// === impl UrlMap ===

impl UrlMap {
    /// Builds the map. `roots` are in the order of the settings; both namespaces have no slash at either end.
    pub fn new(roots: &[RootNames], origin_namespace: &str, public_namespace: &str) -> Self {
        let mut map = Self {
            sites: Vec::new(),
            public_paths: roots.iter().map(|root| root.public_path.clone()).collect(),
            origin_namespace: origin_namespace.to_owned(),
            public_namespace: public_namespace.into(),
            addresses: Vec::new(),
            names: Vec::new(),
        };
        for (index, root) in roots.iter().enumerate() {
            map.name(index, &root.dialled);
        }
        // If one root is dialled by a name, that name never counts as another root's advertised name.
        for (index, root) in roots.iter().enumerate() {
            let Some(advertised) = &root.advertised else {
                continue;
            };
            if !roots.iter().any(|other| other.dialled.is_same_place(advertised)) {
                map.name(index, advertised);
            }
            map.add_replacement(&root.dialled, advertised);
        }
        map.add_without_ports(roots);
        map.sort();
        map
    }

    /// The public URL of a root, with its trailing slash, as WordPress prints roots.
    pub fn public_root(&self, public_base: &str, root: usize) -> String {
        let path = self.public_paths.get(root).map_or("", String::as_str);
        [public_base, path, "/"].concat()
    }

    /// The root that the origin printed in its answer to a call of the root `asked`. An unknown name is found by
    /// its path, because the origin prints no roots except its own.
    pub(in crate::relay) fn root_named(&self, printed: &str, asked: usize) -> Option<usize> {
        let parsed = || OriginRoot::from_printed(&Url::parse(printed).ok()?).map(Cow::Owned);
        let known = self.names().find(|(_, name)| name.is_printed_as(printed));
        let printed = known.map(|(_, name)| Cow::Borrowed(name)).or_else(parsed)?;
        let with_path = self.names().filter(|(_, name)| name.has_path_of(&printed));
        let rank =
            |(root, name): &(usize, &OriginRoot)| (name.authority() == printed.authority(), *root == asked);
        with_path.max_by_key(rank).map(|(root, _)| root)
    }

    /// Every name of a root, with the root's index.
    pub(super) fn names(&self) -> impl Iterator<Item = (usize, &OriginRoot)> {
        self.names.iter().map(|(root, name)| (*root, name))
    }

    /// The namespace that the plugin registers.
    pub(super) fn origin_namespace(&self) -> &str {
        &self.origin_namespace
    }

    /// The sites, longest name first.
    pub(super) fn sites(&self) -> &[SiteUrls] {
        &self.sites
    }

    /// The public path of a root.
    pub(super) fn public_path(&self, root: Option<usize>) -> &str {
        let path = root.and_then(|root| self.public_paths.get(root));
        path.map_or("", String::as_str)
    }

    /// The first public namespace, for texts that answer no request in a namespace.
    pub(in crate::relay) const fn public_namespace(&self) -> &Arc<str> {
        &self.public_namespace
    }

    /// The origin's name of the namespace and a public one, if they differ.
    pub(super) fn renamed_namespace<'a>(&'a self, public: &'a str) -> Option<RenamedNamespace<'a>> {
        (self.origin_namespace != public).then_some(RenamedNamespace {
            origin: &self.origin_namespace,
            public,
        })
    }

    /// Dialled addresses that clients must not see even outside URLs.
    pub(super) fn telling_addresses(&self) -> impl Iterator<Item = &AddressSpelling> {
        self.addresses.iter()
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
                    self.add(index, &name);
                }
            }
        }
    }

    fn name(&mut self, root: usize, name: &OriginRoot) {
        self.names.push((root, name.clone()));
        self.add(root, name);
    }

    fn add(&mut self, root: usize, name: &OriginRoot) {
        let tails = self.plain_tails(name);
        let site = self.site(name.authority());
        for plain in tails {
            if let Some(known) = site.tails.iter_mut().find(|known| known.plain == plain) {
                known.owners.push(root);
                continue;
            }
            site.tails.push(Tail {
                spelt: PerSpelling::new(|spelling| spelling.encode(&plain)),
                plain,
                style: name.style(),
                owners: vec![root],
            });
        }
    }

    fn add_replacement(&mut self, dialled: &OriginRoot, advertised: &OriginRoot) {
        if dialled.authority() == advertised.authority() {
            return;
        }
        let site = self.site(dialled.authority());
        if site.replacement.is_some() {
            return;
        }
        site.replacement = Some(advertised.site());
        if dialled.is_telling() {
            self.addresses
                .push(AddressSpelling::new(dialled.authority(), advertised.authority()));
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the site was found or has just been added"
    )]
    fn site(&mut self, authority: &str) -> &mut SiteUrls {
        let known = self.sites.iter().position(|site| site.plain == authority);
        let index = known.unwrap_or_else(|| {
            self.sites.push(SiteUrls {
                plain: authority.to_owned(),
                authority: PerSpelling::new(|spelling| spelling.encode(authority)),
                tails: Vec::new(),
                replacement: None,
            });
            self.sites.len() - 1
        });
        &mut self.sites[index]
    }

    /// The plain text after the authority, in all forms; `add_query_arg` encodes the route of a `rest_route`
    /// again.
    fn plain_tails(&self, name: &OriginRoot) -> Vec<String> {
        let (prefix, namespace) = (name.prefix(), &self.origin_namespace);
        let tail = format!("{prefix}/{namespace}");
        match name.style() {
            RootStyle::Path => vec![tail],
            RootStyle::Query => {
                let encoded = |slash| format!("{prefix}{slash}{}", namespace.replace('/', slash));
                vec![tail, encoded("%2F"), encoded("%2f")]
            }
        }
    }

    /// Sorts by length, longest first: of two names with the same beginning, the longer one must be tried
    /// first.
    fn sort(&mut self) {
        self.sites.sort_by_key(|site| std::cmp::Reverse(site.plain.len()));
        for site in &mut self.sites {
            site.tails.sort_by_key(|tail| std::cmp::Reverse(tail.plain.len()));
        }
    }
}
