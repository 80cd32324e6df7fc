//! The REST roots that a backend names in its own responses, kept across reloads.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use url::Url;

use super::rewrite::OriginRoot;
use crate::settings::BackendSettings;

/// The names learnt for all dialled roots; clones share them. The value is created once and survives every
/// reload.
///
/// A wrong name does little harm: every accepted response names its own root again and is rewritten by that
/// name, so a wrong name lasts only until the next accepted response.
#[derive(Debug, Clone, Default)]
pub struct LearntRoots {
    names: Arc<ArcSwap<LearntNames>>,
}

/// The names known at one moment, by the URL that is dialled.
pub(super) type LearntNames = BTreeMap<Url, PrintedRoot>;

/// A root that a response printed.
#[derive(Debug, Clone)]
pub(super) struct PrintedRoot {
    /// The URL as it was printed, so that it is recognised without parsing.
    pub(super) text: String,
    pub(super) root: OriginRoot,
}

/// The longest root that is accepted, in bytes.
pub(super) const LONGEST_ROOT: usize = 1024;

// === impl LearntRoots ===

impl LearntRoots {
    /// Forgets roots that the site does not have any more, and all roots if its settings give the name.
    pub fn adapt(&self, site: &BackendSettings) {
        let is_set = site.origin.advertised_url.is_some();
        let is_dialled = |url: &Url| site.roots.iter().any(|root| root.origin_url == *url);
        self.names.rcu(|known| {
            let mut names = LearntNames::clone(known);
            names.retain(|url, _| !is_set && is_dialled(url));
            names
        });
    }

    /// The names known now.
    pub(super) fn names(&self) -> Arc<LearntNames> {
        self.names.load_full()
    }

    /// Learns the name that an accepted response printed for the root dialled by this URL. Returns the names
    /// known then.
    pub(super) fn learn(&self, dialled: &Url, printed: PrintedRoot) -> Arc<LearntNames> {
        let known = self.names();
        if known.get(dialled).is_some_and(|name| name.text == printed.text) {
            return known;
        }
        let mut names = LearntNames::clone(&known);
        names.insert(dialled.clone(), printed);
        let next = Arc::new(names);
        self.names.store(Arc::clone(&next));
        next
    }
}

// === impl PrintedRoot ===

impl PrintedRoot {
    /// Reads a root; `None` if the text cannot be one.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > LONGEST_ROOT {
            return None;
        }
        let root = OriginRoot::from_printed(&Url::parse(text).ok()?)?;
        let text = text.to_owned();
        Some(Self { text, root })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    const PRINTED: &str = "https://site.example/wp-json/";

    fn settings() -> Settings {
        Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap())
    }

    fn knows(learnt: &LearntRoots, settings: &Settings) -> bool {
        learnt.names().contains_key(&settings.roots[0].origin_url)
    }

    fn learnt(settings: &Settings) -> LearntRoots {
        let learnt = LearntRoots::default();
        learnt.learn(&settings.roots[0].origin_url, PrintedRoot::read(PRINTED).unwrap());
        learnt
    }

    #[test]
    fn roots_without_a_setting_are_forgotten() {
        let (before, mut after) = (settings(), settings());
        let learnt = learnt(&before);
        learnt.adapt(&after.site());
        assert!(knows(&learnt, &before));
        after.roots[0].origin_url = "http://10.0.0.6/wp-json".parse().unwrap();
        learnt.adapt(&after.site());
        assert!(!knows(&learnt, &before));
    }

    #[test]
    fn a_set_name_clears_the_learnt_ones() {
        let (before, mut set) = (settings(), settings());
        let learnt = learnt(&before);
        set.origin.advertised_url = Some(PRINTED.parse().unwrap());
        learnt.adapt(&set.site());
        assert!(!knows(&learnt, &before));
    }
}
