//! Categories and tags.

use crate::rest_error::RestError;
use crate::site_call::Call;
use crate::store::{Store, Term};
use crate::{markup, slug};
use calendar_edge_judge::contract::Taxonomy;

/// The longest name the database's column holds, in characters.
const LONGEST_NAME: usize = 200;

/// `POST /categories`, `POST /tags`: the number of the new term.
pub(crate) fn create(call: &Call, store: &mut Store, taxonomy: Taxonomy) -> Result<u64, RestError> {
    refuse_hierarchy(call, taxonomy)?;
    let name = name(&call.text("name").unwrap_or_default())?;
    let parent = call.number("parent").unwrap_or(0);
    let same = |term: &&Term| term.parent == parent && term.name.to_lowercase() == name.to_lowercase();
    if let Some(known) = store.terms(taxonomy).find(same) {
        return Err(RestError::TermExists(taxonomy, known.id));
    }
    let id = store.next_term();
    let slug = match call.filled("slug").map(|text| slug::from_title(&text)) {
        Some(slug) if !slug.is_empty() => slug,
        _ => own_slug(store, taxonomy, id, &name, parent),
    };
    let term = Term {
        id,
        taxonomy,
        slug: store.free_term_slug(taxonomy, &slug, id),
        name,
        description: call
            .text("description")
            .map(|text| markup::term_text(&text))
            .unwrap_or_default(),
        parent,
    };
    store.put_term(term)?;
    Ok(id)
}

/// Adds a term that an event names.
pub(super) fn add(store: &mut Store, taxonomy: Taxonomy, text: &str) -> Result<u64, RestError> {
    let name = name(text)?;
    let id = store.next_term();
    let slug = own_slug(store, taxonomy, id, &name, 0);
    store.put_term(Term {
        id,
        taxonomy,
        slug: store.free_term_slug(taxonomy, &slug, id),
        name,
        description: String::new(),
        parent: 0,
    })?;
    Ok(id)
}

/// An update; members that are not sent stay.
pub(crate) fn update(call: &Call, store: &mut Store, taxonomy: Taxonomy, id: u64) -> Result<(), RestError> {
    refuse_hierarchy(call, taxonomy)?;
    let Some(mut term) = store.term(taxonomy, id).cloned() else {
        return Err(RestError::NoTermName);
    };
    if let Some(text) = call.text("name") {
        term.name = name(&text)?;
    }
    if let Some(text) = call.text("description") {
        term.description = markup::term_text(&text);
    }
    if let Some(wanted) = call.filled("slug") {
        let wanted = slug::from_title(&wanted);
        if store.free_term_slug(taxonomy, &wanted, id) != wanted {
            return Err(RestError::SlugInUse(wanted));
        }
        term.slug = wanted;
    }
    if let Some(parent) = call.number("parent") {
        // A loop is broken without a word: the term moves to the top.
        let below = store.branch(taxonomy, id);
        term.parent = if below.contains(&parent) { 0 } else { parent };
    }
    store.put_term(term)?;
    Ok(())
}

/// `DELETE` of a term: for good. The removed term is handed back.
pub(crate) fn delete(store: &mut Store, taxonomy: Taxonomy, id: u64) -> Option<Term> {
    store.term(taxonomy, id)?;
    store.remove_term(id)
}

fn refuse_hierarchy(call: &Call, taxonomy: Taxonomy) -> Result<(), RestError> {
    if taxonomy == Taxonomy::Tag && call.value("parent").is_some() {
        return Err(RestError::NoHierarchy);
    }
    Ok(())
}

fn name(text: &str) -> Result<String, RestError> {
    let name = markup::term_name(text);
    if name.is_empty() {
        return Err(RestError::NoTermName);
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(RestError::NameTooLong);
    }
    Ok(name)
}

/// A slug of the name; when it is taken, the parent's slug is appended.
fn own_slug(store: &Store, taxonomy: Taxonomy, id: u64, name: &str, parent: u64) -> String {
    let slug = slug::from_title(name);
    if slug.is_empty() {
        return id.to_string();
    }
    let is_free = store.free_term_slug(taxonomy, &slug, id) == slug;
    match store.term(taxonomy, parent) {
        Some(parent) if !is_free => format!("{slug}-{}", parent.slug),
        _ => slug,
    }
}
