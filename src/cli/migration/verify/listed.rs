//! Records that a list names, and the calls that read them.

use std::fmt::Write as _;

use calendar_edge_core::migration::comparison::DifferenceClass;
use calendar_edge_judge::contract::Kind;
use serde::Serialize;
use serde_json::Value;

/// The place of a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct RecordKey {
    pub(super) root: String,
    pub(super) kind: String,
    pub(super) id: u64,
}

/// A record that a list names, and what its comparison has found.
#[derive(Debug, Clone, Serialize)]
pub(super) struct VerifiedRecord {
    #[serde(flatten)]
    pub(super) key: RecordKey,
    pub(super) slug: Option<String>,
    /// The time of the last change; terms do not have it.
    pub(super) modified: Option<String>,
    /// The site's status.
    pub(super) status: u16,
    /// The worst class of all its reads.
    pub(super) class: DifferenceClass,
    /// The paths that are worse than what is accepted.
    pub(super) paths: Vec<String>,
}

/// The number of records that were compared, and of those that are equal.
#[derive(Debug, Default, Serialize)]
pub(super) struct WalkSummary {
    pub(super) records: u64,
    pub(super) equal: u64,
}

// === impl VerifiedRecord ===

impl VerifiedRecord {
    /// Reads an item of a list, which was not compared yet; none if it has no number.
    pub(super) fn listed(root: &str, kind: Kind, item: &Value) -> Option<Self> {
        let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            key: RecordKey {
                root: root.to_owned(),
                kind: kind.collection().to_owned(),
                id: item.get("id")?.as_u64()?,
            },
            slug: text("slug").filter(|slug| !slug.is_empty()),
            modified: text("modified_utc"),
            status: 0,
            class: DifferenceClass::Identical,
            paths: Vec::new(),
        })
    }
}

/// The paths of the reads of a record below the namespace: by number, and by slug where its kind has such a route.
pub(super) fn record_paths(kind: Kind, record: &VerifiedRecord, has_credentials: bool) -> Vec<String> {
    let collection = kind.collection();
    // An account that may edit an event with a password reads it so.
    let context = if has_credentials && kind == Kind::Event {
        "?context=edit"
    } else {
        ""
    };
    let mut paths = vec![format!("{collection}/{}{context}", record.key.id)];
    if let Some(slug) = record.slug.as_deref().filter(|_| !kind.is_term()) {
        paths.push(format!("{collection}/by-slug/{}", segment(slug)));
    }
    paths
}

/// A slug as one segment of a path. WordPress keeps the escapes of slugs, which are part of them.
fn segment(slug: &str) -> String {
    let mut segment = String::with_capacity(slug.len());
    for byte in slug.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'%') {
            segment.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(segment, "%{byte:02x}");
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_names_a_record_and_how_to_read_it() {
        let item = json!({"id": 7, "slug": "k%c3%b8ge", "modified_utc": "2026-11-20 08:39:45"});
        let venue = VerifiedRecord::listed("/wp-json", Kind::Venue, &item).unwrap();
        let both = ["venues/7", "venues/by-slug/k%c3%b8ge"];
        assert_eq!(record_paths(Kind::Venue, &venue, true), both);
        let event = VerifiedRecord { slug: None, ..venue };
        assert_eq!(record_paths(Kind::Event, &event, true), ["events/7?context=edit"]);
        assert_eq!(record_paths(Kind::Event, &event, false), ["events/7"]);
        assert!(VerifiedRecord::listed("/wp-json", Kind::Tag, &json!({"slug": "x"})).is_none());
    }
}
