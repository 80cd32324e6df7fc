//! The published indexes of other versions of the plugin, and the tables in force that they form.

use std::sync::{Arc, LazyLock};

use calendar_edge_judge::contract::{EventIds, PublishedIndex, TableInForce};

/// The installation whose responses the corpus holds.
pub(crate) const CORPUS_VERSION: &str = "6.10.0";

/// The recorded index of an installation.
pub(crate) fn index_text(version: &str) -> String {
    let path = format!("fixtures/versions/index-{version}.json");
    std::fs::read_to_string(path).expect("the index is in the repository")
}

/// The index with the result of the probe at this installation.
pub(crate) fn published(version: &str) -> PublishedIndex {
    let ids = match version {
        "6.17.2" => EventIds::Numeric,
        _ => EventIds::Existing,
    };
    let index = PublishedIndex::read(index_text(version).as_bytes(), "tribe/events/v1");
    index.expect("an index").with_event_ids(Some(ids))
}

/// The table in force before an installation.
pub(crate) fn table_of(version: &str) -> Arc<TableInForce> {
    Arc::new(TableInForce::over(&published(version)))
}

/// The table in force before the installation of the corpus.
pub(crate) fn corpus_table() -> Arc<TableInForce> {
    static TABLE: LazyLock<Arc<TableInForce>> = LazyLock::new(|| table_of(CORPUS_VERSION));
    Arc::clone(&TABLE)
}
