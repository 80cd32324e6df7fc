//! Venues and organizers, on their own routes and inside the data of an event.

use super::post::{fresh, publish_at, set_texts, settle};
use crate::linked::{name_member, name_of};
use crate::rest_error::RestError;
use crate::site_call::{Call, number_of, text_of};
use crate::store::{Organizer, Post, PostBody, PostStatus, Store, Venue};
use calendar_edge_judge::contract::{Action, Kind};
use calendar_edge_judge::wordpress::value::PhpArray;

/// `POST /venues`, `POST /organizers`: the number of the new record, or of one that is the same already.
pub(crate) fn create(call: &Call, store: &mut Store, kind: Kind) -> Result<u64, RestError> {
    let name = call.text(name_member(kind)).unwrap_or_default();
    if name.trim().is_empty() {
        return Err(RestError::Unusable(kind, Action::Create));
    }
    let mut body = blank(kind);
    set_texts_of(&mut body, |field| call.text(field));
    set_maps(call, &mut body);
    if let Some(same) = same(store, kind, &name, &body) {
        return Ok(same);
    }
    let id = store.next_post();
    let mut post = fresh(call, id, body);
    post.title = name;
    set_texts(call, &mut post);
    post.image = call.number("image");
    publish_at(call, &mut post);
    settle(call, store, &mut post, None);
    store.put_post(post)?;
    Ok(id)
}

/// An update: texts that are not sent stay, status and maps are reset.
pub(crate) fn update(call: &Call, store: &mut Store, kind: Kind, id: u64) -> Result<(), RestError> {
    let Some(mut post) = store.post(kind, id).cloned() else {
        return Err(RestError::NotAccessible(kind));
    };
    if let Some(name) = call.text(name_member(kind)) {
        if name.trim().is_empty() {
            return Err(RestError::Unusable(kind, Action::Update));
        }
        post.title = name;
    }
    if let PostBody::Venue(venue) = &mut post.body {
        venue.stateprovince = String::new();
    }
    set_texts_of(&mut post.body, |field| call.text(field));
    set_maps(call, &mut post.body);
    set_texts(call, &mut post);
    if call.value("image").is_some() {
        post.image = call.number("image");
    }
    publish_at(call, &mut post);
    settle(call, store, &mut post, None);
    store.put_post(post)?;
    Ok(())
}

/// The record that the data inside an event describe.
pub(super) fn from_data(
    call: &Call,
    store: &mut Store,
    kind: Kind,
    data: &PhpArray,
) -> Result<u64, RestError> {
    let name = name_of(kind, data).unwrap_or_default();
    if name.trim().is_empty() {
        return Err(RestError::Unusable(kind, Action::Create));
    }
    let field = |name: &str| data.get(name).and_then(text_of);
    let mut body = blank(kind);
    set_texts_of(&mut body, field);
    if let Some(same) = same(store, kind, &name, &body) {
        return Ok(same);
    }
    let id = store.next_post();
    let mut post = fresh(call, id, body);
    post.title = name;
    post.author = call.user.id();
    post.description = field("description").unwrap_or_default();
    post.image = data.get("image").and_then(number_of);
    post.status = field("status")
        .and_then(|name| PostStatus::named(&name))
        .unwrap_or(PostStatus::Publish);
    let slug = crate::slug::from_title(&post.title);
    post.slug = store.free_post_slug(kind, &slug, id);
    store.put_post(post)?;
    Ok(id)
}

fn blank(kind: Kind) -> PostBody {
    match kind {
        Kind::Organizer => PostBody::Organizer(Organizer::default()),
        Kind::Event | Kind::Venue | Kind::Category | Kind::Tag => PostBody::Venue(Box::new(Venue {
            show_map: true,
            show_map_link: true,
            ..Venue::default()
        })),
    }
}

fn set_texts_of(body: &mut PostBody, sent: impl Fn(&str) -> Option<String>) {
    for (name, text) in fields(body) {
        if let Some(sent) = sent(name) {
            *text = sent;
        }
    }
}

/// The text members of a body, by their names in requests.
fn fields(body: &mut PostBody) -> Vec<(&'static str, &mut String)> {
    match body {
        PostBody::Venue(venue) => vec![
            ("address", &mut venue.address),
            ("city", &mut venue.city),
            ("country", &mut venue.country),
            ("province", &mut venue.province),
            ("state", &mut venue.state),
            ("zip", &mut venue.zip),
            ("phone", &mut venue.phone),
            ("website", &mut venue.website),
            ("stateprovince", &mut venue.stateprovince),
        ],
        PostBody::Organizer(organizer) => vec![
            ("phone", &mut organizer.phone),
            ("website", &mut organizer.website),
            ("email", &mut organizer.email),
        ],
        PostBody::Event(_) => Vec::new(),
    }
}

/// The maps of a venue: texts that PHP calls true or false, and true when they are not sent.
fn set_maps(call: &Call, body: &mut PostBody) {
    if let PostBody::Venue(venue) = body {
        venue.show_map = call.flag("show_map").unwrap_or(true);
        venue.show_map_link = call.flag("show_map_link").unwrap_or(true);
    }
}

/// A record of the same name that agrees with everything that was sent.
fn same(store: &Store, kind: Kind, name: &str, wanted: &PostBody) -> Option<u64> {
    let mut wanted = wanted.clone();
    let wanted: Vec<String> = fields(&mut wanted)
        .into_iter()
        .map(|(_, text)| text.clone())
        .collect();
    let agrees = |post: &&Post| {
        let mut body = post.body.clone();
        let known = fields(&mut body);
        known
            .iter()
            .zip(&wanted)
            .all(|((_, known), wanted)| wanted.is_empty() || *known == wanted)
    };
    let named = store
        .posts(kind)
        .filter(|post| post.title == name && post.status != PostStatus::Trash);
    named.into_iter().find(agrees).map(|post| post.id)
}
