//! The dependencies of a response: the records that it shows, and the collections that it was selected from.

use http::StatusCode;

use super::bypass::CacheableCall;
use super::pairs::pairs;
use super::records::{of_list, of_record};
use super::tag::Tag;
use calendar_edge_judge::contract::{Kind, Route};

/// The changes that make a response outdated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependencies {
    /// A change of one of these.
    On(Box<[Tag]>),
    /// Any change: the response does not show what it was made of.
    OnEverything,
}

/// The most tags that are kept with one response; more count as everything.
const MOST_TAGS: usize = 4096;

/// The parameter that leaves members out of the response, numbers of records among them.
const FIELDS: &str = "_fields";

impl CacheableCall<'_> {
    /// The dependencies of the response to this call with this status and body.
    pub fn dependencies(self, status: StatusCode, body: &[u8]) -> Dependencies {
        let query = &self.call().request().pairs;
        let is_cut = pairs(query).any(|(name, _)| name == FIELDS);
        let route = &self.call().request().route;
        let found = match route.route {
            Route::Index | Route::Doc => return Dependencies::On(Box::default()),
            Route::Collection(kind) => selected_from(kind, query),
            Route::Item(kind) | Route::BySlug(kind) => {
                let number = route.number().map(|number| Tag::Record(kind, number));
                // Nothing is here as long as nothing is created.
                let collection = (status != StatusCode::OK).then_some(Tag::Collection(kind));
                number.into_iter().chain(collection).collect()
            }
        };
        if status != StatusCode::OK {
            return Dependencies::of(found, Vec::new());
        }
        let shown = match route.route {
            _ if is_cut => None,
            Route::Collection(kind) => of_list(kind, body),
            Route::Item(kind) | Route::BySlug(kind) => of_record(kind, body),
            Route::Index | Route::Doc => None,
        };
        shown.map_or(Dependencies::OnEverything, |shown| Dependencies::of(found, shown))
    }
}

/// The collections that members and order of a list depend on.
fn selected_from(kind: Kind, query: &str) -> Vec<Tag> {
    let mut tags = vec![Tag::Collection(kind)];
    match kind {
        Kind::Event => {
            for (name, _) in pairs(query) {
                tags.extend(filtered_by(name).iter().copied().map(Tag::Collection));
            }
        }
        // `only_with_upcoming`, `has_events`, `event`
        Kind::Venue | Kind::Organizer => {
            let plain = ["page", "per_page", "search", "status"];
            let by_events = pairs(query).any(|(name, _)| !plain.contains(&name));
            tags.extend(by_events.then_some(Tag::Collection(Kind::Event)));
        }
        // Terms without events are hidden, and the number of events may be their order.
        Kind::Category | Kind::Tag => tags.extend([Tag::Collection(Kind::Event), Tag::Relations]),
    }
    tags
}

/// The kinds whose records decide which events a parameter selects.
fn filtered_by(parameter: &str) -> &'static [Kind] {
    match parameter {
        "venue" | "geoloc" | "geoloc_lat" | "geoloc_lng" => &[Kind::Venue],
        "organizer" => &[Kind::Organizer],
        "categories" => &[Kind::Category],
        "tags" => &[Kind::Tag],
        // Plugins extend the search to the names of linked records.
        "search" => &[Kind::Venue, Kind::Organizer, Kind::Category, Kind::Tag],
        _ => &[],
    }
}

// === impl Dependencies ===

impl Dependencies {
    fn of(mut selected: Vec<Tag>, shown: Vec<Tag>) -> Self {
        selected.extend(shown);
        if selected.iter().any(shows_relations) {
            selected.push(Tag::Relations);
        }
        selected.sort_unstable();
        selected.dedup();
        if selected.len() > MOST_TAGS {
            return Self::OnEverything;
        }
        Self::On(selected.into_boxed_slice())
    }

    /// The dependencies of a response that is made of two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::On(one), Self::On(other)) => Self::of(one.into_vec(), other.into_vec()),
            _ => Self::OnEverything,
        }
    }

    /// The memory of the tags, in bytes.
    pub fn size(&self) -> usize {
        match self {
            Self::On(tags) => size_of_val(&**tags),
            Self::OnEverything => 0,
        }
    }
}

/// Events show links, terms show the number of their events.
const fn shows_relations(tag: &Tag) -> bool {
    matches!(tag, Tag::Record(Kind::Event | Kind::Category | Kind::Tag, _))
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_judge::contract::table;

    #[test]
    fn a_list_is_selected_from_what_its_parameters_name() {
        use Kind::{Category, Event, Organizer, Tag, Venue};
        for (kind, query, expected) in [
            (Event, "page=2&start_date=a", &[Event][..]),
            (Event, "geoloc_lat=1", &[Event, Venue]),
            (Event, "organizer=1&tags%5B%5D=2", &[Event, Organizer, Tag]),
            (Event, "categories%5B0%5D=2", &[Event, Category]),
            (Event, "search=a", &[Event, Venue, Organizer, Category, Tag]),
            (Venue, "search=a&page=2", &[Venue]),
            (Organizer, "has_events=1", &[Organizer, Event]),
        ] {
            let found: Vec<_> = selected_from(kind, query).into_iter().collect();
            let expected: Vec<_> = expected.iter().copied().map(super::Tag::Collection).collect();
            assert_eq!(found, expected, "{query}");
        }
    }

    /// Filters of events that look at nothing but the events.
    const OF_EVENTS: &str = "end_date ends_after ends_before featured include page per_page post_parent start_date \
                             starts_after starts_before status strict_dates ticketed";

    #[test]
    fn a_parameter_of_events_selects_by_other_records_or_is_known_not_to() {
        let list = table().named("events.list").expect("an operation");
        let names = list.arguments.iter().map(|argument| argument.name);
        let mut of_events: Vec<&str> = names.filter(|name| filtered_by(name).is_empty()).collect();
        of_events.sort_unstable();
        assert_eq!(of_events, OF_EVENTS.split_whitespace().collect::<Vec<_>>());
    }
}
