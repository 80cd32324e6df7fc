//! The list of events.

use serde_json::{Map, Value as Json};

use super::page::Page;
use super::search::Search;
use super::urls::Arguments;
use super::window::Window;
use crate::render::{self, Detail, View};
use crate::rest_error::RestError;
use crate::site_call::Call;
use crate::site_response::SiteResponse;
use crate::store::{Event, Post, PostStatus, Store};
use calendar_edge_judge::contract::{Kind, Taxonomy};
use calendar_edge_judge::wordpress::value::{Value, numeric};

/// The statuses a list shows: the requested ones, or all that the user may see.
pub(super) fn shows(call: &Call, post: &Post) -> bool {
    let asked = call.items("status").unwrap_or_default();
    let asked: Vec<PostStatus> = asked.iter().filter_map(|name| PostStatus::named(name)).collect();
    if !asked.is_empty() {
        return asked.contains(&post.status);
    }
    if !call.user.may_write() {
        return post.status == PostStatus::Publish;
    }
    !matches!(
        post.status,
        PostStatus::Trash | PostStatus::AutoDraft | PostStatus::Inherit
    )
}

/// The `status` that a list repeats in its address.
pub(super) fn shown_status(call: &Call) -> String {
    let asked = call.items("status").unwrap_or_default();
    let asked: Vec<String> = asked.into_iter().filter(|name| !name.is_empty()).collect();
    match (asked.is_empty(), call.user.may_write()) {
        (false, _) => asked.join(","),
        (true, true) => "any".to_owned(),
        (true, false) => "publish".to_owned(),
    }
}

/// `GET /events`
pub(crate) fn events(call: &Call, view: &View<'_>) -> Result<SiteResponse, RestError> {
    let filter = Filter::of(call, view.store);
    let found = view.store.events().filter(|(post, event)| {
        !event.flags.hide_from_listings && shows(call, post) && filter.takes(post, event)
    });
    let mut found: Vec<(&Post, &Event)> = found.collect();
    found.sort_by_key(|(post, event)| (event.start, post.id));
    let page = Page::of(call);
    let (total, pages) = (found.len(), page.count(found.len()));
    let items = page.cut(found);
    if items.is_empty() && page.number > 1 {
        return Err(RestError::NoSuchPage(Kind::Event));
    }
    let items: Json = items
        .into_iter()
        .map(|(post, _)| render::event(view, post, Detail::Listed))
        .collect();
    let mut members = Map::new();
    members.insert("events".to_owned(), items);
    let base = view.address.api("/events/");
    members.extend(arguments(call, &filter.window, page).addresses(&base, page, pages));
    members.insert("total".to_owned(), total.into());
    members.insert("total_pages".to_owned(), pages.into());
    let response = SiteResponse::ok(Json::Object(members));
    Ok(response
        .with("X-TEC-Total", total)
        .with("X-TEC-TotalPages", pages))
}

/// The arguments that `rest_url` repeats; like the plugin, without categories and tags.
fn arguments(call: &Call, window: &Window, page: Page) -> Arguments {
    let mut arguments = Arguments::default();
    arguments.add("per_page", Some(page.size.to_string()));
    for (name, bound) in window.enclosing() {
        arguments.add(name, bound);
    }
    arguments.add("search", call.text("search"));
    arguments.add("status", Some(shown_status(call)));
    for (name, bound) in window.relative() {
        arguments.add(name, bound);
    }
    let joined = |name| call.items(name).map(|items| items.join(","));
    let trimmed = call.items("include").map(|items| {
        let items: Vec<String> = items.iter().map(|item| item.trim().to_owned()).collect();
        items.join(",")
    });
    arguments.add("include", trimmed);
    arguments.add("post_parent", call.number("post_parent").map(|id| id.to_string()));
    for name in ["venue", "organizer"] {
        if let Some(value) = joined(name) {
            arguments.add_late(name, Some(value));
        }
    }
    match call.flag("featured") {
        Some(true) => arguments.add_late("featured", Some("1".to_owned())),
        Some(false) => arguments.encode(),
        None => {}
    }
    arguments
}

/// The filters of a list.
struct Filter {
    window: Window,
    search: Option<Search>,
    categories: Option<Vec<u64>>,
    tags: Option<Vec<u64>>,
    venues: Option<Vec<u64>>,
    organizers: Option<Vec<u64>>,
    include: Option<Vec<u64>>,
    featured: Option<bool>,
    has_parent: bool,
}

// === impl Filter ===

impl Filter {
    fn of(call: &Call, store: &Store) -> Self {
        Self {
            window: Window::of(call),
            search: call.text("search").map(|text| Search::new(&text)),
            categories: term_ids(call, store, "categories", Taxonomy::Category),
            tags: term_ids(call, store, "tags", Taxonomy::Tag),
            venues: call.items("venue").map(|items| numbers(&items)),
            organizers: call.items("organizer").map(|items| numbers(&items)),
            include: call.items("include").map(|items| numbers(&items)),
            featured: call.flag("featured"),
            has_parent: call.value("post_parent").is_some(),
        }
    }

    fn takes(&self, post: &Post, event: &Event) -> bool {
        let any = |wanted: &Option<Vec<u64>>, has: &[u64]| {
            wanted
                .as_ref()
                .is_none_or(|wanted| has.iter().any(|id| wanted.contains(id)))
        };
        // No event of the sandbox has a parent.
        !self.has_parent
            && self.window.holds(event)
            && any(&self.categories, &event.categories)
            && any(&self.tags, &event.tags)
            && any(&self.venues, event.venue.as_slice())
            && any(&self.organizers, &event.organizers)
            && any(&self.include, &[post.id])
            && self
                .featured
                .is_none_or(|featured| event.flags.featured == featured)
            && self.matches_text(post)
    }

    /// A protected event is found by its title only, or its text would leak letter by letter.
    fn matches_text(&self, post: &Post) -> bool {
        let description = if post.password.is_empty() {
            post.description.as_str()
        } else {
            ""
        };
        self.search
            .as_ref()
            .is_none_or(|search| search.finds(&[&post.title, description]))
    }
}

/// Whole numbers above zero; `7.5` is a number, but of nothing.
pub(super) fn numbers(items: &[String]) -> Vec<u64> {
    let whole = items.iter().filter(|item| {
        let value = Value::text(item.as_str());
        calendar_edge_judge::wordpress::value::integer::is_integer(&value)
    });
    whole
        .filter_map(|item| u64::try_from(numeric::int_prefix(item.as_bytes())).ok())
        .collect()
}

/// The terms that a list names by number, slug or name, each with everything below it.
fn term_ids(call: &Call, store: &Store, name: &str, taxonomy: Taxonomy) -> Option<Vec<u64>> {
    let items = call.items(name)?;
    let items = items
        .iter()
        .map(|item| item.trim())
        .filter(|item| !item.is_empty());
    let ids = items.filter_map(|item| match item.parse::<i64>() {
        Ok(number) => u64::try_from(number).ok(),
        Err(_) => store.term_called(taxonomy, item).map(|term| term.id),
    });
    Some(ids.flat_map(|id| store.branch(taxonomy, id)).collect())
}
