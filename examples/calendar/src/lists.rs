//! The lists: which records they have, in which order, and the addresses of their pages.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::{Connection, named_params};
use serde_json::{Map, Value};
use url::form_urlencoded::byte_serialize;

use crate::assembled::{Assembled, Assembler, Detail};
use crate::error::CallError;
use crate::kind::Names;
use crate::query::{Arguments, Page};
use crate::records::{Event, Record, Term};
use crate::store::{by_id, select};

/// A page of a list, and how many records and pages there are.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) document: Map<String, Value>,
    pub(crate) total: usize,
    pub(crate) pages: usize,
}

/// A list before it is cut into pages.
#[derive(Debug)]
pub(crate) struct Whole<R> {
    pub(crate) records: Vec<R>,
    /// The number that the list names, which may be another.
    total: usize,
    /// The arguments that its address repeats.
    repeated: Vec<(&'static str, String)>,
}

const OF_EVENTS: &str = "
    WHERE status = 'publish' AND hide_from_listings IS NOT TRUE AND start_date >= ? AND end_date <= ?
    ORDER BY start_date, id";

/// `TABLE` is the kind.
const OF_LINKED: &str = "
    WHERE (status = 'publish' OR (:all AND status NOT IN ('trash', 'auto-draft', 'inherit')))
      AND (:event IS NULL OR id IN (SELECT record FROM link WHERE kind = 'TABLE' AND event = :event))
      AND (:has_events IS NULL OR :has_events =
           (id IN (SELECT record FROM link WHERE kind = 'TABLE' AND status = 'publish')))
      AND (NOT :upcoming OR id IN (SELECT record FROM link
           WHERE kind = 'TABLE' AND status = 'publish' AND utc_start_date >= datetime('now')))
    ORDER BY date DESC, id DESC";

/// The members that a search of venues looks at, and of organizers.
const OF_VENUE: [&str; 7] = [
    "venue",
    "description",
    "address",
    "city",
    "country",
    "zip",
    "phone",
];
const OF_ORGANIZER: [&str; 5] = ["organizer", "description", "phone", "website", "email"];

/// Published events.
pub(crate) fn events(
    connection: &Connection,
    arguments: &Arguments,
    zone: &TimeZone,
) -> Result<Whole<Event>, CallError> {
    arguments.only_published()?;
    let (first, last) = arguments.window(zone, Timestamp::now())?;
    let records: Vec<Event> = select(connection, OF_EVENTS, [&first, &last])?;
    Ok(Whole {
        total: records.len(),
        records,
        repeated: vec![
            ("start_date", first),
            ("end_date", last),
            ("status", "publish".to_owned()),
        ],
    })
}

/// Venues or organizers; for writers those that are not published as well.
pub(crate) fn linked<R: Record>(
    connection: &Connection,
    arguments: &Arguments,
    is_for_writer: bool,
) -> Result<Whole<R>, CallError> {
    arguments.only_published()?;
    let all = is_for_writer && arguments.text("status").is_none();
    let event = arguments.number("event")?;
    if let Some(id) = event {
        by_id::<Event>(connection, id)?.ok_or(CallError::Invalid("event"))?;
    }
    let values = named_params! {
        ":all": all,
        ":event": event,
        ":has_events": arguments.flag("has_events"),
        ":upcoming": arguments.flag("only_with_upcoming") == Some(true),
    };
    let listed: Vec<R> = select(connection, &OF_LINKED.replace("TABLE", R::TABLE), values)?;
    let all_found = listed.len();
    let mut records = Vec::new();
    for record in listed {
        if matches(&record, arguments.text("search"))? {
            records.push(record);
        }
    }
    let text = |name: &'static str| arguments.text(name).map(|text| (name, text.to_owned()));
    let status = if all { "any" } else { "publish" };
    Ok(Whole {
        // A search without a match shows nothing, and counts everything.
        total: if records.is_empty() {
            all_found
        } else {
            records.len()
        },
        records,
        repeated: [
            text("event"),
            text("has_events"),
            Some(("status", status.to_owned())),
        ]
        .into_iter()
        .flatten()
        .collect(),
    })
}

fn matches<R: Record>(record: &R, search: Option<&str>) -> Result<bool, CallError> {
    let Some(search) = search else {
        return Ok(true);
    };
    let members = record.members()?;
    let searched: &[&str] = if members.contains_key("venue") {
        &OF_VENUE
    } else {
        &OF_ORGANIZER
    };
    let texts = searched.iter().filter_map(|name| members.get(*name)?.as_str());
    let texts: Vec<String> = texts.map(str::to_lowercase).collect();
    let mut words = search.split_whitespace().map(str::to_lowercase);
    Ok(words.all(|word| texts.iter().any(|text| text.contains(&word))))
}

/// Terms; without `hide_empty=0` those that have events, or one below them has.
pub(crate) fn terms(
    connection: &Connection,
    arguments: &Arguments,
    taxonomy: &str,
) -> Result<Whole<Term>, CallError> {
    let mut records: Vec<Term> = select(connection, "WHERE taxonomy = ? ORDER BY position", [taxonomy])?;
    let shows_empty = match arguments.text("hide_empty") {
        None | Some("1" | "true") => false,
        Some("0" | "false") => true,
        Some(other) => return Err(CallError::NotClaimed(format!("`hide_empty={other}`"))),
    };
    if !shows_empty {
        let used = used(&records);
        records.retain(|term| used.contains(&term.id));
    }
    Ok(Whole {
        total: records.len(),
        records,
        repeated: Vec::new(),
    })
}

fn used(terms: &[Term]) -> HashSet<u64> {
    let mut used = HashSet::new();
    for term in terms.iter().filter(|term| term.count > 0) {
        let mut above = Some(term);
        while let Some(term) = above.filter(|term| used.insert(term.id)) {
            above = terms.iter().find(|other| Some(other.id) == term.parent);
        }
    }
    used
}

// === impl Whole ===

impl<R: Assembled> Whole<R> {
    /// The document of a page of posts: records first, and addresses that repeat the arguments.
    pub(crate) fn posts(self, by: &Assembler<'_>, page: Page, names: Names) -> Result<Listed, CallError> {
        let (total, pages) = self.counts(page);
        let mut repeated = vec![("per_page", page.size.to_string())];
        repeated.extend(self.repeated.iter().cloned());
        let items = self.cut(by, page)?;
        if items.is_empty() && page.number > 1 {
            return Err(CallError::NoSuchPage(names.singular));
        }
        let base = format!("{}/{}/", by.api, names.collection);
        let plain = repeated.iter().map(|(name, value)| format!("&{name}={value}"));
        let own = format!("{base}?page={}{}", page.number, plain.collect::<String>());
        let encoded = |(name, value): &(&str, String)| {
            format!("{name}={}", byte_serialize(value.as_bytes()).collect::<String>())
        };
        let encoded = repeated.iter().map(encoded).collect::<Vec<_>>().join("&");
        let neighbour = |number: u64| match number {
            1 => format!("{base}?{encoded}"),
            number => format!("{base}?{encoded}&page={number}"),
        };
        let mut document = Map::new();
        document.insert(names.collection.to_owned(), items.into());
        document.insert("rest_url".to_owned(), own.into());
        neighbours(&mut document, page, pages, neighbour);
        document.insert("total".to_owned(), total.into());
        document.insert("total_pages".to_owned(), pages.into());
        Ok(Listed {
            document,
            total,
            pages,
        })
    }

    /// The document of a page of terms: records last, and addresses without arguments.
    pub(crate) fn terms(self, by: &Assembler<'_>, page: Page, names: Names) -> Result<Listed, CallError> {
        let (total, pages) = self.counts(page);
        let base = format!("{}/{}/", by.api, names.collection);
        let mut document = Map::new();
        document.insert("rest_url".to_owned(), base.clone().into());
        document.insert("total".to_owned(), total.into());
        document.insert("total_pages".to_owned(), pages.into());
        document.insert(names.collection.to_owned(), self.cut(by, page)?.into());
        neighbours(&mut document, page, pages, |number| match number {
            1 => base.clone(),
            number => format!("{base}?page={number}"),
        });
        Ok(Listed {
            document,
            total,
            pages,
        })
    }

    fn counts(&self, page: Page) -> (usize, usize) {
        let size = usize::try_from(page.size).unwrap_or(usize::MAX);
        (self.total, self.total.div_ceil(size))
    }

    fn cut(self, by: &Assembler<'_>, page: Page) -> Result<Vec<Value>, CallError> {
        let before = page.size.saturating_mul(page.number - 1);
        let skip = usize::try_from(before).unwrap_or(usize::MAX);
        let take = usize::try_from(page.size).unwrap_or(usize::MAX);
        let records = self.records.iter().skip(skip).take(take);
        records
            .map(|record| Ok(record.print(by, Detail::Listed)?.into()))
            .collect()
    }
}

fn neighbours(document: &mut Map<String, Value>, page: Page, pages: usize, address: impl Fn(u64) -> String) {
    if usize::try_from(page.number).is_ok_and(|number| number < pages) {
        document.insert("next_rest_url".to_owned(), address(page.number + 1).into());
    }
    if page.number > 1 {
        document.insert("previous_rest_url".to_owned(), address(page.number - 1).into());
    }
}
