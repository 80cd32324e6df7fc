//! The part of a write that events, venues and organizers share.

use calendar_edge_judge::contract::Kind;
use http::StatusCode;
use serde_json::json;

use crate::call::Call;
use crate::dates::{of_stamp, of_utc, stamp, to_utc};
use crate::html;
use crate::record::{Members, blank, name_member, number, text};
use crate::refused::Refused;
use crate::slug;
use crate::store::Store;

/// The end of a trashed post's slug.
const TRASHED: &str = "__trashed";

/// The statuses of posts.
pub(crate) const STATUSES: [&str; 8] = [
    "publish",
    "future",
    "draft",
    "pending",
    "private",
    "trash",
    "auto-draft",
    "inherit",
];

/// The UTC time of what was never published.
const NEVER: &str = "0000-00-00 00:00:00";

/// The record that is written: a copy of a known one, or a new one.
pub(super) fn begun(
    call: &Call,
    store: &Store,
    kind: Kind,
    known: Option<u64>,
) -> Result<(u64, Members), Refused> {
    if let Some(id) = known {
        let record = store.get(kind, id).cloned();
        return Ok((id, record.ok_or_else(|| Refused::invalid("id"))?));
    }
    let id = store.next_number(kind)?;
    let mut record = blank(kind, id);
    let pages = call.pages.as_str();
    let site = pages.split_once("://").map_or(pages, |(_, host)| host);
    let global = format!("{site}?id={id}");
    record.insert("global_id".to_owned(), global.clone().into());
    record.insert("global_id_lineage".to_owned(), json!([global]));
    let author = call.caller.id.unwrap_or(0).to_string();
    record.insert("author".to_owned(), author.into());
    Ok((id, record))
}

/// Sets the texts that a call sends, by the names of its arguments.
pub(super) fn set_texts(call: &Call, record: &mut Members, names: &[&str]) {
    for name in names {
        if let Some(sent) = call.text(name) {
            record.insert((*name).to_owned(), as_written(call, name, &sent).into());
        }
    }
    if let Some(author) = call.number("author") {
        record.insert("author".to_owned(), author.to_string().into());
    }
}

/// A text of a post as it is kept. WordPress lets administrators and editors write any HTML, and no other account.
pub(super) fn as_written(call: &Call, name: &str, sent: &str) -> String {
    let text = if call.caller.reads_all() {
        sent.to_owned()
    } else {
        html::permitted(sent)
    };
    match name {
        "description" | "excerpt" => html::paragraphs(&text),
        _ => text,
    }
}

/// Sets the image by its number, which a record must show already, or by the address of its file, which stays there.
pub(super) fn set_image(call: &Call, store: &Store, record: &mut Members) -> Result<(), Refused> {
    let image = match call.filled("image") {
        Some(sent) if sent.starts_with("http") => {
            let path = sent.split(['?', '#']).next().unwrap_or_default();
            let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
            // The record may be new, and its number not be taken yet.
            let id = store.next_number(Kind::Event)?.max(number(record, "id") + 1);
            json!({"url": sent, "id": id, "extension": extension})
        }
        Some(_) => {
            let image = call.number("image").and_then(|id| store.image(id));
            image.cloned().ok_or_else(|| Refused::invalid("image"))?
        }
        None => false.into(),
    };
    record.insert("image".to_owned(), image);
    Ok(())
}

/// Sets the publication: the dates that a call sends, or those that were, and the status that it names.
pub(super) fn settle(call: &Call, store: &Store, (kind, id): (Kind, u64), record: &mut Members) {
    let is_new = store.get(kind, id).is_none();
    let utc = call.date("date_utc");
    let sent = call
        .date("date")
        .or_else(|| utc.map(|utc| of_utc(&call.zone, utc)));
    // An update of an event publishes it anew unless it has a date.
    let resets = is_new || kind == Kind::Event || text(record, "date").is_empty();
    let date = match sent {
        Some(date) => date,
        None if resets => call.wall(),
        None => of_stamp(text(record, "date")),
    };
    let status = status(call, stamp(date) > stamp(call.wall()));
    let is_undated = matches!(status, "draft" | "pending" | "auto-draft");
    let date_utc = if is_undated {
        NEVER.to_owned()
    } else {
        stamp(utc.unwrap_or_else(|| to_utc(&call.zone, date)))
    };
    for (name, value) in [
        ("status", status.to_owned()),
        ("date", stamp(if is_undated { call.wall() } else { date })),
        ("date_utc", date_utc),
        ("modified", stamp(call.wall())),
        ("modified_utc", stamp(call.utc())),
    ] {
        record.insert(name.to_owned(), value.into());
    }
    settle_slug(call, store, (kind, id), record, is_undated);
    set_address((kind, id), record, &call.pages);
}

/// The status that a call names, or the default. Contributors publish nothing, and nothing is published before its
/// date.
fn status(call: &Call, is_ahead: bool) -> &'static str {
    let asked = call.text("status");
    let asked = asked.and_then(|asked| STATUSES.into_iter().find(|known| *known == asked));
    let may_publish = call.caller.may_publish();
    match asked {
        None if !may_publish => "draft",
        Some("publish" | "future") if !may_publish => "pending",
        None | Some("publish" | "future") if is_ahead => "future",
        None | Some("publish" | "future") => "publish",
        Some(other) => other,
    }
}

/// A slug that the call names, or one of the name once the post is dated; unique among its kind.
fn settle_slug(call: &Call, store: &Store, (kind, id): (Kind, u64), record: &mut Members, is_undated: bool) {
    let known = text(record, "slug");
    let known = known.strip_suffix(TRASHED).unwrap_or(known).to_owned();
    // By slug the argument names the record; it renames only where the number does.
    let renames = call.operation.id.route.path_parameter() != Some("slug");
    let asked = call
        .filled("slug")
        .filter(|_| renames)
        .map(|asked| slug::of(&asked));
    let wanted = match asked.filter(|asked| !asked.is_empty()) {
        Some(asked) => asked,
        None if !known.is_empty() => known,
        None if is_undated => String::new(),
        None => slug::of_or_number(text(record, name_member(kind)), id),
    };
    let free = if wanted.is_empty() {
        wanted
    } else {
        store.free_slug(kind, &wanted, id)
    };
    let is_trashed = text(record, "status") == "trash";
    let end = if is_trashed { TRASHED } else { "" };
    record.insert("slug".to_owned(), format!("{free}{end}").into());
}

/// The page of a post: pretty once it is published, by number before.
fn set_address((kind, id): (Kind, u64), record: &mut Members, pages: &str) {
    let base = kind.singular();
    let url = if matches!(text(record, "status"), "publish" | "private") {
        format!("{pages}/{base}/{}/", text(record, "slug"))
    } else if kind == Kind::Event {
        format!("{pages}/?post_type=tribe_events&p={id}")
    } else {
        format!("{pages}/?post_type=tribe_{base}&p={id}")
    };
    record.insert("url".to_owned(), url.into());
}

/// Puts a post into the trash, once.
pub(super) fn trash(call: &Call, store: &mut Store, kind: Kind, id: u64) -> Result<(), Refused> {
    let record = store.get(kind, id).cloned();
    let mut record = record.ok_or_else(|| Refused::invalid("id"))?;
    if text(&record, "status") == "trash" {
        return Err(Refused::in_trash(kind));
    }
    let slug = format!("{}{TRASHED}", text(&record, "slug"));
    for (name, value) in [
        ("status", "trash".to_owned()),
        ("slug", slug),
        ("modified", stamp(call.wall())),
        ("modified_utc", stamp(call.utc())),
    ] {
        record.insert(name.to_owned(), value.into());
    }
    set_address((kind, id), &mut record, &call.pages);
    Ok(store.put(kind, id, record)?)
}

/// A record needs a name.
pub(super) fn no_content() -> Refused {
    let message = "Content, title, and excerpt are empty.";
    Refused::new(StatusCode::BAD_REQUEST, "empty_content", message)
}
