//! The URLs of the origin that belong to the API, and their public names.

use std::borrow::Cow;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use url::Url;

use super::known_urls::KnownUrls;
use super::origin_root::{OriginRoot, RootNames};
use super::own_name::OwnName;

/// The absolute URLs of the API (REST root and namespace) and their public paths.
///
/// Every root has two names: the dialled one and the advertised one. Both are found with either scheme,
/// because a site behind a proxy prints the scheme that it believes to have. If the advertised address
/// differs from the dialled one, URLs of the dialled address outside the API get the advertised address
/// (T-25).
#[derive(Debug)]
pub struct UrlMap {
    pub(super) known: KnownUrls,
    public_paths: Vec<String>,
    /// The first public namespace, for texts that belong to no request in a namespace.
    pub(in crate::relay) public_namespace: Arc<str>,
    /// The public name of the last response. Most edges have one public address.
    last_name: ArcSwapOption<OwnName>,
}

// === impl UrlMap ===

impl UrlMap {
    /// Builds the map. `roots` are in the order of the settings; both namespaces have no slash at either end.
    pub fn new(roots: &[RootNames], origin_namespace: &str, public_namespace: &str) -> Self {
        Self {
            known: KnownUrls::of(roots, origin_namespace),
            public_paths: roots.iter().map(|root| root.public_path.clone()).collect(),
            public_namespace: public_namespace.into(),
            last_name: ArcSwapOption::empty(),
        }
    }

    /// The public URL of a root, with its trailing slash, as WordPress prints roots.
    pub fn public_root(&self, public_base: &str, root: usize) -> String {
        let path = self.public_paths.get(root).map_or("", String::as_str);
        [public_base, path, "/"].concat()
    }

    /// The root that the origin printed in its response to a call of the root `asked`. An unknown name is found by its
    /// path, because the origin prints no roots except its own.
    pub(in crate::relay) fn root_named(&self, printed: &str, asked: usize) -> Option<usize> {
        let parsed = || OriginRoot::from_printed(&Url::parse(printed).ok()?).map(Cow::Owned);
        let known = self.names().find(|(_, name)| name.is_printed_as(printed));
        let printed = known.map(|(_, name)| Cow::Borrowed(name)).or_else(parsed)?;
        let with_path = self.names().filter(|(_, name)| name.has_path_of(&printed));
        let rank =
            |(root, name): &(usize, &OriginRoot)| (name.authority == printed.authority, *root == asked);
        with_path.max_by_key(rank).map(|(root, _)| root)
    }

    /// Every name of a root, with the root's index.
    pub(super) fn names(&self) -> impl Iterator<Item = (usize, &OriginRoot)> {
        self.known.names.iter().map(|(root, name)| (*root, name))
    }

    /// The public name of a root in a namespace, at an address of the edge.
    pub(super) fn own_name(&self, root: usize, public_base: &Arc<str>, namespace: &Arc<str>) -> Arc<OwnName> {
        if let Some(last) = &*self.last_name.load()
            && last.is_of(root, public_base, namespace)
        {
            return Arc::clone(last);
        }
        let name = Arc::new(OwnName::new(root, public_base, namespace));
        self.last_name.store(Some(Arc::clone(&name)));
        name
    }

    /// The public path of a root.
    pub(in crate::relay) fn public_path(&self, root: Option<usize>) -> &str {
        let path = root.and_then(|root| self.public_paths.get(root));
        path.map_or("", String::as_str)
    }
}
