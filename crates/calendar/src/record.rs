//! The members of a record.

use calendar_edge_judge::contract::Kind;
use serde_json::{Map, Value, json};

/// The members of a record.
pub(crate) type Members = Map<String, Value>;

/// The member with the password of an event, which is never printed.
pub(crate) const PASSWORD: &str = "password";

/// The member of an event that was read whole, and whose password is not known.
pub(crate) const LOCKED: &str = "locked";

/// The member of a term with the number of its events that are not known to have it, such as those behind a password.
pub(crate) const UNSEEN: &str = "unseen";

/// The member of an event that has the numbers of its terms' rows in WordPress's database.
pub(crate) const TERM_ROWS: &str = "term_rows";

pub(crate) fn text<'a>(record: &'a Members, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn number(record: &Members, name: &str) -> u64 {
    record.get(name).and_then(Value::as_u64).unwrap_or(0)
}

/// The numbers of the records that a member names: one, or several.
pub(crate) fn ids(record: &Members, name: &str) -> Vec<u64> {
    match record.get(name) {
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_u64).collect(),
        Some(one) => one.as_u64().into_iter().collect(),
        None => Vec::new(),
    }
}

/// True if a password hides the text of an event. One that was read without its password has no switches.
pub(crate) fn has_password(record: &Members) -> bool {
    !text(record, PASSWORD).is_empty()
        || record.contains_key(LOCKED)
        || record.get("all_day") == Some(&Value::Null)
}

/// The member that is the name of a kind's records.
pub(crate) const fn name_member(kind: Kind) -> &'static str {
    match kind {
        Kind::Event => "title",
        Kind::Venue => "venue",
        Kind::Organizer => "organizer",
        Kind::Category | Kind::Tag => "name",
    }
}

/// A new record of a kind, with its members in the order of the API.
pub(crate) fn blank(kind: Kind, id: u64) -> Members {
    let record = match kind {
        Kind::Event => json!({
            "id": id, "global_id": "", "global_id_lineage": [], "author": "", "status": "", "date": "",
            "date_utc": "", "modified": "", "modified_utc": "", "url": "", "title": "", "description": "",
            "excerpt": "", "slug": "", "image": false, "all_day": false, "start_date": "", "end_date": "",
            "utc_start_date": "", "utc_end_date": "", "timezone": "", "timezone_abbr": "", "cost": "",
            "cost_details": {}, "website": null, "show_map": false, "show_map_link": false,
            "hide_from_listings": false, "sticky": false, "featured": false, "categories": [], "tags": [],
            "venue": null, "organizer": [],
        }),
        Kind::Venue => json!({
            "id": id, "author": "", "status": "", "date": "", "date_utc": "", "modified": "", "modified_utc": "",
            "url": "", "venue": "", "description": "", "slug": "", "image": false, "address": "", "city": "",
            "country": "", "province": "", "state": "", "zip": "", "phone": "", "website": "",
            "stateprovince": "", "show_map": true, "show_map_link": true, "global_id": "",
            "global_id_lineage": [],
        }),
        Kind::Organizer => json!({
            "id": id, "author": "", "status": "", "date": "", "date_utc": "", "modified": "", "modified_utc": "",
            "url": "", "organizer": "", "description": "", "slug": "", "image": false, "phone": "",
            "website": "", "email": "", "global_id": "", "global_id_lineage": [],
        }),
        Kind::Category => json!({
            "id": id, "count": 0, "description": "", "name": "", "slug": "", "taxonomy": "tribe_events_cat",
            "parent": 0, "meta": [], "url": "",
        }),
        Kind::Tag => json!({
            "id": id, "count": 0, "description": "", "name": "", "slug": "", "taxonomy": "post_tag",
            "meta": [], "url": "",
        }),
    };
    match record {
        Value::Object(members) => members,
        _ => Members::new(),
    }
}
