//! The lists of categories and tags.

use std::collections::HashSet;

use calendar_edge_judge::contract::Kind;

use super::{mentions, numbers};
use crate::call::Call;
use crate::print::Printer;
use crate::record::{Members, ids, number, text};
use crate::refused::Refused;
use crate::slug;

/// The numbers of the terms that a call selects; without `hide_empty=0` those that have events.
pub(super) fn found(call: &Call, kind: Kind, by: &Printer<'_>) -> Result<Vec<u64>, Refused> {
    let used = call.flag("hide_empty").unwrap_or(true).then(|| used(by, kind));
    let include = numbers(call, "include").unwrap_or_default();
    let exclude = numbers(call, "exclude").unwrap_or_default();
    let of_event = match call.number("event").or_else(|| call.number("post")) {
        Some(id) => {
            let event = by.store.get(Kind::Event, id);
            let event = event.ok_or_else(|| Refused::invalid("event"))?;
            Some(ids(event, kind.collection()))
        }
        None => None,
    };
    let takes = |id: u64, term: &Members| {
        used.as_ref().is_none_or(|used| used.contains(&id))
            && (include.is_empty() || include.contains(&id))
            && !exclude.contains(&id)
            && of_event.as_ref().is_none_or(|ids| ids.contains(&id))
            && call
                .text("slug")
                .is_none_or(|wanted| slug::requested(&wanted) == text(term, "slug"))
            && (kind == Kind::Tag
                || call
                    .number("parent")
                    .is_none_or(|parent| number(term, "parent") == parent))
            && call
                .text("search")
                .is_none_or(|search| mentions(&search, &[text(term, "name"), text(term, "slug")]))
    };
    let found = by.store.all(kind).filter(|(id, term)| takes(*id, term));
    let mut found: Vec<(u64, &Members)> = found.collect();
    found.sort_by_cached_key(|(id, term)| (sort_key(call, kind, by, *id, term), *id));
    // Anything but `asc` means descending.
    if call
        .text("order")
        .is_some_and(|order| !order.eq_ignore_ascii_case("asc"))
    {
        found.reverse();
    }
    Ok(found.into_iter().map(|(id, _)| id).collect())
}

/// The sort key of a list, as a text: the name without case and accents, as the database compares names.
fn sort_key(call: &Call, kind: Kind, by: &Printer<'_>, id: u64, term: &Members) -> String {
    match call.text("orderby").as_deref() {
        Some("slug") => text(term, "slug").to_owned(),
        Some("count") => format!("{:020}", by.usage.of(kind, id)),
        Some("id" | "term_id") => format!("{id:020}"),
        Some("description") => text(term, "description").to_owned(),
        _ => slug::folded_name(text(term, "name")),
    }
}

/// The terms that have events; a category also when one below it has.
fn used(by: &Printer<'_>, kind: Kind) -> HashSet<u64> {
    let mut used = HashSet::new();
    for (id, _) in by.store.all(kind).filter(|(id, _)| by.usage.of(kind, *id) > 0) {
        let mut above = id;
        while above > 0 && used.insert(above) {
            above = by.store.get(kind, above).map_or(0, |term| number(term, "parent"));
        }
    }
    used
}
