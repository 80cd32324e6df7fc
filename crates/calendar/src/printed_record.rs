//! The change of a record that the API prints into one that is stored.

use calendar_edge_judge::contract::Kind;
use serde_json::{Value, json};

use crate::record::{Members, TERM_ROWS};
use crate::store::Change;

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
