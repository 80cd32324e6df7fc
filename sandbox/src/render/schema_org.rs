//! The schema.org data (`json_ld`) of single reads.

use serde_json::{Map, Value as Json, json};

use super::place::region;
use super::view::View;
use crate::store::{Event, Organizer, Post, PostBody, Venue};
use crate::zone::Zone;
use crate::{image, markup};

/// The posts that an event links to and that the user may read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Linked<'a> {
    /// Where it happens.
    pub(super) venue: Option<&'a Post>,
    /// The first organizer.
    pub(super) organizer: Option<&'a Post>,
}

/// A venue as a place.
pub(super) fn place(post: &Post, venue: &Venue) -> Json {
    let mut address = Map::new();
    address.insert("@type".to_owned(), "PostalAddress".into());
    for (name, text) in [
        ("streetAddress", &venue.address),
        ("addressLocality", &venue.city),
        ("addressRegion", region(venue)),
        ("postalCode", &venue.zip),
        ("addressCountry", &venue.country),
    ] {
        if !text.is_empty() {
            address.insert(name.to_owned(), text.as_str().into());
        }
    }
    json!({
        "@type": "Place",
        "name": markup::title(&post.title),
        "description": markup::summary(&markup::paragraphs(&post.description)),
        "url": "",
        "address": address,
        "telephone": venue.phone,
        "sameAs": venue.website,
    })
}

/// An organizer as a person.
pub(super) fn person(post: &Post, organizer: &Organizer) -> Json {
    json!({
        "@type": "Person",
        "name": markup::title(&post.title),
        "description": markup::summary(&markup::paragraphs(&post.description)),
        "url": organizer.website,
        "telephone": organizer.phone,
        "email": markup::obscured(&organizer.email),
        "sameAs": organizer.website,
    })
}

/// An event.
pub(super) fn event(view: &View<'_>, post: &Post, event: &Event, linked: Linked<'_>) -> Json {
    let zone = Zone::named(&event.timezone).unwrap_or_else(Zone::site);
    let url = view.address.post(post);
    let text = if post.excerpt.is_empty() {
        &post.description
    } else {
        &post.excerpt
    };
    let mut members = Map::new();
    let mut put = |name: &str, value: Json| members.insert(name.to_owned(), value);
    put("@context", "http://schema.org".into());
    put("@type", "Event".into());
    put("name", markup::title(&post.title).into());
    put("description", markup::summary(&markup::paragraphs(text)).into());
    if let Some(image) = post.image.and_then(|id| image::url(id, view.address)) {
        put("image", image.into());
    }
    put("url", url.clone().into());
    let attendance = "https://schema.org/OfflineEventAttendanceMode";
    put("eventAttendanceMode", attendance.into());
    put("eventStatus", "https://schema.org/EventScheduled".into());
    put("startDate", zone.rfc3339(event.start).into());
    put("endDate", zone.rfc3339(event.end).into());
    if let Some((venue, PostBody::Venue(body))) = linked.venue.map(|post| (post, &post.body)) {
        put("location", place(venue, body));
    }
    if let Some((organizer, PostBody::Organizer(body))) = linked.organizer.map(|post| (post, &post.body)) {
        put("organizer", person(organizer, body));
    }
    if let Some(price) = event.cost.values.first() {
        put("offers", offer(price, &url, post));
    }
    put("performer", "Organization".into());
    Json::Object(members)
}

fn offer(price: &str, url: &str, post: &Post) -> Json {
    json!({
        "@type": "Offer",
        "price": price,
        "priceCurrency": "USD",
        "url": url,
        "category": "primary",
        "availability": "inStock",
        "validFrom": post.date.strftime("%Y-%m-%dT00:00:00+00:00").to_string(),
    })
}
