//! The lists of categories and tags.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::events::numbers;
use super::page::Page;
use crate::render::{self, View};
use crate::site_call::Call;
use crate::site_response::{SiteResponse, map_or_list};
use crate::slug;
use crate::store::{Post, Store, Term};
use calendar_edge_judge::contract::{Kind, Taxonomy};

/// `GET /categories` and `GET /tags`; a page past the end is an empty list.
pub(crate) fn terms(call: &Call, view: &View<'_>, taxonomy: Taxonomy) -> SiteResponse {
    let kind = match taxonomy {
        Taxonomy::Category => Kind::Category,
        Taxonomy::Tag => Kind::Tag,
    };
    let hide_empty = call.flag("hide_empty").unwrap_or(true);
    let used = hide_empty.then(|| used(view, taxonomy));
    let found = view.store.terms(taxonomy).filter(|term| {
        used.as_ref().is_none_or(|used| used.contains(&term.id)) && takes(call, view.store, term)
    });
    let mut found: Vec<&Term> = found.collect();
    found.sort_by(|a, b| order(call, view, a, b));
    let page = Page::of(call);
    let (total, pages) = (found.len(), page.count(found.len()));
    let context = call.text("context").unwrap_or_default();
    let items: Json = page
        .cut(found)
        .into_iter()
        .map(|term| map_or_list(render::trimmed(render::in_list(view, term), &context)))
        .collect();
    let base = view.address.api(&format!("/{}/", kind.collection()));
    let mut members = Map::new();
    members.insert("rest_url".to_owned(), base.clone().into());
    members.insert("total".to_owned(), total.into());
    members.insert("total_pages".to_owned(), pages.into());
    members.insert(kind.collection().to_owned(), items);
    if page.number < pages {
        let next = format!("{base}?page={}", page.number + 1);
        members.insert("next_rest_url".to_owned(), next.into());
    }
    if page.number > 1 {
        let previous = match page.number - 1 {
            1 => base,
            number => format!("{base}?page={number}"),
        };
        members.insert("previous_rest_url".to_owned(), previous.into());
    }
    let response = SiteResponse::ok(Json::Object(members));
    response
        .with("X-TEC-Total", total)
        .with("X-TEC-TotalPages", pages)
}

fn takes(call: &Call, store: &Store, term: &Term) -> bool {
    let id_lists = |name: &str| {
        // `-2` is read as 2; slugs pass the checks, but only numbers filter.
        let items = call.items(name).unwrap_or_default();
        let items: Vec<String> = items
            .iter()
            .map(|item| item.trim().trim_start_matches('-').to_owned())
            .collect();
        numbers(&items)
            .into_iter()
            .filter(|id| *id > 0)
            .collect::<Vec<_>>()
    };
    let (include, exclude) = (id_lists("include"), id_lists("exclude"));
    let is_listed = (include.is_empty() || include.contains(&term.id)) && !exclude.contains(&term.id);
    is_listed
        && call.text("search").is_none_or(|text| mentions(term, &text))
        && call
            .text("slug")
            .is_none_or(|text| slug::from_title(&text) == term.slug)
        && (term.taxonomy == Taxonomy::Tag || call.number("parent").is_none_or(|id| id == term.parent))
        && event_of(call).is_none_or(|id| has_term(store, id, term))
}

/// The event whose terms are wanted; `event` wins over `post`.
fn event_of(call: &Call) -> Option<u64> {
    call.number("event").or_else(|| call.number("post"))
}

fn has_term(store: &Store, event: u64, term: &Term) -> bool {
    let event = store.post(Kind::Event, event).and_then(Post::event);
    event.is_some_and(|event| match term.taxonomy {
        Taxonomy::Category => event.categories.contains(&term.id),
        Taxonomy::Tag => event.tags.contains(&term.id),
    })
}

/// The terms that have events; a category also when one below it has.
fn used(view: &View<'_>, taxonomy: Taxonomy) -> HashSet<u64> {
    let mut used = HashSet::new();
    for term in view.store.terms(taxonomy).filter(|term| view.usage.of(term) > 0) {
        let mut above = Some(term);
        while let Some(term) = above.filter(|term| used.insert(term.id)) {
            above = view.store.term(taxonomy, term.parent);
        }
    }
    used
}

fn mentions(term: &Term, text: &str) -> bool {
    let text = text.to_lowercase();
    term.name.to_lowercase().contains(&text) || term.slug.contains(&text)
}

fn order(call: &Call, view: &View<'_>, a: &Term, b: &Term) -> Ordering {
    let by_name = || slug::collation(&a.name).cmp(&slug::collation(&b.name));
    let ordering = match call.text("orderby").as_deref() {
        Some("slug") => a.slug.cmp(&b.slug),
        Some("count") => view.usage.of(a).cmp(&view.usage.of(b)),
        Some("id" | "term_id") => a.id.cmp(&b.id),
        Some("description") => a.description.cmp(&b.description),
        _ => by_name(),
    };
    // Anything but `asc` means descending.
    let ascending = call
        .text("order")
        .is_none_or(|order| order.eq_ignore_ascii_case("asc"));
    let ordering = ordering.then_with(|| a.id.cmp(&b.id));
    if ascending { ordering } else { ordering.reverse() }
}
