//! The names of the origin's roots in the settings, and the maps made of them.

use std::sync::Arc;

use arc_swap::ArcSwap;
use url::Url;

use super::learnt_roots::LearntNames;
use super::rewrite::{OriginRoot, RootNames, UrlMap};
use crate::settings::{BackendSettings, OriginHost, OriginSettings};

/// The names from the settings.
#[derive(Debug)]
pub(super) struct DialledNames {
    pub(super) roots: Vec<DialledRoot>,
    pub(super) origin_url: Url,
    origin_namespace: String,
    public_namespace: String,
}

#[derive(Debug)]
pub(super) struct DialledRoot {
    pub(super) public_path: String,
    pub(super) url: Url,
    pub(super) root: OriginRoot,
}

/// The map, and the learnt names that it was made of.
pub(super) type CurrentMap = (Arc<LearntNames>, Arc<UrlMap>);

// === impl DialledNames ===

impl DialledNames {
    pub(super) fn new(backend: &BackendSettings) -> Self {
        let roots = backend.roots.iter().map(|root| DialledRoot {
            public_path: root.path.clone(),
            url: root.origin_url.clone(),
            root: OriginRoot::from_setting(&root.origin_url),
        });
        Self {
            roots: roots.collect(),
            origin_url: backend.origin.url.clone(),
            origin_namespace: backend.origin.namespace.to_string(),
            public_namespace: backend.public_namespace.clone(),
        }
    }

    /// The map if the name is set; the other roots are renamed in the same way as the base.
    pub(super) fn set_map(&self, base: &OriginRoot, advertised: &Url) -> CurrentMap {
        let advertised = OriginRoot::from_setting(advertised);
        let map = self.map(|dialled| dialled.root.renamed(base, &advertised));
        (Arc::default(), Arc::new(map))
    }

    /// The root that a response from the root `asked` names. None: a root that is not configured, or one that the name
    /// does not distinguish.
    ///
    /// A site with languages names the root of the language of its response. The path shows which one that is: the name
    /// of another root never becomes the name of this one.
    pub(super) fn owner(
        &self,
        asked: usize,
        named: &OriginRoot,
        may_change_language: bool,
        known: &LearntNames,
    ) -> Option<&DialledRoot> {
        let own = self.roots.get(asked)?;
        let before = known.get(&own.url);
        let may_rename = !may_change_language || before.is_none();
        if own.root.has_path_of(named) {
            return may_rename.then_some(own);
        }
        let mut others = self.roots.iter();
        if let Some(other) = others.find(|other| other.root.has_path_of(named)) {
            return Some(other);
        }
        // The site may have another path than the address that is dialled, but no language below a known name.
        let is_language = before.is_some_and(|before| named.is_in_directory_of(&before.root));
        (!may_change_language && !is_language).then_some(own)
    }

    pub(super) fn learnt_map(&self, names: Arc<LearntNames>) -> CurrentMap {
        let map = self.map(|dialled| self.learnt_name(dialled, &names));
        (names, Arc::new(map))
    }

    /// The learnt name of a root. A root that has not named itself has the place beside a root that has.
    fn learnt_name(&self, dialled: &DialledRoot, names: &LearntNames) -> Option<OriginRoot> {
        let learnt = |dialled: &DialledRoot| names.get(&dialled.url).map(|name| &name.root);
        let beside = |other: &DialledRoot| dialled.root.renamed(&other.root, learnt(other)?);
        let own = learnt(dialled).cloned();
        own.or_else(|| self.roots.iter().find_map(beside))
    }

    /// The map of these names. It is rebuilt only if the names changed.
    pub(super) fn current_map(&self, current: &ArcSwap<CurrentMap>, names: Arc<LearntNames>) -> Arc<UrlMap> {
        let known = current.load();
        let (of, map) = &**known;
        if Arc::ptr_eq(of, &names) {
            return Arc::clone(map);
        }
        let next = Arc::new(self.learnt_map(names));
        let map = Arc::clone(&next.1);
        current.store(next);
        map
    }

    fn map(&self, advertised: impl Fn(&DialledRoot) -> Option<OriginRoot>) -> UrlMap {
        let names = |dialled: &DialledRoot| RootNames {
            public_path: dialled.public_path.clone(),
            dialled: dialled.root.clone(),
            advertised: advertised(dialled),
        };
        let roots: Vec<RootNames> = self.roots.iter().map(names).collect();
        UrlMap::new(&roots, &self.origin_namespace, &self.public_namespace)
    }
}

/// The port that connections are opened to.
pub(super) fn dialled_port(origin: &OriginSettings) -> u16 {
    let named = || origin.url.port_or_known_default().unwrap_or_default();
    origin.connect.as_ref().map_or_else(named, |connect| connect.port)
}

/// The site's authorities of the settings, with the port that is dialled and without.
pub(super) fn further_authorities(backend: &BackendSettings) -> Vec<String> {
    let origin = &backend.origin;
    let port = dialled_port(origin);
    let hosts = [OriginHost::of(&origin.url), origin.host.clone()];
    let mut all: Vec<String> = hosts
        .into_iter()
        .flatten()
        .flat_map(|name| [name.to_string(), format!("{}:{port}", name.host)])
        .collect();
    all.extend(origin.connect.as_ref().map(ToString::to_string));
    all.extend(
        backend
            .public_url
            .as_ref()
            .and_then(OriginHost::of)
            .map(|host| host.to_string()),
    );
    all
}
