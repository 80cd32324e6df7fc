//! Records as the API prints them, assembled from rows.

use rusqlite::Connection;
use serde_json::{Map, Value, json};

use crate::error::CallError;
use crate::json_ld;
use crate::records::{Event, Organizer, Record, Term, Venue};
use crate::store::by_id;

/// How much of a record is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// An item of a list, or the answer to a write.
    Listed,
    /// A read: with schema.org data and links.
    Alone,
}

/// Prints records from one database.
#[derive(Debug)]
pub(crate) struct Assembler<'a> {
    pub(crate) connection: &'a Connection,
    /// The site as WordPress prints it: the edge makes no address public beside those of the calendar's API.
    pub(crate) site: &'a str,
    /// The calendar's API as this service prints it.
    pub(crate) api: &'a str,
    /// The currency of costs.
    pub(crate) currency: &'a str,
}

/// A kind whose records are assembled.
pub(crate) trait Assembled: Record {
    /// The record as the API prints it.
    fn print(&self, by: &Assembler<'_>, detail: Detail) -> Result<Map<String, Value>, CallError>;
}

impl Assembled for Venue {
    fn print(&self, _: &Assembler<'_>, detail: Detail) -> Result<Map<String, Value>, CallError> {
        let described = (detail == Detail::Alone).then(|| json_ld::place(self));
        Ok(with_json_ld(self.members()?, "show_map", described))
    }
}

impl Assembled for Organizer {
    fn print(&self, _: &Assembler<'_>, detail: Detail) -> Result<Map<String, Value>, CallError> {
        let described = (detail == Detail::Alone).then(|| json_ld::person(self));
        Ok(with_json_ld(self.members()?, "global_id", described))
    }
}

impl Assembled for Term {
    fn print(&self, by: &Assembler<'_>, detail: Detail) -> Result<Map<String, Value>, CallError> {
        let mut members = self.members()?;
        members.insert("urls".to_owned(), by.urls(self));
        if detail == Detail::Alone {
            members.insert("_links".to_owned(), by.links(self));
        }
        Ok(members)
    }
}

impl Assembled for Event {
    fn print(&self, by: &Assembler<'_>, detail: Detail) -> Result<Map<String, Value>, CallError> {
        let venue = self
            .venue
            .map(|id| by.published::<Venue>(id))
            .transpose()?
            .flatten();
        let organizers = by.all_published::<Organizer>(&self.organizer.0)?;
        let mut printed = Map::new();
        for (name, value) in self.members()? {
            let details = name.ends_with("_date").then(|| date_details(&value));
            let value = match name.as_str() {
                "categories" => by.terms(&self.categories.0)?,
                "tags" => by.terms(&self.tags.0)?,
                "venue" => match &venue {
                    Some(venue) => venue.print(by, detail)?.into(),
                    None => json!([]),
                },
                "organizer" => {
                    let organizers = organizers.iter().map(|organizer| organizer.print(by, detail));
                    organizers.collect::<Result<Value, _>>()?
                }
                _ => value,
            };
            printed.insert(name.clone(), value);
            if name == "url" {
                let own = format!("{}/events/{}", by.api, self.id);
                printed.insert("rest_url".to_owned(), own.into());
            }
            if let Some(details) = details {
                printed.insert(format!("{name}_details"), details);
            }
        }
        if detail == Detail::Alone {
            let place = venue.as_ref().map(json_ld::place);
            let person = organizers.first().map(json_ld::person);
            let described = json_ld::event(self, place, person, by.currency);
            printed.insert("json_ld".to_owned(), described.into());
        }
        Ok(printed)
    }
}

fn with_json_ld(mut members: Map<String, Value>, next: &str, described: Option<Value>) -> Map<String, Value> {
    let place = members.keys().position(|name| name == next);
    if let (Some(place), Some(described)) = (place, described) {
        members.shift_insert(place, "json_ld".to_owned(), described);
    }
    members
}

/// The parts of `2026-12-01 18:00:00`.
fn date_details(stamp: &Value) -> Value {
    let stamp = stamp.as_str().unwrap_or_default();
    let mut parts = stamp.split(['-', ' ', ':']);
    let mut part = || parts.next().unwrap_or_default();
    json!({
        "year": part(), "month": part(), "day": part(), "hour": part(), "minutes": part(), "seconds": part(),
    })
}

// === impl Assembler ===

impl Assembler<'_> {
    fn published<R: Record>(&self, id: u64) -> Result<Option<R>, CallError> {
        let found = by_id::<R>(self.connection, id)?;
        // An event shows what everybody may read.
        let is_public = |record: &R| {
            record
                .members()
                .is_ok_and(|members| members.get("status") == Some(&"publish".into()))
        };
        Ok(found.filter(is_public))
    }

    fn all_published<R: Record>(&self, ids: &[u64]) -> Result<Vec<R>, CallError> {
        let found = ids.iter().filter_map(|id| self.published(*id).transpose());
        found.collect()
    }

    /// Terms inside of an event: the rows of WordPress's database.
    fn terms(&self, ids: &[u64]) -> Result<Value, CallError> {
        let mut printed = Vec::new();
        for id in ids {
            let Some(term) = by_id::<Term>(self.connection, *id)? else {
                continue;
            };
            printed.push(json!({
                "name": term.name,
                "slug": term.slug,
                "term_group": 0,
                "term_taxonomy_id": term.id,
                "taxonomy": term.taxonomy,
                "description": term.description,
                "parent": term.parent.unwrap_or(0),
                "count": term.count,
                "filter": "raw",
                "id": term.id,
                "urls": self.urls(&term),
            }));
        }
        Ok(printed.into())
    }

    fn urls(&self, term: &Term) -> Value {
        let list = if term.parent.is_some() {
            "categories"
        } else {
            "tags"
        };
        let list = format!("{}/{list}", self.api);
        let mut urls = json!({"self": format!("{list}/{}", term.id), "collection": list});
        if let Some(parent) = term.parent.filter(|parent| *parent > 0) {
            urls["up"] = format!("{list}/{parent}").into();
        }
        urls
    }

    /// The links of a term into WordPress's own API, for callers without rights.
    fn links(&self, term: &Term) -> Value {
        let base = if term.parent.is_some() {
            "tribe_events_cat"
        } else {
            "tags"
        };
        let core = format!("{}/wp-json/wp/v2", self.site);
        let href = |path: String| json!({"href": format!("{core}/{path}")});
        let mut own = href(format!("{base}/{}", term.id));
        own["targetHints"] = json!({"allow": ["GET"]});
        let mut links = json!({
            "self": [own],
            "collection": [href(base.to_owned())],
            "about": [href(format!("taxonomies/{}", term.taxonomy))],
        });
        if let Some(parent) = term.parent.filter(|parent| *parent > 0) {
            let up = json!({"embeddable": true, "href": format!("{core}/{base}/{parent}")});
            links["up"] = json!([up]);
        }
        let events = href(format!("tribe_events?{base}={}", term.id));
        links["wp:post_type"] = match term.parent {
            Some(_) => json!([events]),
            None => json!([href(format!("posts?{base}={}", term.id)), events]),
        };
        links["curies"] = json!([{"name": "wp", "href": "https://api.w.org/{rel}", "templated": true}]);
        links
    }
}
