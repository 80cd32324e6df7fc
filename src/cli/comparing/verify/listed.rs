//! A record that a list names, and the calls that read it.

use std::fmt::Write as _;

use calendar_edge_judge::contract::Kind;
use serde_json::Value;

/// A record as a list names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedRecord {
    pub(super) kind: Kind,
    pub(super) id: u64,
    pub(super) slug: Option<String>,
    /// When it was last changed; terms do not say.
    pub(super) modified: Option<String>,
}

// === impl ListedRecord ===

impl ListedRecord {
    /// Reads an item of a list; none if it has no number.
    pub(super) fn read(kind: Kind, item: &Value) -> Option<Self> {
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
        let venue = ListedRecord::read(Kind::Venue, &item).unwrap();
        assert_eq!(venue.paths(true), ["venues/7", "venues/by-slug/k%c3%b8ge"]);
        let event = ListedRecord {
            kind: Kind::Event,
            slug: None,
            ..venue
        };
        assert_eq!(event.paths(true), ["events/7?context=edit"]);
        assert_eq!(event.paths(false), ["events/7"]);
        assert_eq!(ListedRecord::read(Kind::Tag, &json!({"slug": "x"})), None);
    }
}
