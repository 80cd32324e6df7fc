//! The list of events.

use calendar_edge_judge::contract::Kind;

use super::window::Window;
use super::{check_status, mentions, named, numbers, shows};
use crate::call::Call;
use crate::dates::of_stamp;
use crate::print::Printer;
use crate::record::{Members, has_password, ids, text};
use crate::refused::Refused;
use crate::store::Store;

/// The filters of a list.
struct Filter {
    window: Window,
    search: Option<String>,
    /// For each member that names records, the numbers of which an event must have one.
    wanted: [(&'static str, Option<Vec<u64>>); 4],
    include: Option<Vec<u64>>,
    featured: Option<bool>,
}

/// The numbers of the events that a call selects, by their start.
pub(super) fn found(
    call: &Call,
    by: &Printer<'_>,
    repeated: &mut Vec<(String, String)>,
) -> Result<Vec<u64>, Refused> {
    check_status(call)?;
    let filter = Filter::of(call, by.store)?;
    // Dates are repeated as they were read.
    repeated.retain(|(name, _)| {
        !["_date", "_after", "_before"]
            .iter()
            .any(|end| name.ends_with(end))
    });
    repeated.extend(filter.window.repeated());
    // No event has a parent here.
    if call.value("post_parent").is_some() {
        return Ok(Vec::new());
    }
    let found = by.store.all(Kind::Event);
    let found = found.filter(|(id, event)| shows(call, event) && filter.takes(*id, event));
    let mut found: Vec<(u64, &Members)> = found.collect();
    found.sort_by_key(|(id, event)| (of_stamp(text(event, "start_date")), *id));
    Ok(found.into_iter().map(|(id, _)| id).collect())
}

// === impl Filter ===

impl Filter {
    fn of(call: &Call, store: &Store) -> Result<Self, Refused> {
        Ok(Self {
            window: Window::of(call),
            search: call.text("search"),
            wanted: [
                ("categories", terms(call, store, Kind::Category, "categories")?),
                ("tags", terms(call, store, Kind::Tag, "tags")?),
                ("venue", named(call, store, Kind::Venue, "venue")?),
                ("organizer", named(call, store, Kind::Organizer, "organizer")?),
            ],
            include: numbers(call, "include"),
            featured: call.flag("featured"),
        })
    }

    fn takes(&self, id: u64, event: &Members) -> bool {
        let has =
            |name: &str, value: bool| event.get(name).and_then(serde_json::Value::as_bool) == Some(value);
        let names_one = |(name, wanted): &(&str, Option<Vec<u64>>)| {
            let own = ids(event, name);
            wanted
                .as_ref()
                .is_none_or(|wanted| own.iter().any(|id| wanted.contains(id)))
        };
        !has("hide_from_listings", true)
            && self.window.holds(event)
            && self.wanted.iter().all(names_one)
            && self.include.as_ref().is_none_or(|include| include.contains(&id))
            && self.featured.is_none_or(|featured| has("featured", featured))
            && self.search.as_ref().is_none_or(|search| {
                // Found by its text, a protected event would reveal it letter by letter.
                let hidden = has_password(event);
                let described = if hidden { "" } else { text(event, "description") };
                mentions(search, &[text(event, "title"), described])
            })
    }
}

/// The terms that an argument names by number, slug or name, each with everything below it.
fn terms(call: &Call, store: &Store, kind: Kind, name: &'static str) -> Result<Option<Vec<u64>>, Refused> {
    let Some(items) = call.items(name) else {
        return Ok(None);
    };
    let mut branches = Vec::new();
    for item in items {
        let id = store.term_called(kind, &item);
        branches.extend(store.branch(kind, id.ok_or_else(|| Refused::invalid(name))?));
    }
    Ok(Some(branches))
}
