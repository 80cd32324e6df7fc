//! The body of the write that copies a record to the site.

use std::collections::BTreeSet;

use calendar_edge_judge::contract::{Action, Kind, Operation, table};
use serde_json::{Value, json};

use crate::outbox::Key;
use crate::record::{Members, ids, text};

/// A record as it is sent.
#[derive(Debug)]
pub(crate) struct Parcel {
    pub(crate) key: Key,
    /// The arguments of an update; none: the record is deleted.
    pub(crate) changed: Option<Members>,
    /// The arguments that create it where the site has none; none: it is not missed there. A post in the trash is: other
    /// records name it.
    pub(crate) whole: Option<Members>,
    pub(crate) write: u64,
}

/// The members of an event that a write may leave out; it resets all others.
const KEPT: &str = "title description excerpt slug author categories tags venue";

/// The arguments that give the site's record these members: those that have changed, and those that it would reset.
/// Texts that have not changed stay away, because the site has them as they were typed. With `None` all are given.
pub(crate) fn arguments(kind: Kind, record: &Members, changed: Option<&BTreeSet<String>>) -> Members {
    let creates =
        |operation: &&Operation| operation.id.kind() == Some(kind) && operation.id.action == Action::Create;
    let known = table().operations().iter().find(creates);
    let known =
        |name: &str| known.is_some_and(|known| known.arguments.iter().any(|known| known.name == name));
    let is_reset = |name: &str| match kind {
        Kind::Event => KEPT.split(' ').all(|kept| kept != name),
        _ => matches!(name, "status" | "show_map" | "show_map_link"),
    };
    let is_given = |name: &str, value: &Value| match changed {
        Some(changed) => is_reset(name) || changed.contains(name),
        None => value != "",
    };
    let given = record
        .iter()
        .filter(|(name, value)| known(name) && is_given(name, value));
    given
        .filter_map(|(name, value)| Some((name.clone(), argument(kind, record, name, value)?)))
        .collect()
}

/// A member as an argument; none where the site shall take its default.
fn argument(kind: Kind, record: &Members, name: &str, value: &Value) -> Option<Value> {
    match name {
        // The site fetches an image that it does not have.
        "image" => match (value["id"].as_u64(), &value["url"]) {
            (Some(id), _) if value["sizes"].is_object() || value["width"].is_u64() => {
                Some(id.to_string().into())
            }
            (_, Value::String(url)) => Some(url.as_str().into()),
            _ => None,
        },
        // A page of its own is no website.
        "website" if value.is_null() || value.as_str() == Some(text(record, "url")) => None,
        "date" if text(record, "date_utc").starts_with("0000") => None,
        "date_utc" => None,
        // The API takes one venue only, and leaves several as they are.
        "venue" if kind == Kind::Event => value.as_u64().map(Value::from),
        "organizer" if kind == Kind::Event => Some(value.clone()).filter(|ids| *ids != json!([])),
        "show_map" | "show_map_link" if kind == Kind::Venue => Some(value.to_string().into()),
        "parent" if kind == Kind::Tag || value == 0 => None,
        // The API refuses these where they are empty, and others are so without it.
        "title" | "description" | "excerpt" | "slug" | "name" if value == "" => None,
        _ => Some(value.clone()),
    }
}

/// The records that a record names, which the site must have before it.
pub(crate) fn names((kind, record): (Kind, &Members)) -> Vec<(Kind, u64)> {
    let of = |kind: Kind, member: &str| ids(record, member).into_iter().map(move |id| (kind, id));
    match kind {
        Kind::Event => {
            let terms = of(Kind::Category, "categories").chain(of(Kind::Tag, "tags"));
            terms
                .chain(of(Kind::Venue, "venue"))
                .chain(of(Kind::Organizer, "organizer"))
                .collect()
        }
        Kind::Category => of(Kind::Category, "parent").collect(),
        Kind::Venue | Kind::Organizer | Kind::Tag => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(value: Value) -> Members {
        match value {
            Value::Object(members) => members,
            _ => Members::new(),
        }
    }

    #[test]
    fn texts_that_have_not_changed_stay_away() {
        let event = members(json!({
            "id": 5, "title": "A", "description": "<p>typed otherwise</p>", "url": "http://wp.example/a/",
            "website": "http://wp.example/a/", "date": "2027-01-01 10:00:00", "date_utc": "2027-01-01 09:00:00",
            "cost": "5", "venue": 7, "organizer": [], "tags": [3], "image": {"id": 9, "width": 5, "url": "x"},
        }));
        let changed = BTreeSet::from(["title".to_owned(), "tags".to_owned()]);
        let expected = json!({
            "title": "A", "date": "2027-01-01 10:00:00", "cost": "5", "tags": [3], "image": "9",
        });
        assert_eq!(
            Value::from(arguments(Kind::Event, &event, Some(&changed))),
            expected
        );
        let all = arguments(Kind::Event, &event, None);
        assert_eq!(
            (&all["description"], &all["venue"]),
            (&json!("<p>typed otherwise</p>"), &json!(7))
        );
        assert_eq!(names((Kind::Event, &event)), [(Kind::Tag, 3), (Kind::Venue, 7)]);
    }

    #[test]
    fn maps_of_a_venue_are_texts_and_a_fetched_image_is_an_address() {
        let image = json!({"url": "https://a.example/b.png", "id": 100_000, "extension": "png"});
        let venue = members(json!({"venue": "V", "show_map": false, "status": "publish", "image": image}));
        let expected = json!({
            "venue": "V", "show_map": "false", "status": "publish", "image": "https://a.example/b.png",
        });
        assert_eq!(Value::from(arguments(Kind::Venue, &venue, None)), expected);
    }
}
