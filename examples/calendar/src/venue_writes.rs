//! Writes of venues, as the plugin does them.

use std::ops::RangeInclusive;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::{Transaction, params};
use serde_json::{Map, Value};

use crate::api::Settings;
use crate::caller::Caller;
use crate::columns::Json;
use crate::error::CallError;
use crate::records::Venue;
use crate::store::{put, select};
use crate::texts::{paragraphs, slug, title};

/// The end of a trashed record's slug.
const TRASHED: &str = "__trashed";

/// The members that are claimed; a write with any other goes to nobody.
const CLAIMED: [&str; 15] = [
    "id",
    "venue",
    "description",
    "status",
    "address",
    "city",
    "country",
    "province",
    "state",
    "zip",
    "phone",
    "website",
    "stateprovince",
    "show_map",
    "show_map_link",
];

/// Writes venues for one caller.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    transaction: &'a Transaction<'a>,
    settings: &'a Settings,
    caller: &'a Caller,
    numbers: &'a RangeInclusive<u64>,
    local: String,
    utc: String,
}

// === impl Writer ===

impl<'a> Writer<'a> {
    pub(crate) fn new(
        transaction: &'a Transaction<'a>,
        settings: &'a Settings,
        caller: &'a Caller,
        numbers: &'a RangeInclusive<u64>,
    ) -> Self {
        let now = Timestamp::now();
        let stamp = |zone: &TimeZone| {
            now.to_zoned(zone.clone())
                .strftime("%Y-%m-%d %H:%M:%S")
                .to_string()
        };
        Self {
            transaction,
            settings,
            caller,
            numbers,
            local: stamp(&settings.zone),
            utc: stamp(&TimeZone::UTC),
        }
    }

    /// A new venue, or the one that has the same name and data already.
    pub(crate) fn create(&self, sent: &Map<String, Value>) -> Result<Venue, CallError> {
        named(text(sent, "venue").unwrap_or_default(), "create")?;
        let mut venue = Venue {
            author: self.caller.id.unwrap_or_default().to_string(),
            date: self.local.clone(),
            date_utc: self.utc.clone(),
            ..Venue::default()
        };
        apply(&mut venue, sent)?;
        if let Some(same) = self.same(&venue)? {
            return Ok(same);
        }
        venue.id = self.next_number()?;
        let id = format!("{}?id={}", host(&self.settings.pages), venue.id);
        venue.global_id_lineage = Json(vec![id.clone()]);
        venue.global_id = id;
        self.settle(&mut venue, sent)?;
        venue.modified.clone_from(&venue.date);
        venue.modified_utc.clone_from(&venue.date_utc);
        self.keep(venue)
    }

    /// Texts that are not sent stay. Status and maps are set anew, and `stateprovince` is lost.
    pub(crate) fn update(&self, mut venue: Venue, sent: &Map<String, Value>) -> Result<Venue, CallError> {
        text(sent, "venue").map_or(Ok(()), |name| named(name, "update"))?;
        venue.stateprovince.clear();
        apply(&mut venue, sent)?;
        self.settle(&mut venue, sent)?;
        self.keep(venue)
    }

    /// To the trash, once.
    pub(crate) fn delete(&self, mut venue: Venue) -> Result<Venue, CallError> {
        if venue.status == "trash" {
            return Err(CallError::InTrash("venue"));
        }
        "trash".clone_into(&mut venue.status);
        venue.slug.push_str(TRASHED);
        self.touch(&mut venue);
        self.keep(venue)
    }

    /// Sets status, slug and address of a venue that has its number.
    fn settle(&self, venue: &mut Venue, sent: &Map<String, Value>) -> Result<(), CallError> {
        let status = match (text(sent, "status"), self.caller.may_publish()) {
            (None | Some("publish"), true) => "publish",
            (None, false) | (Some("draft"), _) => "draft",
            (Some("publish" | "pending"), _) => "pending",
            (Some("private"), _) => "private",
            (Some(other), _) => return Err(CallError::NotClaimed(format!("the status `{other}`"))),
        };
        status.clone_into(&mut venue.status);
        let has_date = !matches!(venue.status.as_str(), "draft" | "pending");
        if !has_date {
            venue.date.clone_from(&self.local);
            "0000-00-00 00:00:00".clone_into(&mut venue.date_utc);
        } else if venue.date_utc.starts_with('0') {
            venue.date_utc.clone_from(&self.utc);
        }
        if let Some(plain) = venue.slug.strip_suffix(TRASHED) {
            venue.slug = plain.to_owned();
        }
        if venue.slug.is_empty() && has_date {
            venue.slug = self.free_slug(venue, sent)?;
        }
        self.touch(venue);
        Ok(())
    }

    fn touch(&self, venue: &mut Venue) {
        venue.modified.clone_from(&self.local);
        venue.modified_utc.clone_from(&self.utc);
        let pages = &self.settings.pages;
        venue.url = match venue.status.as_str() {
            "publish" | "private" => format!("{pages}/venue/{}/", venue.slug),
            _ => format!("{pages}/?post_type=tribe_venue&p={}", venue.id),
        };
    }

    fn free_slug(&self, venue: &Venue, sent: &Map<String, Value>) -> Result<String, CallError> {
        let typed = text(sent, "venue").unwrap_or(&venue.venue);
        let wanted = slug(typed).ok_or_else(|| {
            CallError::NotClaimed("names of venues with letters outside of ASCII".to_owned())
        })?;
        let wanted = if wanted.is_empty() {
            venue.id.to_string()
        } else {
            wanted
        };
        let numbered = (2_u64..).map(|number| format!("{wanted}-{number}"));
        for slug in std::iter::once(wanted.clone()).chain(numbered) {
            let taken: Vec<Venue> = select(self.transaction, "WHERE slug = ?", [&slug])?;
            if taken.is_empty() {
                return Ok(slug);
            }
        }
        Err(CallError::NoNumbers)
    }

    /// A venue of the same name that has all data of this one.
    fn same(&self, wanted: &Venue) -> Result<Option<Venue>, CallError> {
        let texts = |venue: &Venue| {
            let Venue {
                address,
                city,
                country,
                province,
                state,
                zip,
                phone,
                website,
                stateprovince,
                ..
            } = venue;
            [
                address,
                city,
                country,
                province,
                state,
                zip,
                phone,
                website,
                stateprovince,
            ]
            .map(String::clone)
        };
        let rest = "WHERE venue = ? AND status <> 'trash' ORDER BY id";
        let named: Vec<Venue> = select(self.transaction, rest, [&wanted.venue])?;
        let agrees = |venue: &Venue| {
            let mut pairs = texts(venue).into_iter().zip(texts(wanted));
            pairs.all(|(known, wanted)| wanted.is_empty() || known == wanted)
        };
        Ok(named.into_iter().find(agrees))
    }

    /// The next number of the block. Deleted venues keep theirs in the trash.
    fn next_number(&self) -> Result<u64, CallError> {
        let sql = "SELECT max(id) + 1 FROM venue WHERE id BETWEEN ? AND ?";
        let block = [self.numbers.start(), self.numbers.end()];
        let next: Option<u64> = self.transaction.query_row(sql, block, |row| row.get(0))?;
        let next = next.unwrap_or(*self.numbers.start());
        if self.numbers.contains(&next) {
            Ok(next)
        } else {
            Err(CallError::NoNumbers)
        }
    }

    /// Stores a venue, and notes it for the way back.
    fn keep(&self, venue: Venue) -> Result<Venue, CallError> {
        put(self.transaction, &venue)?;
        let note = "INSERT INTO written (venue, at) VALUES (?, ?)";
        self.transaction.execute(note, params![venue.id, self.utc])?;
        Ok(venue)
    }
}

/// Sets the members that a write names, and the maps that it does not.
fn apply(venue: &mut Venue, sent: &Map<String, Value>) -> Result<(), CallError> {
    if let Some(other) = sent.keys().find(|name| !CLAIMED.contains(&name.as_str())) {
        return Err(CallError::NotClaimed(format!("writes with `{other}`")));
    }
    for (name, field) in [
        ("address", &mut venue.address),
        ("city", &mut venue.city),
        ("country", &mut venue.country),
        ("province", &mut venue.province),
        ("state", &mut venue.state),
        ("zip", &mut venue.zip),
        ("phone", &mut venue.phone),
        ("website", &mut venue.website),
        ("stateprovince", &mut venue.stateprovince),
    ] {
        if let Some(text) = text(sent, name) {
            text.clone_into(field);
        }
    }
    if venue.stateprovince.is_empty() {
        let region = if venue.state.is_empty() {
            &venue.province
        } else {
            &venue.state
        };
        venue.stateprovince = region.clone();
    }
    if let Some(name) = text(sent, "venue") {
        venue.venue = title(name);
    }
    if let Some(typed) = text(sent, "description") {
        if typed.contains('<') {
            return Err(CallError::NotClaimed("descriptions with tags".to_owned()));
        }
        venue.description = paragraphs(typed);
    }
    let is_shown = |name: &str| text(sent, name).is_none_or(|text| !matches!(text, "" | "0" | "false"));
    venue.show_map = is_shown("show_map");
    venue.show_map_link = is_shown("show_map_link");
    Ok(())
}

/// Refuses a venue without a name: nothing is another fault than blanks.
fn named(name: &str, verb: &'static str) -> Result<(), CallError> {
    match (name, name.trim()) {
        ("", _) => Err(CallError::Invalid("venue")),
        (_, "") => Err(CallError::Unusable(verb)),
        _ => Ok(()),
    }
}

fn text<'a>(sent: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    sent.get(name)?.as_str()
}

/// The host of an address, with its path: `example.org/de`.
fn host(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, host)| host)
}
