//! The first stage: settings as typed, with the place of each key.

use std::collections::HashMap;

use super::Settings;
use super::config_finding::ConfigPlace;

/// The values of a file and its overrides: each is well formed, but they may contradict each other.
#[derive(Debug)]
pub struct Draft {
    /// The typed keys on top of the defaults. Without a typed root there is none yet.
    pub settings: Settings,
    /// The places of the typed keys.
    pub places: ConfigPlaces,
}

/// The places of tables and their keys.
#[derive(Debug, Default)]
pub struct ConfigPlaces {
    /// The beginnings of the tables of a section, in the order of their groups in the settings.
    tables: HashMap<&'static str, Vec<ConfigPlace>>,
    /// By the full name of the key, and the position of its table.
    typed: HashMap<(String, usize), TypedPlaces>,
}

/// The place of one value, and of its items if it is a list.
type TypedPlaces = (ConfigPlace, Vec<ConfigPlace>);

/// The places of the keys of one table among those of its section.
#[derive(Debug, Clone, Copy)]
pub struct TablePlaces<'a> {
    all: &'a ConfigPlaces,
    index: usize,
}

// === impl Draft ===

impl Default for Draft {
    /// A draft without typed keys: the defaults.
    fn default() -> Self {
        let settings = Settings {
            roots: Vec::new(),
            ..Settings::default()
        };
        Self {
            settings,
            places: ConfigPlaces::default(),
        }
    }
}

// === impl ConfigPlaces ===

impl ConfigPlaces {
    /// Records the beginning of a table, and gives its position among those of its section.
    pub fn begin(&mut self, section: &'static str, table: ConfigPlace) -> usize {
        let tables = self.tables.entry(section).or_default();
        tables.push(table);
        tables.len() - 1
    }

    /// Records the place of a key's value, and of its items if it is a list; the last one counts.
    pub fn note(&mut self, key: String, table: usize, whole: ConfigPlace, items: Vec<ConfigPlace>) {
        self.typed.insert((key, table), (whole, items));
    }

    /// The places in the table at a position among those of its section.
    pub const fn table(&self, index: usize) -> TablePlaces<'_> {
        TablePlaces { all: self, index }
    }

    /// The beginnings of the tables of a section.
    pub fn tables(&self, section: &str) -> &[ConfigPlace] {
        self.tables.get(section).map(Vec::as_slice).unwrap_or_default()
    }

    /// The place of a key (`origin.url`, `listen`), if it was typed.
    pub fn typed(&self, key: &'static str) -> Option<&ConfigPlace> {
        self.table(0).typed(key)
    }

    /// The place of a key, or [`ConfigPlace::Absent`].
    pub fn of(&self, key: &'static str) -> &ConfigPlace {
        self.table(0).of(key)
    }

    /// The place of an item of a list, or else of the list.
    pub fn item(&self, key: &'static str, item: usize) -> &ConfigPlace {
        self.table(0).item(key, item)
    }
}

// === impl TablePlaces ===

impl<'a> TablePlaces<'a> {
    /// The beginning of the table.
    pub fn beginning(self, section: &str) -> &'a ConfigPlace {
        let tables = self.all.tables(section);
        tables.get(self.index).unwrap_or(&ConfigPlace::Absent)
    }

    /// The place of a key, if it was typed.
    pub fn typed(self, key: &str) -> Option<&'a ConfigPlace> {
        self.get(key).map(|(whole, _)| whole)
    }

    /// The place of a key, or [`ConfigPlace::Absent`].
    pub fn of(self, key: &str) -> &'a ConfigPlace {
        self.typed(key).unwrap_or(&ConfigPlace::Absent)
    }

    /// The place of an item of a list, or else of the list.
    pub fn item(self, key: &str, item: usize) -> &'a ConfigPlace {
        let typed = self.get(key);
        let place = typed.map(|(whole, items)| items.get(item).unwrap_or(whole));
        place.unwrap_or(&ConfigPlace::Absent)
    }

    fn get(self, key: &str) -> Option<&'a TypedPlaces> {
        self.all.typed.get(&(key.to_owned(), self.index))
    }
}
