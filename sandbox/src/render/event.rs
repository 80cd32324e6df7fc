//! Events.

use jiff::civil::DateTime;
use serde_json::{Map, Value as Json, json};

use super::post::{lineage, provenance, stamp};
use super::schema_org::{self, Linked};
use super::term::embedded;
use super::view::{Detail, View};
use super::{organizer, venue};
use crate::cost::Cost;
use crate::store::{Event, Post, PostStatus};
use crate::zone::Zone;
use crate::{image, markup};
use calendar_edge_judge::contract::{Kind, Taxonomy};

/// An event; nothing for a post of another kind.
pub(crate) fn event(view: &View<'_>, post: &Post, detail: Detail) -> Json {
    let Some(event) = post.event() else {
        return json!([]);
    };
    let mut members = Map::new();
    members.insert("id".to_owned(), post.id.into());
    members.extend(lineage(view, post));
    members.extend(provenance(view, post));
    let rest_url = view.address.api(&format!("/events/{}", post.id));
    members.insert("rest_url".to_owned(), rest_url.into());
    members.insert("title".to_owned(), markup::title(&post.title).into());
    if detail == Detail::Listed && view.is_locked(post) {
        members.extend(hidden(post, event));
    } else {
        members.extend(shown(view, post, event, detail));
    }
    Json::Object(members)
}

/// Everything after the title.
fn shown(view: &View<'_>, post: &Post, event: &Event, detail: Detail) -> Map<String, Json> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Json| members.insert(name.to_owned(), value);
    put("description", markup::paragraphs(&post.description).into());
    put("excerpt", markup::paragraphs(&post.excerpt).into());
    put("slug", post.slug.clone().into());
    let image = post.image.and_then(|id| image::to_json(id, view.address));
    put("image", image.unwrap_or(Json::Bool(false)));
    put("all_day", event.flags.all_day.into());
    dates(event, &mut put);
    put("cost", event.cost.shown.clone().into());
    put("cost_details", cost_details(&event.cost));
    let website = event.website.as_deref().map(markup::address);
    put(
        "website",
        website.unwrap_or_else(|| view.address.post(post)).into(),
    );
    put("show_map", event.flags.show_map.into());
    put("show_map_link", event.flags.show_map_link.into());
    put("hide_from_listings", event.flags.hide_from_listings.into());
    put("sticky", event.flags.sticky.into());
    put("featured", event.flags.featured.into());
    put("categories", terms(view, Taxonomy::Category, &event.categories));
    put("tags", terms(view, Taxonomy::Tag, &event.tags));
    members.extend(relations(view, post, event, detail));
    members
}

/// The linked posts, and the schema.org data that name them.
fn relations(view: &View<'_>, post: &Post, event: &Event, detail: Detail) -> Map<String, Json> {
    let place = event.venue.and_then(|id| linked(view, Kind::Venue, id));
    let organizers = event.organizers.iter();
    let organizers: Vec<&Post> = organizers
        .filter_map(|id| linked(view, Kind::Organizer, *id))
        .collect();
    let mut members = Map::new();
    let shown = place.map_or_else(|| json!([]), |place| venue(view, place, detail));
    members.insert("venue".to_owned(), shown);
    let shown = organizers
        .iter()
        .map(|post| organizer(view, post, detail))
        .collect();
    members.insert("organizer".to_owned(), shown);
    // The plugin describes no protected event to search engines, not even to those who unlock it.
    if detail == Detail::Read && post.password.is_empty() {
        let linked = Linked {
            venue: place,
            organizer: organizers.first().copied(),
        };
        members.insert("json_ld".to_owned(), schema_org::event(view, post, event, linked));
    }
    members
}

/// A protected event in a list: its dates and title without its contents.
fn hidden(post: &Post, event: &Event) -> Map<String, Json> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Json| members.insert(name.to_owned(), value);
    put("description", "".into());
    put("excerpt", "".into());
    put("slug", post.slug.clone().into());
    put("image", false.into());
    put("all_day", Json::Null);
    dates(event, &mut put);
    put("cost", "".into());
    let nothing = json!({"currency_symbol": "", "currency_position": "", "currency_code": "", "values": []});
    put("cost_details", nothing);
    put("website", "".into());
    for switch in [
        "show_map",
        "show_map_link",
        "hide_from_listings",
        "sticky",
        "featured",
    ] {
        put(switch, Json::Null);
    }
    for list in ["categories", "tags", "venue", "organizer"] {
        put(list, json!([]));
    }
    members
}

fn dates(event: &Event, put: &mut impl FnMut(&str, Json) -> Option<Json>) {
    for (name, clock) in [
        ("start_date", event.start),
        ("end_date", event.end),
        ("utc_start_date", event.utc_start),
        ("utc_end_date", event.utc_end),
    ] {
        put(name, stamp(clock).into());
        put(&format!("{name}_details"), date_details(clock));
    }
    let zone = Zone::named(&event.timezone).unwrap_or_else(Zone::site);
    put("timezone", zone.name().into());
    put("timezone_abbr", zone.abbreviation(event.start).into());
}

fn date_details(clock: DateTime) -> Json {
    let part = |format: &str| clock.strftime(format).to_string();
    json!({
        "year": part("%Y"),
        "month": part("%m"),
        "day": part("%d"),
        "hour": part("%H"),
        "minutes": part("%M"),
        "seconds": part("%S"),
    })
}

fn cost_details(cost: &Cost) -> Json {
    let position = if cost.symbol.is_empty() { "" } else { "prefix" };
    json!({
        "currency_symbol": cost.symbol,
        "currency_code": "",
        "currency_position": position,
        "values": cost.values,
    })
}

fn terms(view: &View<'_>, taxonomy: Taxonomy, ids: &[u64]) -> Json {
    let terms = ids.iter().filter_map(|id| view.store.term(taxonomy, *id));
    let mut terms: Vec<_> = terms.collect();
    terms.sort_by_key(|term| term.name.to_lowercase());
    terms.into_iter().map(|term| embedded(view, term)).collect()
}

fn linked<'a>(view: &View<'a>, kind: Kind, id: u64) -> Option<&'a Post> {
    let post = view.store.post(kind, id)?;
    (view.may_read(post) && post.status != PostStatus::Trash).then_some(post)
}
