//! The members of a record, and how a printed record becomes one that is stored.

use calendar_edge_judge::contract::Kind;
use serde_json::{Value, json};

#[cfg(feature = "site")]
use crate::store::Change;
use crate::store::Members;

#[cfg(feature = "site")]
/// Members that follow from others. They are printed for each response, and not stored.
const DERIVED: [&str; 9] = [
    "rest_url",
    "json_ld",
    "urls",
    "_links",
    "_embedded",
    "start_date_details",
    "end_date_details",
    "utc_start_date_details",
    "utc_end_date_details",
];

/// The member with the password of an event, which is never printed.
pub(crate) const PASSWORD: &str = "password";

/// The member of a term that says how many of its events are not known to have it, such as those behind a password.
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

/// Whether a password hides the text of an event. One that was read without its password has no switches.
pub(crate) fn has_password(record: &Members) -> bool {
    !text(record, PASSWORD).is_empty() || record.get("all_day") == Some(&Value::Null)
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

#[cfg(feature = "site")]
/// A record as the API prints it, in a list or alone, with those inside of it that no list shows; none if it is no
/// record.
pub(crate) fn of_printed(kind: Kind, printed: Value) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    for (kind, name) in [(Kind::Venue, "venue"), (Kind::Organizer, "organizer")] {
        let inside = match &printed[name] {
            Value::Array(several) => several.iter().collect(),
            one => vec![one],
        };
        let unpublished = inside
            .into_iter()
            .filter(|one| one["status"].as_str().is_some_and(|status| status != "publish"));
        changes.extend(unpublished.filter_map(|one| record_of(kind, one.clone())));
    }
    changes.push(record_of(kind, printed)?);
    Some(changes)
}

#[cfg(feature = "site")]
fn record_of(kind: Kind, printed: Value) -> Option<Change> {
    let Value::Object(mut members) = printed else {
        return None;
    };
    members.retain(|name, _| !DERIVED.contains(&name.as_str()));
    if kind == Kind::Event {
        let mut rows = Members::new();
        for name in ["categories", "tags", "organizer"] {
            let several = members.get(name).and_then(Value::as_array).into_iter().flatten();
            let told = several.clone().filter(|one| one["term_taxonomy_id"].is_u64());
            rows.extend(told.map(|one| (one["id"].to_string(), one["term_taxonomy_id"].clone())));
            let several: Vec<u64> = several.filter_map(|one| one["id"].as_u64()).collect();
            members.insert(name.to_owned(), several.into());
        }
        members.insert(TERM_ROWS.to_owned(), rows.into());
        let venue = members.get("venue").map(|venue| match venue {
            Value::Array(several) => several.iter().map(|venue| venue["id"].clone()).collect(),
            one => one["id"].clone(),
        });
        let venue = venue.filter(|venue| *venue != json!([]));
        members.insert("venue".to_owned(), venue.unwrap_or_default());
    }
    Some(Change {
        kind,
        id: members.get("id")?.as_u64()?,
        record: Some(members),
    })
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
