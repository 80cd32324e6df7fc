//! The first stage: settings as typed, with the place of each key.

use std::collections::HashMap;

use url::Url;

use super::problem::ConfigPlace;
use crate::settings::{Root, Settings};

/// What a file and its overrides say: every value is well formed, but they may contradict each other.
#[derive(Debug)]
pub(super) struct Draft {
    /// All keys but those of roots, on top of the defaults.
    pub(super) settings: Placed<Settings>,
    /// None: not typed, so the default root applies.
    pub(super) roots: Option<Vec<Placed<Root>>>,
}

/// A value with the places of the keys that set it.
#[derive(Debug)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) places: ConfigPlaces,
}

/// Where a table and its keys were typed, by section and name.
#[derive(Debug)]
pub(super) struct ConfigPlaces {
    /// Where the table begins.
    pub(super) table: ConfigPlace,
    typed: HashMap<(&'static str, &'static str), TypedAt>,
}

/// Where one value was typed, and its items if it is a list.
#[derive(Debug)]
pub(super) struct TypedAt {
    pub(super) whole: ConfigPlace,
    pub(super) items: Vec<ConfigPlace>,
}

// === impl Draft ===

impl Draft {
    /// Nothing typed: the defaults.
    pub(super) fn new() -> Self {
        Self {
            settings: Placed::new(Settings::for_origin(unknown_origin()), ConfigPlace::Absent),
            roots: None,
        }
    }
}

/// Stands for an origin that no key has set; such settings never leave the configuration.
///
/// # Panics
/// Never: the URL is a constant.
pub(super) fn unknown_origin() -> Url {
    Url::parse("http://origin.invalid/").expect("this constant is a URL")
}

// === impl Placed ===

impl<T> Placed<T> {
    /// A value of which no key is typed yet; its table begins at `table`.
    pub(super) fn new(value: T, table: ConfigPlace) -> Self {
        let typed = HashMap::new();
        let places = ConfigPlaces { table, typed };
        Self { value, places }
    }
}

impl Placed<Root> {
    /// A root without a path whose table begins at `table`.
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
    /// Notes where a key was typed; the last place counts.
    pub(super) fn note(&mut self, section: &'static str, key: &'static str, typed: TypedAt) {
        self.typed.insert((section, key), typed);
    }

    /// Where a key (`origin.url`, `listen`) was typed, if it was.
    pub(super) fn typed(&self, key: &'static str) -> Option<&ConfigPlace> {
        self.get(key).map(|typed| &typed.whole)
    }

    /// Where a key was typed, or nowhere.
    pub(super) fn of(&self, key: &'static str) -> &ConfigPlace {
        self.typed(key).unwrap_or(&ConfigPlace::Absent)
    }

    /// Where an item of a list was typed, or the list.
    pub(super) fn item(&self, key: &'static str, index: usize) -> &ConfigPlace {
        self.get(key)
            .and_then(|typed| typed.items.get(index).or(Some(&typed.whole)))
            .unwrap_or(&ConfigPlace::Absent)
    }

    fn get(&self, key: &'static str) -> Option<&TypedAt> {
        self.typed.get(&key.rsplit_once('.').unwrap_or(("", key)))
    }
}
