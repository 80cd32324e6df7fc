//! Writes of venues and organizers, on their own routes and inside the data of an event.

use calendar_edge_judge::contract::Kind;
use serde_json::Value;

use super::post;
use crate::call::{Call, number_of, text_of};
use crate::record::{Members, name_member, text};
use crate::refused::Refused;
use crate::store::Store;

const OF_VENUE: [&str; 10] = [
    "description",
    "address",
    "city",
    "country",
    "province",
    "state",
    "zip",
    "phone",
    "website",
    "stateprovince",
];
const OF_ORGANIZER: [&str; 4] = ["description", "phone", "website", "email"];

const fn texts_of(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Venue => &OF_VENUE,
        _ => &OF_ORGANIZER,
    }
}

/// Creates or updates a record: texts that are not sent stay, status and maps are reset.
pub(super) fn write(call: &Call, store: &mut Store, kind: Kind, known: Option<u64>) -> Result<u64, Refused> {
    let name = call.text(name_member(kind));
    if name
        .as_ref()
        .map_or(known.is_none(), |name| name.trim().is_empty())
    {
        return Err(Refused::unusable(kind));
    }
    let (id, mut record) = post::begun(call, store, kind, known)?;
    if kind == Kind::Venue {
        record.insert("stateprovince".to_owned(), "".into());
        for map in ["show_map", "show_map_link"] {
            record.insert(map.to_owned(), call.flag(map).unwrap_or(true).into());
        }
    }
    post::set_texts(call, &mut record, texts_of(kind));
    if let Some(name) = name {
        let member = name_member(kind);
        record.insert(member.to_owned(), post::as_written(call, member, &name).into());
    }
    if call.value("image").is_some() {
        post::set_image(call, store, &mut record)?;
    }
    post::settle(call, store, (kind, id), &mut record);
    store.put(kind, id, record)?;
    Ok(id)
}

/// The record of the data in an event: by its number, by its name, or a new one.
pub(super) fn from_data(call: &Call, store: &mut Store, kind: Kind, data: &Members) -> Result<u64, Refused> {
    if let Some(id) = data.get("id").and_then(number_of) {
        let known = store.get(kind, id).map(|_| id);
        return known.ok_or_else(|| Refused::unusable(kind));
    }
    let sent = |name: &str| data.get(name).and_then(text_of).filter(|text| !text.is_empty());
    let member = name_member(kind);
    let name = sent(member).ok_or_else(|| Refused::unusable(kind))?;
    let name = post::as_written(call, member, &name);
    let is_same = |record: &Members| text(record, "status") != "trash" && text(record, member) == name;
    let same = store
        .all(kind)
        .find(|(_, record)| is_same(record))
        .map(|(id, _)| id);
    if let Some(id) = same {
        return Ok(id);
    }
    let (id, mut record) = post::begun(call, store, kind, None)?;
    record.insert(member.to_owned(), name.into());
    for name in texts_of(kind) {
        let sent = sent(name).map(|sent| post::as_written(call, name, &sent));
        record.extend(sent.map(|sent| ((*name).to_owned(), Value::from(sent))));
    }
    post::settle(call, store, (kind, id), &mut record);
    store.put(kind, id, record)?;
    Ok(id)
}
