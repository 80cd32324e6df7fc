//! The calls that read a record which a list names.

use std::fmt::Write as _;

use calendar_edge_judge::contract::Kind;

use super::manifest::VerifiedRecord;

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
