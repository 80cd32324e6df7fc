//! Records as the API prints them: what is stored, and what follows from other records.

use calendar_edge_judge::contract::Kind;
use serde_json::{Map, Value, json};

use crate::caller::Caller;
use crate::record::{self, Members, has_password, ids, text};
use crate::store::{Store, Usage};

/// The printed part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// A read, or the response to a write.
    Alone,
    /// An item of a list: blank where a password hides it.
    Listed,
}

/// Prints records for one caller.
#[derive(Debug)]
pub(crate) struct Printer<'a> {
    pub(crate) store: &'a Store,
    pub(crate) usage: Usage,
    pub(crate) caller: &'a Caller,
    /// The password of an event, which came with the call.
    pub(crate) password: Option<String>,
    /// The calendar's API: `http://127.0.0.1:9000/wp-json/tribe/events/v1`.
    pub(crate) api: &'a str,
    /// The site whose pages records name: `https://events.example.org`.
    pub(crate) pages: &'a str,
}

// === impl Printer ===

impl Printer<'_> {
    /// The record of a kind and number; an empty object where there is none.
    pub(crate) fn record(&self, kind: Kind, id: u64, detail: Detail) -> Value {
        let Some(record) = self.store.get(kind, id) else {
            return json!({});
        };
        match kind {
            Kind::Event => self.event(id, record, detail),
            Kind::Venue | Kind::Organizer => linked(record),
            Kind::Category | Kind::Tag => self.term(kind, id, record, detail),
        }
        .into()
    }

    /// True if the caller may read a post.
    pub(crate) fn may_read(&self, record: &Members) -> bool {
        self.caller
            .may_read(text(record, "status"), text(record, "author"))
    }

    /// True if a password hides a record that the call does not bring.
    pub(crate) fn is_locked(&self, record: &Members) -> bool {
        let own = text(record, record::PASSWORD);
        has_password(record) && (own.is_empty() || self.password.as_deref() != Some(own))
    }

    fn event(&self, id: u64, record: &Members, detail: Detail) -> Map<String, Value> {
        let is_hidden = detail == Detail::Listed && self.is_locked(record);
        let mut printed = Map::new();
        for (name, value) in record {
            let hidden = is_hidden.then(|| blanked(name)).flatten();
            let value = match (name.as_str(), hidden) {
                (record::PASSWORD | record::LOCKED | record::TERM_ROWS, _) => continue,
                (_, Some(blank)) => blank,
                ("categories", _) => self.terms_of(record, Kind::Category),
                ("tags", _) => self.terms_of(record, Kind::Tag),
                ("venue", _) => match self.linked_of(record, Kind::Venue) {
                    mut one if one.len() == 1 => one.pop().unwrap_or_default(),
                    several => several.into(),
                },
                ("organizer", _) => self.linked_of(record, Kind::Organizer).into(),
                ("website", _) if value.is_null() => record.get("url").cloned().unwrap_or_default(),
                _ => value.clone(),
            };
            let details = name.ends_with("_date").then(|| date_details(&value));
            printed.insert(name.clone(), value);
            if name == "url" {
                let own = format!("{}/events/{id}", self.api);
                printed.insert("rest_url".to_owned(), own.into());
            }
            if let Some(details) = details {
                printed.insert(format!("{name}_details"), details);
            }
        }
        printed
    }

    /// The venue or the organizers of an event. WordPress shows them to everybody, whatever their status is.
    fn linked_of(&self, event: &Members, kind: Kind) -> Vec<Value> {
        let named = ids(event, kind.singular()).into_iter();
        let named = named.filter_map(|id| self.store.get(kind, id));
        named.map(|record| linked(record).into()).collect()
    }

    /// Terms inside of an event: the rows of WordPress's database.
    fn terms_of(&self, event: &Members, kind: Kind) -> Value {
        let terms = ids(event, kind.collection()).into_iter();
        let mut terms: Vec<(u64, &Members)> = terms
            .filter_map(|id| Some((id, self.store.get(kind, id)?)))
            .collect();
        terms.sort_by_key(|(_, term)| text(term, "name").to_lowercase());
        let printed = terms.into_iter().map(|(id, term)| {
            let row = &event.get(record::TERM_ROWS).unwrap_or(&Value::Null)[id.to_string()];
            json!({
                "name": term["name"],
                "slug": term["slug"],
                "term_group": 0,
                "term_taxonomy_id": row.as_u64().unwrap_or(id),
                "taxonomy": term["taxonomy"],
                "description": term["description"],
                "parent": record::number(term, "parent"),
                "count": self.usage.of(kind, id),
                "filter": "raw",
                "id": id,
                "urls": self.urls(kind, id, term),
            })
        });
        printed.collect()
    }

    fn term(&self, kind: Kind, id: u64, record: &Members, detail: Detail) -> Map<String, Value> {
        let mut printed = record.clone();
        printed.remove(record::UNSEEN);
        printed.insert("count".to_owned(), self.usage.of(kind, id).into());
        printed.insert("urls".to_owned(), self.urls(kind, id, record));
        if detail == Detail::Alone {
            printed.insert("_links".to_owned(), self.links(kind, id, record));
        }
        printed
    }

    fn urls(&self, kind: Kind, id: u64, term: &Members) -> Value {
        let list = format!("{}/{}", self.api, kind.collection());
        let mut urls = json!({"self": format!("{list}/{id}"), "collection": list});
        match record::number(term, "parent") {
            0 => {}
            parent => urls["up"] = format!("{list}/{parent}").into(),
        }
        urls
    }

    /// The links of a term into WordPress's own API.
    fn links(&self, kind: Kind, id: u64, term: &Members) -> Value {
        let base = if kind == Kind::Category {
            "tribe_events_cat"
        } else {
            "tags"
        };
        let core = format!("{}/wp-json/wp/v2", self.pages);
        let href = |path: String| json!({"href": format!("{core}/{path}")});
        let mut own = href(format!("{base}/{id}"));
        let allowed: &[&str] = if self.caller.may_write() {
            &["GET", "POST", "PUT", "PATCH", "DELETE"]
        } else {
            &["GET"]
        };
        own["targetHints"] = json!({"allow": allowed});
        let events = href(format!("tribe_events?{base}={id}"));
        let posts = if kind == Kind::Tag {
            json!([href(format!("posts?{base}={id}")), events])
        } else {
            json!([events])
        };
        let mut links = json!({
            "self": [own],
            "collection": [href(base.to_owned())],
            "about": [href(format!("taxonomies/{}", text(term, "taxonomy")))],
            "wp:post_type": posts,
            "curies": [{"name": "wp", "href": "https://api.w.org/{rel}", "templated": true}],
        });
        if let parent @ 1.. = record::number(term, "parent") {
            let mut up = href(format!("{base}/{parent}"));
            up["embeddable"] = true.into();
            links["up"] = json!([up]);
        }
        links
    }
}

/// A venue or an organizer, without empty texts and an image that it does not have.
fn linked(record: &Members) -> Map<String, Value> {
    let mut printed = record.clone();
    printed.retain(|name, value| match value {
        Value::String(text) => !matches!(text.as_str(), "" | "0"),
        Value::Bool(false) => name != "image",
        _ => true,
    });
    printed
}

/// A member of an event in lists, if its password hides it.
fn blanked(name: &str) -> Option<Value> {
    let blank = match name {
        "description" | "excerpt" | "cost" | "website" => "".into(),
        "image" => false.into(),
        "categories" | "tags" | "venue" | "organizer" => json!([]),
        "cost_details" => {
            json!({"currency_symbol": "", "currency_position": "", "currency_code": "", "values": []})
        }
        "all_day" | "show_map" | "show_map_link" | "hide_from_listings" | "sticky" | "featured" => {
            Value::Null
        }
        _ => return None,
    };
    Some(blank)
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
