//! The first stage: settings as typed, with the place of each key.

use std::collections::HashMap;

use url::Url;

use super::problem::ConfigPlace;
use calendar_edge_core::settings::{
    CandidateSettings, CutoverRule, IgnoreRule, Root, Settings, ShadowRule, SurfaceRule, WebhookSettings,
};

/// The values of a file and its overrides: each is well formed, but they may contradict each other.
#[derive(Debug)]
pub(super) struct Draft {
    /// All keys but those of roots, on top of the defaults.
    pub(super) settings: Placed<Settings>,
    /// None: not typed, so the default root applies.
    pub(super) roots: Option<Vec<Placed<Root>>>,
    /// In the order of the file.
    pub(super) backends: Vec<Placed<CandidateSettings>>,
    /// In the order of the file.
    pub(super) ignore: Vec<Placed<IgnoreRule>>,
    /// In the order of the file.
    pub(super) shadow: Vec<Placed<ShadowRule>>,
    /// In the order of the file.
    pub(super) cutover: Vec<Placed<CutoverRule>>,
    /// In the order of the file.
    pub(super) surface: Vec<Placed<SurfaceRule>>,
    /// In the order of the file.
    pub(super) webhooks: Vec<Placed<WebhookSettings>>,
}

/// A value with the places of the keys that set it.
#[derive(Debug)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) places: ConfigPlaces,
}

/// The places of a table and its keys, by section and name.
#[derive(Debug)]
pub(super) struct ConfigPlaces {
    /// The beginning of the table.
    pub(super) table: ConfigPlace,
    typed: HashMap<(&'static str, &'static str), TypedAt>,
}

/// The place of one value, and of its items if it is a list.
#[derive(Debug)]
pub(super) struct TypedAt {
    pub(super) whole: ConfigPlace,
    pub(super) items: Vec<ConfigPlace>,
}

// === impl Draft ===

impl Draft {
    /// A draft without typed keys: the defaults.
    pub(super) fn new() -> Self {
        Self {
            settings: Placed::new(Settings::for_origin(unknown_origin()), ConfigPlace::Absent),
            roots: None,
            backends: Vec::new(),
            ignore: Vec::new(),
            shadow: Vec::new(),
            cutover: Vec::new(),
            surface: Vec::new(),
            webhooks: Vec::new(),
        }
    }
}

/// A placeholder for an origin that no key has set; settings with it are never returned.
///
/// # Panics
/// Never: the URL is a constant.
pub(super) fn unknown_origin() -> Url {
    Url::parse("http://origin.invalid/").expect("this constant is a URL")
}

// === impl Placed ===

impl<T> Placed<T> {
    /// A value without typed keys; its table begins at `table`.
    pub(super) fn new(value: T, table: ConfigPlace) -> Self {
        let typed = HashMap::new();
        let places = ConfigPlaces { table, typed };
        Self { value, places }
    }
}

impl Placed<Root> {
    /// A root without a path; its table begins at `table`.
    pub(super) fn root(table: ConfigPlace) -> Self {
        let root = Root {
            path: String::new(),
            ..Root::default_for(unknown_origin())
        };
        Self::new(root, table)
    }
}

// === impl ConfigPlaces ===

impl ConfigPlaces {
    /// Records the place of a key; the last one counts.
    pub(super) fn note(&mut self, section: &'static str, key: &'static str, typed: TypedAt) {
        self.typed.insert((section, key), typed);
    }

    /// The place of a key (`origin.url`, `listen`), if it was typed.
    pub(super) fn typed(&self, key: &'static str) -> Option<&ConfigPlace> {
        self.get(key).map(|typed| &typed.whole)
    }

    /// The place of a key, or [`ConfigPlace::Absent`].
    pub(super) fn of(&self, key: &'static str) -> &ConfigPlace {
        self.typed(key).unwrap_or(&ConfigPlace::Absent)
    }

    /// The place of an item of a list, or else of the list.
    pub(super) fn item(&self, key: &'static str, index: usize) -> &ConfigPlace {
        self.get(key)
            .and_then(|typed| typed.items.get(index).or(Some(&typed.whole)))
            .unwrap_or(&ConfigPlace::Absent)
    }

    fn get(&self, key: &'static str) -> Option<&TypedAt> {
        self.typed.get(&key.rsplit_once('.').unwrap_or(("", key)))
    }
}
