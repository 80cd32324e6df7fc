//! The members that events, venues and organizers share.

use jiff::civil::DateTime;
use serde_json::{Map, Value as Json, json};

use super::view::{Detail, View};
use super::{event, organizer, venue};
use crate::store::{Post, PostBody};

/// A post of any kind.
pub(crate) fn post(view: &View<'_>, post: &Post, detail: Detail) -> Json {
    match post.body {
        PostBody::Event(_) => event(view, post, detail),
        PostBody::Venue(_) => venue(view, post, detail),
        PostBody::Organizer(_) => organizer(view, post, detail),
    }
}

/// `2027-04-02 19:00:00`
pub(crate) fn stamp(clock: DateTime) -> String {
    // PHP pads the digits of a year and puts the sign before them.
    let sign = if clock.year() < 0 { "-" } else { "" };
    format!(
        "{sign}{:04}{}",
        clock.year().unsigned_abs(),
        clock.strftime("-%m-%d %H:%M:%S")
    )
}

/// The UTC stamp of a record that may never have been published.
fn stamp_or_zero(clock: Option<DateTime>) -> String {
    clock.map_or_else(|| "0000-00-00 00:00:00".to_owned(), stamp)
}

/// `author` to `url`, in the order of every kind.
pub(super) fn provenance(view: &View<'_>, post: &Post) -> Map<String, Json> {
    let mut members = Map::new();
    for (name, value) in [
        ("author", post.author.to_string()),
        ("status", post.status.name().to_owned()),
        ("date", stamp(post.date)),
        ("date_utc", stamp_or_zero(post.date_utc)),
        ("modified", stamp(post.modified)),
        ("modified_utc", stamp_or_zero(post.modified_utc)),
        ("url", view.address.post(post)),
    ] {
        members.insert(name.to_owned(), value.into());
    }
    members
}

/// `global_id` and its lineage.
pub(super) fn lineage(view: &View<'_>, post: &Post) -> Map<String, Json> {
    let id = view.address.global_id(post.id);
    let mut members = Map::new();
    members.insert("global_id".to_owned(), json!(id));
    members.insert("global_id_lineage".to_owned(), json!([id]));
    members
}
