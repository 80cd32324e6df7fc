//! The records of a calendar, as typed rows, and how they are read from the API.

use anyhow::{Context as _, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::columns::{Json, Row, table};

/// Members that follow from others. They are assembled for each answer, and not stored.
const DERIVED: [&str; 8] = [
    "rest_url",
    "json_ld",
    "urls",
    "_links",
    "start_date_details",
    "end_date_details",
    "utc_start_date_details",
    "utc_end_date_details",
];

/// A record of one kind.
pub(crate) trait Record: Row + Serialize + DeserializeOwned {
    /// Replaces the records inside of a printed one by their numbers.
    fn reduce(_: &mut Map<String, Value>) -> anyhow::Result<()> {
        Ok(())
    }

    /// Whether a member with this value is not printed.
    fn is_left_out(value: &Value) -> bool;

    /// The members that the record has of its own, in the order of the API.
    fn members(&self) -> serde_json::Result<Map<String, Value>> {
        let mut members: Map<String, Value> = serde_json::from_value(serde_json::to_value(self)?)?;
        members.retain(|_, value| !Self::is_left_out(value));
        Ok(members)
    }

    /// Reads a record as the API prints it, in a list or alone. It fails if it could not be printed again as it was.
    fn of_printed(printed: Value) -> anyhow::Result<Self> {
        let Value::Object(mut members) = printed else {
            bail!("{printed} is no record");
        };
        members.retain(|name, _| !DERIVED.contains(&name.as_str()));
        Self::reduce(&mut members)?;
        let id = members.get("id").cloned().unwrap_or_default();
        let unknown = || format!("{} {id} has a form that no column holds", Self::TABLE);
        let record: Self = serde_json::from_value(members.clone().into()).with_context(unknown)?;
        ensure!(record.members()? == members, unknown());
        Ok(record)
    }
}

table! {
    /// An event. One behind a password has no texts, and neither true nor false for its switches.
    Event in "event" {
        id: u64,
        global_id: String,
        global_id_lineage: Json<Vec<String>>,
        author: String,
        status: String,
        date: String,
        date_utc: String,
        modified: String,
        modified_utc: String,
        url: String,
        title: String,
        description: String,
        excerpt: String,
        slug: String,
        image: Json<Value>,
        all_day: Option<bool>,
        start_date: String,
        end_date: String,
        utc_start_date: String,
        utc_end_date: String,
        timezone: String,
        timezone_abbr: String,
        cost: String,
        cost_details: Json<CostDetails>,
        website: String,
        show_map: Option<bool>,
        show_map_link: Option<bool>,
        hide_from_listings: Option<bool>,
        sticky: Option<bool>,
        featured: Option<bool>,
        categories: Json<Vec<u64>>,
        tags: Json<Vec<u64>>,
        venue: Option<u64>,
        organizer: Json<Vec<u64>>,
    }
}

table! {
    /// A venue; empty texts are not printed.
    Venue in "venue" {
        id: u64,
        author: String,
        status: String,
        date: String,
        date_utc: String,
        modified: String,
        modified_utc: String,
        url: String,
        venue: String,
        description: String,
        slug: String,
        image: Option<Json<Value>>,
        address: String,
        city: String,
        country: String,
        province: String,
        state: String,
        zip: String,
        phone: String,
        website: String,
        stateprovince: String,
        show_map: bool,
        show_map_link: bool,
        global_id: String,
        global_id_lineage: Json<Vec<String>>,
    }
}

table! {
    /// An organizer; empty texts are not printed.
    Organizer in "organizer" {
        id: u64,
        author: String,
        status: String,
        date: String,
        date_utc: String,
        modified: String,
        modified_utc: String,
        url: String,
        organizer: String,
        description: String,
        slug: String,
        image: Option<Json<Value>>,
        phone: String,
        website: String,
        email: String,
        global_id: String,
        global_id_lineage: Json<Vec<String>>,
    }
}

table! {
    /// A category or a tag.
    Term in "term" {
        id: u64,
        count: u64,
        description: String,
        name: String,
        slug: String,
        taxonomy: String,
        /// Categories only.
        parent: Option<u64>,
        meta: Json<Value>,
        url: String,
        /// The place in the list of all terms, which WordPress sorts by rules of its database.
        #[serde(skip)]
        position: u64,
    }
}

/// A cost as numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CostDetails {
    currency_symbol: String,
    currency_code: String,
    currency_position: String,
    pub(crate) values: Vec<String>,
}

impl Record for Event {
    fn reduce(members: &mut Map<String, Value>) -> anyhow::Result<()> {
        for name in ["categories", "tags", "organizer"] {
            let list = members
                .get_mut(name)
                .with_context(|| format!("an event without {name}"))?;
            let numbers = list.as_array().into_iter().flatten().map(|record| &record["id"]);
            *list = numbers.cloned().collect();
        }
        let venue = members.get_mut("venue").context("an event without venue")?;
        // No venue is an empty list.
        *venue = venue.get("id").cloned().unwrap_or_default();
        Ok(())
    }

    fn is_left_out(_: &Value) -> bool {
        false
    }
}

impl Record for Venue {
    fn is_left_out(value: &Value) -> bool {
        value.is_null() || value == ""
    }
}

impl Record for Organizer {
    fn is_left_out(value: &Value) -> bool {
        value.is_null() || value == ""
    }
}

impl Record for Term {
    fn is_left_out(value: &Value) -> bool {
        value.is_null()
    }
}
