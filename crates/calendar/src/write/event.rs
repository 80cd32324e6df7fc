//! Writes of events.

use calendar_edge_judge::contract::Kind;
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{linked, post, term};
use crate::call::{Call, items_of, number_of};
use crate::dates::{abbreviation, of_stamp, stamp, to_utc, zone};
use crate::record::{Members, text};
use crate::refused::Refused;
use crate::store::Store;

const FLAGS: [&str; 6] = [
    "all_day",
    "show_map",
    "show_map_link",
    "hide_from_listings",
    "sticky",
    "featured",
];

/// Creates or updates an event. Members that are not sent are reset, but for its texts, dates, terms and venue.
pub(super) fn write(call: &Call, store: &mut Store, known: Option<u64>) -> Result<u64, Refused> {
    let is_blank = |name: &str| call.text(name).is_none_or(|text| text.trim().is_empty());
    if known.is_none() && ["title", "description", "excerpt"].into_iter().all(is_blank) {
        return Err(post::no_content());
    }
    // The records that an event names may be new, and then take the number before its own.
    let links = links(call, store)?;
    let (id, mut event) = post::begun(call, store, Kind::Event, known)?;
    event.insert("organizer".to_owned(), json!([]));
    event.extend(links);
    post::set_texts(call, &mut event, &["title", "description", "excerpt"]);
    for flag in FLAGS {
        event.insert(flag.to_owned(), call.flag(flag).unwrap_or(false).into());
    }
    let cost = call.value("cost").map(items_or_text).unwrap_or_default();
    event.insert("cost_details".to_owned(), cost_details(&cost));
    event.insert("cost".to_owned(), cost.into());
    let website = match (call.filled("website"), known) {
        (Some(website), _) => website.into(),
        (None, Some(_)) => "".into(),
        // Its own page is printed.
        (None, None) => Value::Null,
    };
    event.insert("website".to_owned(), website);
    post::set_image(call, store, &mut event)?;
    set_dates(call, &mut event);
    post::settle(call, store, (Kind::Event, id), &mut event);
    store.put(Kind::Event, id, event)?;
    Ok(id)
}

/// Terms, venue and organizers that a call sends. Those that are new are created.
fn links(call: &Call, store: &mut Store) -> Result<Members, Refused> {
    let mut links = Members::new();
    for kind in [Kind::Category, Kind::Tag] {
        let name = kind.collection();
        if let Some(items) = call.items(name) {
            links.insert(name.to_owned(), terms(store, kind, &items, &call.pages)?.into());
        }
    }
    for kind in [Kind::Venue, Kind::Organizer] {
        let name = kind.singular();
        let Some(value) = call.value(name) else {
            continue;
        };
        let mut ids = Vec::new();
        for entry in entries(value) {
            let id = match &entry {
                Value::Object(data) => linked::from_data(call, store, kind, data)?,
                scalar => {
                    let id = number_of(scalar).filter(|id| store.get(kind, *id).is_some());
                    id.ok_or_else(|| Refused::invalid(kind.singular()))?
                }
            };
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        match kind {
            Kind::Venue if ids.len() > 1 => return Err(Refused::unusable(kind)),
            // No venue at all leaves the one that was.
            Kind::Venue => links.extend(ids.first().map(|id| (name.to_owned(), (*id).into()))),
            _ => drop(links.insert(name.to_owned(), ids.into())),
        }
    }
    Ok(links)
}

/// One record or several, by number or by their data.
fn entries(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(several) => several.iter().flat_map(entries).collect(),
        Value::Object(_) => vec![value.clone()],
        scalar => items_of(scalar)
            .into_iter()
            .filter(|item| item != "0")
            .map(Value::from)
            .collect(),
    }
}

/// Terms by number or name. Unknown names are created, unknown numbers left out.
fn terms(store: &mut Store, kind: Kind, items: &[String], pages: &str) -> Result<Vec<u64>, Refused> {
    let mut ids = Vec::new();
    for item in items {
        let id = match store.term_called(kind, item) {
            None if item.parse::<u64>().is_err() => Some(term::add(store, kind, item, 0, pages)?),
            known => known,
        };
        ids.extend(id.filter(|id| !ids.contains(id)));
    }
    Ok(ids)
}

/// Sets zone and dates. One date alone is ignored; a zone that is not sent falls back to the site's.
fn set_dates(call: &Call, event: &mut Members) {
    let site = call.zone.iana_name().unwrap_or("UTC").to_owned();
    let asked = call.filled("timezone").map(|name| name.trim().to_owned());
    let named = asked.and_then(|name| Some((zone(&name)?, name)));
    let (rules, name) = named.unwrap_or_else(|| (call.zone.clone(), site));
    let sent = call.date("start_date").zip(call.date("end_date"));
    let is_new = text(event, "start_date").is_empty();
    let known = (
        of_stamp(text(event, "start_date")),
        of_stamp(text(event, "end_date")),
    );
    let now = (call.wall(), call.wall());
    let (start, end) = sent.unwrap_or(if is_new { now } else { known });
    set_times(event, (&rules, &name), (start, end));
}

/// Sets the clocks of an event, in a zone of this name.
pub(crate) fn set_times(
    event: &mut Members,
    (rules, name): (&TimeZone, &str),
    (start, end): (DateTime, DateTime),
) {
    let is_all_day = event.get("all_day") == Some(&Value::Bool(true));
    let (start, end) = if is_all_day {
        (
            start.date().to_datetime(Time::midnight()),
            end.date().at(23, 59, 59, 0),
        )
    } else {
        (start, end.max(start))
    };
    for (member, value) in [
        ("start_date", stamp(start)),
        ("end_date", stamp(end)),
        ("utc_start_date", stamp(to_utc(rules, start))),
        ("utc_end_date", stamp(to_utc(rules, end))),
        ("timezone", name.to_owned()),
        ("timezone_abbr", abbreviation(rules, name, start)),
    ] {
        event.insert(member.to_owned(), value.into());
    }
}

/// A cost may be anything; the scalars of a list count together.
fn items_or_text(value: &Value) -> String {
    match value {
        Value::Array(_) => items_of(value).join(" - "),
        scalar => crate::call::text_of(scalar)
            .filter(|text| text != "0")
            .unwrap_or_default(),
    }
}

/// The amounts of a cost, and the symbol before the first one.
pub(crate) fn cost_details(cost: &str) -> Value {
    let amounts = cost.split(|character: char| !character.is_ascii_digit() && character != '.');
    let amounts: Vec<&str> = amounts.filter(|amount| amount.parse::<f64>().is_ok()).collect();
    let symbol = cost
        .split(|character: char| character.is_ascii_digit())
        .next()
        .unwrap_or_default()
        .trim();
    let is_symbol =
        !amounts.is_empty() && symbol.chars().count() <= 3 && !symbol.contains(char::is_alphanumeric);
    let symbol = if is_symbol { symbol } else { "" };
    let position = if symbol.is_empty() { "" } else { "prefix" };
    json!({
        "currency_symbol": symbol,
        "currency_code": "",
        "currency_position": position,
        "values": amounts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_has_its_amounts_and_its_symbol() {
        for (cost, symbol, values) in [
            ("$ 12.50", "$", json!(["12.50"])),
            ("5-15", "", json!(["5", "15"])),
            ("free", "", json!([])),
        ] {
            let details = cost_details(cost);
            assert_eq!(
                (&details["currency_symbol"], &details["values"]),
                (&json!(symbol), &values),
                "{cost}"
            );
        }
    }
}
