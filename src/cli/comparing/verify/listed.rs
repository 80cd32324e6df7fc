//! The records that a page of a list names, and the calls that read them.

use std::fmt::Write as _;

use calendar_edge_judge::contract::Kind;
use serde_json::{Map, Value};

/// The records of a page, and the number of pages.
#[derive(Debug, Default)]
pub(super) struct ListedPage {
    pub(super) records: Vec<ListedRecord>,
    pub(super) pages: u64,
    pub(super) total: u64,
}

/// A record as a list names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedRecord {
    pub(super) kind: Kind,
    pub(super) id: u64,
    pub(super) slug: Option<String>,
    /// When it was last changed; terms do not say.
    pub(super) modified: Option<String>,
}

// === impl ListedPage ===

impl ListedPage {
    /// Reads the body of a list; an empty page if it is none.
    pub(super) fn read(kind: Kind, body: &[u8]) -> Self {
        let list: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
        let items = list.get(kind.collection()).and_then(Value::as_array);
        let records = items.into_iter().flatten();
        let number = |name: &str| list.get(name).and_then(Value::as_u64).unwrap_or_default();
        Self {
            records: records
                .filter_map(|item| ListedRecord::read(kind, item))
                .collect(),
            pages: number("total_pages"),
            total: number("total"),
        }
    }
}

// === impl ListedRecord ===

impl ListedRecord {
    fn read(kind: Kind, item: &Value) -> Option<Self> {
        let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            kind,
            id: item.get("id")?.as_u64()?,
            slug: text("slug").filter(|slug| !slug.is_empty()),
            modified: text("modified_utc"),
        })
    }

    /// The paths of its reads below the namespace: by number, and by slug where the kind has such a route.
    pub(super) fn paths(&self, has_credentials: bool) -> Vec<String> {
        let collection = self.kind.collection();
        // Who may edit an event with a password reads it so.
        let context = if has_credentials && self.kind == Kind::Event {
            "?context=edit"
        } else {
            ""
        };
        let mut paths = vec![format!("{collection}/{}{context}", self.id)];
        if let Some(slug) = self.slug.as_deref().filter(|_| !self.kind.is_term()) {
            paths.push(format!("{collection}/by-slug/{}", segment(slug)));
        }
        paths
    }
}

/// The queries of the lists that together name every record of a kind that a caller may see, without the page.
///
/// The trash is never listed by itself.
pub(super) fn lists(kind: Kind, has_credentials: bool) -> Vec<String> {
    let all = kind.whole_list();
    let mut queries = vec![all.to_owned()];
    if has_credentials && !kind.is_term() {
        queries.push(format!("{all}&status=trash"));
    }
    queries
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
    use super::*;

    #[test]
    fn a_page_names_its_records_and_how_to_read_them() {
        let body = br#"{"venues":[{"id":7,"slug":"k%c3%b8ge","modified_utc":"2026-11-20 08:39:45"},{"slug":"x"}],"total":8,"total_pages":3}"#;
        let page = ListedPage::read(Kind::Venue, body);
        assert_eq!((page.records.len(), page.pages, page.total), (1, 3, 8));
        let paths = page.records[0].paths(true);
        assert_eq!(paths, ["venues/7", "venues/by-slug/k%c3%b8ge"]);
        let event = ListedRecord {
            kind: Kind::Event,
            slug: None,
            ..page.records[0].clone()
        };
        assert_eq!(event.paths(true), ["events/7?context=edit"]);
        assert_eq!(event.paths(false), ["events/7"]);
        assert!(ListedPage::read(Kind::Tag, b"<html>").records.is_empty());
    }
}
