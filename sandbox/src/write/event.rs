//! Events.

use jiff::civil::DateTime;

use super::post::{fresh, publish_at, set_texts, settle};
use super::{dates, linked_post, term};
use crate::cost::Cost;
use crate::linked::{self, Entry};
use crate::rest_error::RestError;
use crate::site_call::{Call, items_of, number_of};
use crate::store::{Event, Flags, Post, PostBody, Store};
use calendar_edge_judge::contract::{Action, Kind, Taxonomy};
use calendar_edge_judge::wordpress::value::{Value, numeric};

/// `POST /events`: the number of the new event.
pub(crate) fn create(call: &Call, store: &mut Store) -> Result<u64, RestError> {
    let title = call.text("title").unwrap_or_default();
    let is_blank = |name: &str| call.text(name).is_none_or(|text| text.trim().is_empty());
    if is_blank("title") && is_blank("description") && is_blank("excerpt") {
        return Err(RestError::NoContent);
    }
    let mut event = blank();
    link(call, store, &mut event)?;
    set_own(call, &mut event);
    event.website = call.filled("website");
    let id = store.next_post();
    let mut post = fresh(call, id, PostBody::Event(Box::new(event)));
    post.title = title;
    set_post(call, &mut post);
    settle(call, store, &mut post, call.filled("slug").as_deref());
    store.put_post(post)?;
    Ok(id)
}

/// An update by POST, PUT or PATCH, which mean the same: members that are not sent are reset, with a few
/// exceptions.
pub(crate) fn update(call: &Call, store: &mut Store, id: u64) -> Result<(), RestError> {
    let Some(mut post) = store.post(Kind::Event, id).cloned() else {
        return Err(RestError::NotAccessible(Kind::Event));
    };
    if let PostBody::Event(event) = &mut post.body {
        event.organizers = Vec::new();
        link(call, store, event)?;
        set_own(call, event);
        event.website = Some(call.filled("website").unwrap_or_default());
    }
    if let Some(title) = call.text("title") {
        post.title = title;
    }
    set_post(call, &mut post);
    // By slug the parameter names the event; it renames only where the number does.
    let by_number = call.operation.id.route.path_parameter() == Some("id");
    let wanted = call.filled("slug").filter(|_| by_number);
    settle(call, store, &mut post, wanted.as_deref());
    store.put_post(post)?;
    Ok(())
}

fn blank() -> Event {
    Event {
        start: DateTime::ZERO,
        end: DateTime::ZERO,
        utc_start: DateTime::ZERO,
        utc_end: DateTime::ZERO,
        timezone: String::new(),
        flags: Flags::default(),
        cost: Cost::default(),
        website: None,
        categories: Vec::new(),
        tags: Vec::new(),
        venue: None,
        organizers: Vec::new(),
    }
}

fn set_post(call: &Call, post: &mut Post) {
    set_texts(call, post);
    if let Some(excerpt) = call.text("excerpt") {
        post.excerpt = excerpt;
    }
    post.date = call.wall();
    post.date_utc = Some(call.utc());
    publish_at(call, post);
    post.image = call.number("image");
}

fn set_own(call: &Call, event: &mut Event) {
    let flag = |name: &str| call.flag(name).unwrap_or(false);
    event.flags = Flags {
        all_day: flag("all_day"),
        show_map: flag("show_map"),
        show_map_link: flag("show_map_link"),
        hide_from_listings: flag("hide_from_listings"),
        sticky: flag("sticky"),
        featured: flag("featured"),
    };
    let cost = call.value("cost").filter(|value| !value.is_empty());
    event.cost = cost
        .map(|value| Cost::read(&cost_text(value)))
        .unwrap_or_default();
    dates::set(call, event);
}

/// A cost may be anything; the scalars of an array count together.
fn cost_text(value: &Value) -> String {
    match value {
        Value::Array(_) => items_of(value).join(" - "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            crate::site_call::text_of(value).unwrap_or_default()
        }
    }
}

/// Sets terms, venue and organizers, making those that are new.
fn link(call: &Call, store: &mut Store, event: &mut Event) -> Result<(), RestError> {
    if let Some(value) = call.value("venue")
        && let Some(venue) = venue(call, store, value)?
    {
        event.venue = Some(venue);
    }
    if let Some(value) = call.value("organizer") {
        event.organizers = organizers(call, store, value)?;
    }
    if let Some(value) = call.value("categories") {
        event.categories = terms(store, Taxonomy::Category, value)?;
    }
    if let Some(value) = call.value("tags") {
        event.tags = terms(store, Taxonomy::Tag, value)?;
    }
    Ok(())
}

/// An event has one venue, and a list of one is a list: the plugin fails on the form that it documents.
fn venue(call: &Call, store: &mut Store, value: &Value) -> Result<Option<u64>, RestError> {
    match linked::read(Kind::Venue, value) {
        Entry::Number(id) => Ok(Some(id)),
        Entry::Data(data) => linked_post::from_data(call, store, Kind::Venue, data).map(Some),
        Entry::Nothing if !matches!(value, Value::Array(array) if !array.is_empty()) => Ok(None),
        Entry::Nothing | Entry::List(_) | Entry::Unusable => {
            Err(RestError::Unusable(Kind::Venue, Action::Create))
        }
    }
}

fn organizers(call: &Call, store: &mut Store, value: &Value) -> Result<Vec<u64>, RestError> {
    let unusable = RestError::Unusable(Kind::Organizer, Action::Create);
    let entries = match linked::read(Kind::Organizer, value) {
        Entry::Nothing => return Ok(Vec::new()),
        Entry::Number(id) => return Ok(vec![id]),
        Entry::Data(_) | Entry::Unusable => return Err(unusable),
        Entry::List(entries) => entries,
    };
    let mut ids: Vec<u64> = Vec::new();
    for entry in entries {
        let id = match entry {
            Entry::Nothing => continue,
            Entry::Number(id) => id,
            Entry::Data(data) => linked_post::from_data(call, store, Kind::Organizer, data)?,
            Entry::List(_) | Entry::Unusable => return Err(unusable),
        };
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Terms by number or name; unknown names are made, unknown numbers dropped.
///
/// The plugin has a slip that shows in every client: it turns the name of a tag that exists into its number
/// and then makes a tag of that name. The sandbox does the same, because the site does.
fn terms(store: &mut Store, taxonomy: Taxonomy, value: &Value) -> Result<Vec<u64>, RestError> {
    if value.is_deeper_than(1) {
        return Err(unreadable(taxonomy));
    }
    let mut ids: Vec<u64> = Vec::new();
    for item in items_of(value) {
        let item = item.trim();
        if item.is_empty() {
            continue;
        }
        let id = if numeric::is_numeric(item.as_bytes()) {
            number_of(&Value::text(item)).filter(|id| store.term(taxonomy, *id).is_some())
        } else {
            Some(named_term(store, taxonomy, item)?)
        };
        ids.extend(id.filter(|id| !ids.contains(id)));
    }
    Ok(ids)
}

fn named_term(store: &mut Store, taxonomy: Taxonomy, name: &str) -> Result<u64, RestError> {
    let known = store.term_called(taxonomy, name).map(|term| term.id);
    match (known, taxonomy) {
        (Some(id), Taxonomy::Category) => Ok(id),
        (Some(id), Taxonomy::Tag) => {
            let number = id.to_string();
            let again = store
                .terms(taxonomy)
                .find(|term| term.name == number)
                .map(|term| term.id);
            again.map_or_else(|| term::add(store, taxonomy, &number), Ok)
        }
        (None, _) => term::add(store, taxonomy, name),
    }
}

/// Lists inside lists bring PHP down; here they are refused.
fn unreadable(taxonomy: Taxonomy) -> RestError {
    use calendar_edge_judge::problem::{Fault, InvalidParameter, Problem};
    let name = match taxonomy {
        Taxonomy::Category => "categories",
        Taxonomy::Tag => "tags",
    };
    let fault = Fault::Invalid;
    Problem::Invalid(vec![InvalidParameter { name, fault }]).into()
}
