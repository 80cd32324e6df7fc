//! The lists of venues and organizers.

use serde_json::{Map, Value as Json};

use super::events::{shown_status, shows};
use super::page::Page;
use super::search::Search;
use super::urls::Arguments;
use crate::render::{self, Detail, View};
use crate::rest_error::RestError;
use crate::site_call::{Call, spelling_of};
use crate::site_response::SiteResponse;
use crate::store::{Event, Post, PostBody, PostStatus};
use calendar_edge_judge::contract::Kind;

/// `GET /venues` and `GET /organizers`
pub(crate) fn linked_posts(call: &Call, view: &View<'_>, kind: Kind) -> Result<SiteResponse, RestError> {
    let listed = view
        .store
        .posts(kind)
        .filter(|post| shows(call, post) && takes(call, view, post));
    let mut listed: Vec<&Post> = listed.collect();
    listed.sort_by_key(|post| std::cmp::Reverse((post.date, post.id)));
    let found = searched(call, &listed);
    let page = Page::of(call);
    // A search without hits shows nothing and yet counts everything, as in the plugin.
    let total = if found.is_empty() {
        listed.len()
    } else {
        found.len()
    };
    let pages = page.count(total);
    let items = page.cut(found);
    if items.is_empty() && page.number > 1 {
        return Err(RestError::NoSuchPage(kind));
    }
    let collection = kind.collection();
    let items: Json = items
        .into_iter()
        .map(|post| render::post(view, post, Detail::Listed))
        .collect();
    let mut members = Map::new();
    members.insert(collection.to_owned(), items);
    let base = view.address.api(&format!("/{collection}/"));
    members.extend(arguments(call, page).addresses(&base, page, pages));
    members.insert("total".to_owned(), total.into());
    members.insert("total_pages".to_owned(), pages.into());
    let response = SiteResponse::ok(Json::Object(members));
    Ok(response
        .with("X-TEC-Total", total)
        .with("X-TEC-TotalPages", pages))
}

/// The arguments that `rest_url` repeats, without the search.
fn arguments(call: &Call, page: Page) -> Arguments {
    let mut arguments = Arguments::default();
    arguments.add("per_page", Some(page.size.to_string()));
    arguments.add("event", call.number("event").map(|id| id.to_string()));
    arguments.add("has_events", call.value("has_events").map(spelling_of));
    arguments.add("status", Some(shown_status(call)));
    arguments
}

fn searched<'a>(call: &Call, posts: &[&'a Post]) -> Vec<&'a Post> {
    let Some(search) = call.text("search").map(|text| Search::new(&text)) else {
        return posts.to_vec();
    };
    let found = posts.iter().filter(|post| search.finds(&texts(post)));
    found.copied().collect()
}

/// Everything a search looks at.
fn texts(post: &Post) -> Vec<&str> {
    let own = [post.title.as_str(), &post.description];
    match &post.body {
        PostBody::Venue(venue) => {
            let fields = [
                &venue.address,
                &venue.city,
                &venue.country,
                &venue.zip,
                &venue.phone,
            ];
            own.into_iter().chain(fields.map(String::as_str)).collect()
        }
        PostBody::Organizer(organizer) => {
            let fields = [&organizer.phone, &organizer.website, &organizer.email];
            own.into_iter().chain(fields.map(String::as_str)).collect()
        }
        PostBody::Event(_) => own.to_vec(),
    }
}

fn takes(call: &Call, view: &View<'_>, post: &Post) -> bool {
    if let Some(id) = call.number("event") {
        let event = view.store.post(Kind::Event, id).and_then(Post::event);
        if !event.is_some_and(|event| links_to(event, post)) {
            return false;
        }
    }
    if let Some(wanted) = loosely(call, "has_events")
        && has_event(view, post, |_| true) != wanted
    {
        return false;
    }
    if loosely(call, "only_with_upcoming") == Some(true) {
        let now = call.wall();
        return has_event(view, post, |event| event.start >= now);
    }
    true
}

/// Parameters nobody checks: `true`, `1`, `yes` and `on` are true, all else is false.
fn loosely(call: &Call, name: &str) -> Option<bool> {
    let spelling = spelling_of(call.value(name)?).to_ascii_lowercase();
    Some(matches!(spelling.as_str(), "true" | "1" | "yes" | "on"))
}

fn has_event(view: &View<'_>, post: &Post, which: impl Fn(&Event) -> bool) -> bool {
    view.store
        .events()
        .any(|(owner, event)| owner.status == PostStatus::Publish && links_to(event, post) && which(event))
}

fn links_to(event: &Event, post: &Post) -> bool {
    match post.kind() {
        Kind::Venue => event.venue == Some(post.id),
        Kind::Organizer => event.organizers.contains(&post.id),
        Kind::Event | Kind::Category | Kind::Tag => false,
    }
}
