//! The indexes that the sites published, and the words of their refusals: kept over reloads in memory, and over
//! restarts in a file.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use url::Url;

use super::awaited_name::AwaitedName;
use crate::server::state_file;
use calendar_edge_core::settings::{BackendSettings, OriginNamespace, OriginSettings, Root, Settings};
use calendar_edge_judge::contract::{
    MOST_INDEX_BYTES, PublishedIndex, TableInForce, TablesInForce, calendar_namespace,
};
use calendar_edge_judge::problem::Words;

/// The indexes of all roots in use; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SiteIndexes {
    known: Arc<Mutex<HashMap<IndexSource, KnownIndex>>>,
    /// The name of the calendar at the site.
    pub(crate) name: AwaitedName,
}

/// The place where an index is published.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct IndexSource {
    /// The REST root of the site.
    pub(crate) root: Url,
    namespace: String,
}

/// The known index of a place.
#[derive(Debug, Clone)]
enum KnownIndex {
    /// Its last good index, with the table that it forms and the words of its refusals.
    Read {
        index: PublishedIndex,
        table: Arc<TableInForce>,
        words: Words,
        /// True if the words were requested since the index has changed.
        has_words: bool,
    },
    /// The site responds there, without an index.
    Withheld,
}

// === impl IndexSource ===

impl IndexSource {
    fn of(root: &Root, origin: &OriginSettings) -> Self {
        Self {
            root: root.origin_url.clone(),
            namespace: origin.namespace.to_string(),
        }
    }

    /// The sources of all roots, each once.
    pub(crate) fn all(site: &BackendSettings) -> Vec<Self> {
        let mut sources: Vec<Self> = site
            .roots
            .iter()
            .map(|root| Self::of(root, &site.origin))
            .collect();
        sources.sort();
        sources.dedup();
        sources
    }
}

// === impl SiteIndexes ===

impl SiteIndexes {
    /// The table in force of each root.
    pub(crate) fn tables(&self, site: &BackendSettings) -> TablesInForce {
        let known = self.known.lock();
        let table = |root: &Root| match known.get(&IndexSource::of(root, &site.origin)) {
            Some(KnownIndex::Read { table, .. }) => Arc::clone(table),
            None if site.origin.read_index => TableInForce::awaited(),
            Some(KnownIndex::Withheld) | None => TableInForce::unread(),
        };
        let table = |root: &Root| TableInForce::for_clients(table(root), root.wanted);
        TablesInForce::new(site.roots.iter().map(table).collect())
    }

    /// Takes an index that was read. It is completed by the last one where it lacks an operation. Returns the table
    /// that is in force now; none if the index is the known one.
    pub(crate) fn learn(&self, source: &IndexSource, index: PublishedIndex) -> Option<Arc<TableInForce>> {
        let mut known = self.known.lock();
        let (index, words) = match known.get(source) {
            Some(KnownIndex::Read {
                index: before, words, ..
            }) => {
                let index = index.over(before);
                if index == *before {
                    return None;
                }
                (index, words.clone())
            }
            Some(KnownIndex::Withheld) | None => (index, Words::english()),
        };
        let table = Arc::new(TableInForce::over(&index));
        let entry = KnownIndex::Read {
            index,
            table: Arc::clone(&table),
            words,
            has_words: false,
        };
        known.insert(source.clone(), entry);
        Some(table)
    }

    /// Takes the words of a place whose index is known.
    pub(crate) fn learn_words(&self, source: &IndexSource, found: Words) {
        if let Some(KnownIndex::Read { words, has_words, .. }) = self.known.lock().get_mut(source) {
            (*words, *has_words) = (found, true);
        }
    }

    /// The places whose index is known, with their words; none: they have to be requested.
    pub(crate) fn words(&self, site: &BackendSettings) -> Vec<(IndexSource, Option<Words>)> {
        let known = self.known.lock();
        let words = |source: IndexSource| match known.get(&source)? {
            KnownIndex::Read { words, has_words, .. } => Some((source, has_words.then(|| words.clone()))),
            KnownIndex::Withheld => None,
        };
        IndexSource::all(site).into_iter().filter_map(words).collect()
    }

    /// The settings with the words of each root's site.
    pub(crate) fn in_words(&self, mut settings: Settings) -> Settings {
        let known = self.known.lock();
        for root in &mut settings.roots {
            if let Some(KnownIndex::Read { words, .. }) = known.get(&IndexSource::of(root, &settings.origin))
            {
                root.words.clone_from(words);
            }
        }
        drop(known);
        settings
    }

    /// Notes that a site responds without an index. Returns true if nothing was known of it before.
    pub(crate) fn withhold(&self, source: &IndexSource) -> bool {
        let mut known = self.known.lock();
        let is_new = !known.contains_key(source);
        if is_new {
            known.insert(source.clone(), KnownIndex::Withheld);
        }
        is_new
    }

    /// Forgets the sources that the site does not have any more.
    pub(crate) fn retain(&self, site: &BackendSettings) {
        let sources = IndexSource::all(site);
        self.known.lock().retain(|source, _| sources.contains(source));
    }

    /// Takes from the site's file what is not known of its sources. A file that is missing or damaged counts as
    /// empty.
    pub(crate) fn recall(&self, site: &BackendSettings) {
        let stored = stored_indexes(site).unwrap_or_default();
        for source in IndexSource::all(site) {
            let is_new = !self.known.lock().contains_key(&source);
            let entry = entries(&stored)
                .iter()
                .find(|entry| is_new && source.is_of(entry));
            let index = entry.and_then(|entry| entry.get("index"));
            let Some(Ok(index)) = index.map(PublishedIndex::from_json) else {
                continue;
            };
            self.learn(&source, index);
            if let Some(words @ Value::Object(_)) = entry.and_then(|entry| entry.get("words")) {
                self.learn_words(&source, Words::from_json(words));
            }
        }
    }

    /// The settings with the words, and the tables in force.
    pub(crate) fn informed(&self, settings: Settings) -> (Settings, TablesInForce) {
        let tables = self.tables(&settings.site());
        (self.in_words(settings), tables)
    }

    /// Writes the indexes of the site's sources to its file, whole or not at all.
    ///
    /// # Errors
    ///
    /// When the file cannot be written; the old one stays.
    pub(crate) fn keep(&self, site: &BackendSettings) -> io::Result<()> {
        let Some(path) = &site.origin.index_file else {
            return Ok(());
        };
        let known = self.known.lock();
        // An index that a site withholds now it may publish at the next start.
        let entry = |source: IndexSource| match known.get(&source)? {
            KnownIndex::Read {
                index,
                words,
                has_words,
                ..
            } => {
                let (index, words) = (index.to_json(), has_words.then(|| words.to_json()));
                let (root, namespace) = (source.root.as_str(), &source.namespace);
                Some(json!({"root": root, "namespace": namespace, "index": index, "words": words}))
            }
            KnownIndex::Withheld => None,
        };
        let sites: Vec<Value> = IndexSource::all(site).into_iter().filter_map(entry).collect();
        drop(known);
        state_file::replace(path, |aside| writeln!(aside, "{:#}", json!({ "sites": sites })))
    }
}

impl IndexSource {
    fn is_of(&self, entry: &Value) -> bool {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        text("root") == Some(self.root.as_str()) && text("namespace") == Some(&self.namespace)
    }
}

/// The settings with the namespace that their file has as listed by the site, unless they name one.
pub(crate) fn with_stored_namespace(mut settings: Settings) -> Settings {
    if settings.origin.namespace != OriginNamespace::Assumed {
        return settings;
    }
    let stored = stored_indexes(&settings.site()).unwrap_or_default();
    let root = Some(settings.origin.url.as_str());
    let mut of_site = entries(&stored)
        .iter()
        .filter(|entry| entry.get("root").and_then(Value::as_str) == root);
    let reported = of_site.find_map(|entry| entry.get("namespace")?.as_str());
    if let Some(listed) = reported.and_then(|name| calendar_namespace(std::iter::once(name))) {
        settings.origin.namespace = OriginNamespace::listed(listed);
    }
    settings
}

/// The document in the site's file; none if it is missing or damaged.
fn stored_indexes(site: &BackendSettings) -> Option<Value> {
    let path = site.origin.index_file.as_ref()?;
    let most = site.roots.len().saturating_mul(MOST_INDEX_BYTES);
    state_file::read_json(path, u64::try_from(most).unwrap_or(u64::MAX)).unwrap_or_else(|error| {
        tracing::warn!(file = %path.display(), %error, "the file of indexes cannot be read");
        None
    })
}

/// The entries of a document of indexes, one a source; none in a document of another kind.
fn entries(document: &Value) -> &[Value] {
    let sites = document.get("sites").and_then(Value::as_array);
    sites.map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    const OLD: &[u8] = include_bytes!("../../fixtures/versions/index-5.12.4.json");
    const WPML: &[u8] = include_bytes!("../../fixtures/versions/index-6.15.16+wpml.json");

    fn settings(file: &Path) -> Settings {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        settings.origin.index_file = Some(file.to_owned());
        let mut german = settings.roots[0].clone();
        german.origin_url = "http://wp.example/de/wp-json".parse().unwrap();
        settings.roots.push(german);
        settings
    }

    fn index(body: &[u8]) -> PublishedIndex {
        PublishedIndex::read(body, "tribe/events/v1").unwrap()
    }

    /// A file of its own that does not exist.
    fn file(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("edge-indexes-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn each_root_has_its_own_table_also_after_a_restart() {
        let settings = settings(&file("restart"));
        let indexes = SiteIndexes::default();
        let sources = IndexSource::all(&settings.site());
        assert_eq!(sources.len(), 2);
        // In the order of their URLs: the German one first.
        indexes.learn(&sources[0], index(WPML));
        indexes.learn(&sources[1], index(OLD));
        indexes.keep(&settings.site()).unwrap();
        let recalled = SiteIndexes::default();
        recalled.recall(&settings.site());
        assert_eq!(
            recalled.tables(&settings.site()),
            indexes.tables(&settings.site())
        );
        let tables = recalled.tables(&settings.site());
        assert_ne!(tables.of_root(0), tables.of_root(1));
        assert_eq!(recalled.learn(&sources[0], index(WPML)), None);
        let mut moved = settings.clone();
        moved.roots.truncate(1);
        recalled.retain(&moved.site());
        assert!(!recalled.tables(&settings.site()).of_root(1).is_read);
    }

    #[test]
    fn the_namespace_that_a_site_listed_is_known_after_a_restart() {
        let mut stored = settings(&file("namespace"));
        stored.origin.namespace = OriginNamespace::listed("club/events/v1");
        let indexes = SiteIndexes::default();
        for source in IndexSource::all(&stored.site()) {
            indexes.learn(&source, index(OLD));
        }
        indexes.keep(&stored.site()).unwrap();
        let namespace = |before: OriginNamespace| {
            let mut started = stored.clone();
            started.origin.namespace = before;
            with_stored_namespace(started).origin.namespace
        };
        assert_eq!(namespace(OriginNamespace::Assumed), stored.origin.namespace);
        let set = OriginNamespace::set("tribe/events/v1");
        assert_eq!(namespace(set.clone()), set);
    }

    #[test]
    fn a_damaged_file_counts_as_empty() {
        let file = file("damaged");
        let settings = settings(&file);
        for text in [
            "",
            "{",
            "[]",
            r#"{"sites": 7}"#,
            r#"{"sites": [{"root": "http://wp.example/wp-json", "namespace": "tribe/events/v1", "index": 1}]}"#,
        ] {
            fs::write(&file, text).unwrap();
            let indexes = SiteIndexes::default();
            indexes.recall(&settings.site());
            assert!(!indexes.tables(&settings.site()).of_root(0).is_read, "{text}");
        }
    }
}
