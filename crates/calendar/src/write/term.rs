//! Writes of categories and tags.

use calendar_edge_judge::contract::Kind;
use http::StatusCode;

use crate::call::Call;
use crate::record::{Members, blank, number, text};
use crate::refused::Refused;
use crate::slug;
use crate::store::Store;

/// Creates or updates a term; members that are not sent stay.
pub(super) fn write(call: &Call, store: &mut Store, kind: Kind, known: Option<u64>) -> Result<u64, Refused> {
    let id = known.map_or_else(|| create(call, store, kind), Ok)?;
    update(call, store, kind, id)?;
    Ok(id)
}

/// Creates a term of the name that a call sends.
fn create(call: &Call, store: &mut Store, kind: Kind) -> Result<u64, Refused> {
    let parent = parent(call, store, kind)?.unwrap_or(0);
    let name = call.text("name").unwrap_or_default();
    let is_same = |term: &Members| {
        number(term, "parent") == parent && text(term, "name").to_lowercase() == name.trim().to_lowercase()
    };
    if let Some((id, _)) = store.all(kind).find(|(_, term)| is_same(term)) {
        let mut refused = Refused::new(
            StatusCode::BAD_REQUEST,
            "term_exists",
            "A term with the name provided already exists.",
        );
        refused.body["data"]["term_id"] = id.into();
        return Err(refused);
    }
    add(store, kind, &name, parent, &call.pages)
}

/// Adds a term of a name.
pub(crate) fn add(
    store: &mut Store,
    kind: Kind,
    name: &str,
    parent: u64,
    pages: &str,
) -> Result<u64, Refused> {
    let id = store.next_number(kind)?;
    let mut term = blank(kind, id);
    let slug = store.free_slug(kind, &slug::of_or_number(name, id), id);
    set_name(&mut term, name)?;
    term.insert("slug".to_owned(), slug.into());
    if kind == Kind::Category {
        term.insert("parent".to_owned(), parent.into());
    }
    set_address(store, kind, &mut term, pages);
    store.put(kind, id, term)?;
    Ok(id)
}

fn update(call: &Call, store: &mut Store, kind: Kind, id: u64) -> Result<(), Refused> {
    let parent = parent(call, store, kind)?;
    let term = store.get(kind, id).cloned();
    let mut term = term.ok_or_else(|| Refused::invalid("id"))?;
    if let Some(name) = call.text("name") {
        set_name(&mut term, &name)?;
    }
    if let Some(description) = call.text("description") {
        term.insert("description".to_owned(), description.into());
    }
    if let Some(wanted) = call.filled("slug").map(|wanted| slug::of(&wanted)) {
        if store.free_slug(kind, &wanted, id) != wanted {
            let message = format!("The slug &#8220;{wanted}&#8221; is already in use by another term.");
            return Err(Refused::new(
                StatusCode::BAD_REQUEST,
                "duplicate_term_slug",
                &message,
            ));
        }
        term.insert("slug".to_owned(), wanted.into());
    }
    if let Some(parent) = parent {
        // A loop is broken without a word: the term moves to the top.
        let is_below = store.branch(kind, id).contains(&parent);
        let parent = if is_below { 0 } else { parent };
        term.insert("parent".to_owned(), parent.into());
    }
    set_address(store, kind, &mut term, &call.pages);
    Ok(store.put(kind, id, term)?)
}

/// The category above, which a tag cannot have.
fn parent(call: &Call, store: &Store, kind: Kind) -> Result<Option<u64>, Refused> {
    if kind == Kind::Tag && call.value("parent").is_some() {
        return Err(Refused::new(
            StatusCode::BAD_REQUEST,
            "rest_taxonomy_not_hierarchical",
            "Cannot set parent term, taxonomy is not hierarchical.",
        ));
    }
    match call.number("parent") {
        Some(parent) if store.get(kind, parent).is_none() => Err(Refused::invalid("parent")),
        None if call.value("parent").is_some() => Ok(Some(0)),
        parent => Ok(parent),
    }
}

fn set_name(term: &mut Members, name: &str) -> Result<(), Refused> {
    let name = name.trim();
    if name.is_empty() {
        let message = "A name is required for this term.";
        return Err(Refused::new(StatusCode::BAD_REQUEST, "empty_term_name", message));
    }
    term.insert("name".to_owned(), name.into());
    Ok(())
}

/// The archive page of a term, below those of its parents.
fn set_address(store: &Store, kind: Kind, term: &mut Members, pages: &str) {
    let base = match kind {
        Kind::Category => "events/category",
        _ => "tag",
    };
    let mut slugs = vec![text(term, "slug").to_owned()];
    let mut parent = number(term, "parent");
    // Loops are not stored, but a bound costs nothing.
    while let Some(above) = store.get(kind, parent).filter(|_| slugs.len() < 32) {
        slugs.push(text(above, "slug").to_owned());
        parent = number(above, "parent");
    }
    slugs.reverse();
    let url = format!("{pages}/{base}/{}/", slugs.join("/"));
    term.insert("url".to_owned(), url.into());
}
