//! One record in the manifest of an export: its names, its times, its images, and a hash by which changes show.

use std::collections::BTreeSet;

use calendar_edge_judge::contract::Kind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A line of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ManifestEntry {
    /// `event`, `venue`, `organizer`, `category` or `tag`.
    pub(super) kind: String,
    pub(super) id: u64,
    /// `new`, `changed` or `unchanged` since the former export, or `gone`.
    pub(super) state: EntryState,
    pub(super) slug: Option<String>,
    pub(super) status: Option<String>,
    pub(super) modified_utc: Option<String>,
    /// The path of the REST root that shows the record.
    pub(super) root: String,
    pub(super) hash: String,
    pub(super) images: Vec<String>,
}

/// A record beside the former export; all are new without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EntryState {
    New,
    Changed,
    Unchanged,
    Gone,
}

// === impl ManifestEntry ===

impl ManifestEntry {
    /// An entry without a former export; `hash` is that of the record.
    pub(super) fn of((kind, id): (Kind, u64), root: &str, hash: &str, record: &Value) -> Self {
        let text = |name: &str| record[name].as_str().map(str::to_owned);
        Self {
            kind: kind.singular().to_owned(),
            id,
            state: EntryState::New,
            slug: text("slug"),
            status: text("status"),
            modified_utc: text("modified_utc"),
            root: root.to_owned(),
            hash: hash.to_owned(),
            images: images(&record["image"]),
        }
    }
}

/// The addresses of an image in all its sizes.
fn images(image: &Value) -> Vec<String> {
    let sizes = image["sizes"].as_object().into_iter().flatten();
    let urls = sizes.map(|(_, size)| &size["url"]).chain([&image["url"]]);
    let urls: BTreeSet<&str> = urls.filter_map(Value::as_str).collect();
    urls.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_names_what_an_importer_looks_for() {
        let record = json!({
            "id": 5,
            "slug": "a",
            "status": "publish",
            "modified_utc": "2026-11-20 08:00:00",
            "image": {"url": "http://a/b.png", "sizes": {"full": {"url": "http://a/b.png"}, "thumb": {"url": "http://a/a.png"}}},
        });
        let entry = ManifestEntry::of((Kind::Event, 5), "/wp-json", "0a", &record);
        assert_eq!(entry.images, ["http://a/a.png", "http://a/b.png"]);
        assert_eq!((entry.kind.as_str(), entry.slug.as_deref()), ("event", Some("a")));
        assert_eq!(images(&json!(false)), Vec::<String>::new());
    }
}
