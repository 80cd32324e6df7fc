//! Venues and organizers.

use serde_json::{Map, Value as Json, json};

use super::post::{lineage, provenance};
use super::schema_org;
use super::view::{Detail, View};
use crate::store::{Organizer, Post, PostBody, Venue};
use crate::{image, markup};

/// A venue; nothing for a post of another kind.
pub(crate) fn venue(view: &View<'_>, post: &Post, detail: Detail) -> Json {
    let PostBody::Venue(venue) = &post.body else {
        return json!([]);
    };
    let mut members = opening(view, post, "venue");
    texts(
        &mut members,
        &[
            ("address", &venue.address),
            ("city", &venue.city),
            ("country", &venue.country),
            ("province", &venue.province),
            ("state", &venue.state),
            ("zip", &venue.zip),
            ("phone", &venue.phone),
            ("website", &venue.website),
            ("stateprovince", region(venue)),
        ],
    );
    if detail == Detail::Read {
        members.insert("json_ld".to_owned(), schema_org::place(post, venue));
    }
    members.insert("show_map".to_owned(), venue.show_map.into());
    members.insert("show_map_link".to_owned(), venue.show_map_link.into());
    members.extend(lineage(view, post));
    Json::Object(members)
}

/// An organizer; nothing for a post of another kind.
pub(crate) fn organizer(view: &View<'_>, post: &Post, detail: Detail) -> Json {
    let PostBody::Organizer(organizer) = &post.body else {
        return json!([]);
    };
    let mut members = opening(view, post, "organizer");
    let Organizer {
        phone,
        website,
        email,
    } = organizer;
    texts(
        &mut members,
        &[("phone", phone), ("website", website), ("email", email)],
    );
    if detail == Detail::Read {
        members.insert("json_ld".to_owned(), schema_org::person(post, organizer));
    }
    members.extend(lineage(view, post));
    Json::Object(members)
}

/// The text for both state and province.
pub(super) fn region(venue: &Venue) -> &String {
    [&venue.stateprovince, &venue.state]
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or(&venue.province)
}

/// `id` to `image`.
fn opening(view: &View<'_>, post: &Post, name: &str) -> Map<String, Json> {
    let mut members = Map::new();
    members.insert("id".to_owned(), post.id.into());
    members.extend(provenance(view, post));
    members.insert(name.to_owned(), markup::title(&post.title).into());
    if post.description != "0" {
        texts(
            &mut members,
            &[("description", &markup::paragraphs(&post.description))],
        );
    }
    texts(&mut members, &[("slug", &post.slug)]);
    if let Some(image) = post.image.and_then(|id| image::to_json(id, view.address)) {
        members.insert("image".to_owned(), image);
    }
    members
}

/// Texts that say something; PHP's idea of empty leaves out `0` as well.
fn texts(members: &mut Map<String, Json>, texts: &[(&str, &String)]) {
    for (name, text) in texts {
        if !text.is_empty() && *text != "0" {
            members.insert((*name).to_owned(), text.as_str().into());
        }
    }
}
