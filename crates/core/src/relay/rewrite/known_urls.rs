//! Collecting the URLs of the origin that belong to the API, in plain text.

use super::address::AddressSpelling;
use super::origin_root::{OriginRoot, RootNames, RootStyle};
use super::site_urls::SiteUrls;

/// The URLs of all roots, by authority.
#[derive(Debug)]
pub(super) struct KnownUrls {
    origin_namespace: String,
    /// The sites, longest name first.
    pub(super) sites: Vec<SiteUrls>,
    /// Dialled addresses that clients must not see even outside URLs.
    pub(super) addresses: Vec<AddressSpelling>,
    /// Every name of a root, with the root's index.
    pub(super) names: Vec<(usize, OriginRoot)>,
}

// === impl KnownUrls ===

impl KnownUrls {
    /// Collects the URLs of the roots, which are in the order of the settings. The namespace is the one that the
    /// plugin registers.
    pub(super) fn of(roots: &[RootNames], origin_namespace: &str) -> Self {
        let mut known = Self {
            origin_namespace: origin_namespace.to_owned(),
            sites: Vec::new(),
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
        known.sort();
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
        for tail in tails {
            site.add(tail, name.style(), root);
        }
        site.add_root(format!("{}/", name.prefix()), name.style(), root);
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
        let known = self.sites.iter().position(|site| site.authority == authority);
        let index = known.unwrap_or_else(|| {
            self.sites.push(SiteUrls::new(authority));
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
        self.sites
            .sort_by_key(|site| std::cmp::Reverse(site.authority.len()));
        for site in &mut self.sites {
            site.sort();
        }
    }
}
