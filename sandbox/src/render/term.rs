//! Categories and tags.

use serde_json::{Map, Value as Json, json};

use super::view::View;
use crate::store::{Term, taxonomy_name};
use calendar_edge_judge::contract::{Kind, Taxonomy};

/// The term as WordPress's own controller prints it, with the plugin's `urls` but without links.
pub(crate) fn in_list(view: &View<'_>, term: &Term) -> Map<String, Json> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Json| members.insert(name.to_owned(), value);
    put("id", term.id.into());
    put("count", view.usage.of(term).into());
    put("description", term.description.clone().into());
    put("name", term.name.clone().into());
    put("slug", term.slug.clone().into());
    put("taxonomy", taxonomy_name(term.taxonomy).into());
    if term.taxonomy == Taxonomy::Category {
        put("parent", term.parent.into());
    }
    put("meta", json!([]));
    put("url", view.address.term(view.store, term).into());
    put("urls", urls(view, term));
    members
}

/// A term on its own, with links into WordPress's API that name the rights of the user.
pub(crate) fn own(view: &View<'_>, term: &Term) -> Map<String, Json> {
    let mut members = in_list(view, term);
    members.insert("_links".to_owned(), links(view, term));
    members
}

/// A term inside an event: the raw object of the database.
pub(super) fn embedded(view: &View<'_>, term: &Term) -> Json {
    json!({
        "name": term.name,
        "slug": term.slug,
        "term_group": 0,
        "term_taxonomy_id": term.id,
        "taxonomy": taxonomy_name(term.taxonomy),
        "description": term.description,
        "parent": term.parent,
        "count": view.usage.of(term),
        "filter": "raw",
        "id": term.id,
        "urls": urls(view, term),
    })
}

/// The parent of a term, as `_embed` shows it.
pub(crate) fn parent_of(view: &View<'_>, term: &Term) -> Option<Map<String, Json>> {
    let parent = view.store.term(term.taxonomy, term.parent)?;
    let mut members = trimmed(own(view, parent), "embed");
    members.shift_remove("urls");
    Some(members)
}

/// The members of a term in a `context`: `embed` has a part, an unknown context only the links.
pub(crate) fn trimmed(mut members: Map<String, Json>, context: &str) -> Map<String, Json> {
    match context {
        "" | "view" | "edit" => {}
        "embed" => {
            members.retain(|name, _| !matches!(name.as_str(), "count" | "description" | "parent" | "meta"));
        }
        _ => members.retain(|name, _| name == "_links"),
    }
    members
}

fn collection(taxonomy: Taxonomy) -> &'static str {
    match taxonomy {
        Taxonomy::Category => Kind::Category.collection(),
        Taxonomy::Tag => Kind::Tag.collection(),
    }
}

fn urls(view: &View<'_>, term: &Term) -> Json {
    let collection = collection(term.taxonomy);
    let item = |id: u64| view.address.api(&format!("/{collection}/{id}"));
    let mut urls = Map::new();
    urls.insert("self".to_owned(), item(term.id).into());
    let all = view.address.api(&format!("/{collection}"));
    urls.insert("collection".to_owned(), all.into());
    if term.parent != 0 {
        urls.insert("up".to_owned(), item(term.parent).into());
    }
    Json::Object(urls)
}

fn links(view: &View<'_>, term: &Term) -> Json {
    let allowed: &[&str] = if view.user.may_write() {
        &["GET", "POST", "PUT", "PATCH", "DELETE"]
    } else {
        &["GET"]
    };
    let base = core_collection(term.taxonomy);
    let href = |path: String| json!({"href": view.address.core(&path)});
    let mut links = Map::new();
    let own = view.address.core(&format!("{base}/{}", term.id));
    let own = json!([{"href": own, "targetHints": {"allow": allowed}}]);
    links.insert("self".to_owned(), own);
    links.insert("collection".to_owned(), json!([href(base.to_owned())]));
    let about = format!("taxonomies/{}", taxonomy_name(term.taxonomy));
    links.insert("about".to_owned(), json!([href(about)]));
    if term.parent != 0 {
        let up = view.address.core(&format!("{base}/{}", term.parent));
        links.insert("up".to_owned(), json!([{"embeddable": true, "href": up}]));
    }
    let events = href(format!("tribe_events?{base}={}", term.id));
    let posts = match term.taxonomy {
        Taxonomy::Category => json!([events]),
        Taxonomy::Tag => json!([href(format!("posts?{base}={}", term.id)), events]),
    };
    links.insert("wp:post_type".to_owned(), posts);
    let curie = json!({"name": "wp", "href": "https://api.w.org/{rel}", "templated": true});
    links.insert("curies".to_owned(), json!([curie]));
    Json::Object(links)
}

/// The collection of a taxonomy in WordPress's own API.
fn core_collection(taxonomy: Taxonomy) -> &'static str {
    match taxonomy {
        Taxonomy::Category => "tribe_events_cat",
        Taxonomy::Tag => "tags",
    }
}
