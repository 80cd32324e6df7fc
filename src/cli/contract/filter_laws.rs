//! Laws of filters: every record of a filtered list matches the filter, and the record that it was made from is among
//! them.

use calendar_edge_judge::contract::{Kind, table};
use jiff::Span;
use jiff::civil::Date;
use serde_json::Value;
use url::form_urlencoded::byte_serialize;

use super::suite::{FoundRecords, Suite};
use super::tested_api::ApiRequest;

/// A filter, the record that it was made from, and its condition on each record.
struct FilterCase<'a> {
    kind: Kind,
    /// `categories=7`
    filter: String,
    /// The number of a record that the list has to hold; none: any.
    holds: Option<i64>,
    demand: Box<dyn Fn(&Value) -> bool + Send + Sync + 'a>,
}

/// The filters of events that need a record with a value.
const WANTED_OF_EVENTS: [&str; 5] = ["categories", "tags", "venue", "organizer", "featured"];

// === impl FilterCase ===

impl<'a> FilterCase<'a> {
    fn new(
        kind: Kind,
        filter: String,
        holds: Option<i64>,
        demand: impl Fn(&Value) -> bool + Send + Sync + 'a,
    ) -> Self {
        Self {
            kind,
            filter,
            holds,
            demand: Box::new(demand),
        }
    }

    fn name(&self) -> &str {
        name(&self.filter)
    }

    /// The whole list, filtered.
    fn request(&self) -> ApiRequest {
        let all = self.kind.whole_list().split('&');
        let others: Vec<&str> = all.filter(|pair| name(pair) != self.name()).collect();
        ApiRequest::get(format!(
            "/{}?{}&{}",
            self.kind.collection(),
            others.join("&"),
            self.filter
        ))
    }
}

fn name(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

// === impl Suite ===

impl Suite {
    /// Tries the filters for which the found records have values.
    pub(super) async fn filter_laws(&mut self, found: &FoundRecords) {
        let cases: Vec<FilterCase<'_>> = of_events(of(found, Kind::Event))
            .into_iter()
            .chain(of_linked_posts(found))
            .chain(of_terms(found))
            .collect();
        for case in &cases {
            self.filter_case(case).await;
        }
        for name in WANTED_OF_EVENTS {
            if !cases
                .iter()
                .any(|case| case.kind == Kind::Event && case.name() == name)
            {
                self.leave_out(
                    "events.list",
                    &format!("`{name}` filters"),
                    "no event has a value for it",
                );
            }
        }
    }

    async fn filter_case(&mut self, case: &FilterCase<'_>) {
        let subject = format!("{}.list", case.kind.collection());
        let name = case.name();
        let law = format!("`{name}` filters");
        let is_absent = |operation| !self.api.has_argument(operation, name);
        if table().named(&subject).is_some_and(is_absent) {
            return self.leave_out(&subject, &law, "the backend does not publish the argument");
        }
        let Some(trial) = self.send(&subject, &law, case.request()).await else {
            return;
        };
        let body = &trial.answer.body;
        let records = body[case.kind.collection()].as_array();
        let Some(records) = records.filter(|_| trial.answer.status == 200) else {
            return self.check(&trial, &law, false, "200");
        };
        let others: Vec<i64> = records
            .iter()
            .filter(|record| !is_blanked(record) && !(case.demand)(record))
            .filter_map(id)
            .collect();
        self.verdict(
            &trial,
            &law,
            (others.is_empty(), "records that match the filter"),
            || format!("{others:?} as well"),
        );
        let is_there = case.holds.is_none() || records.iter().any(|record| id(record) == case.holds);
        if body["total_pages"].as_u64().is_some_and(|pages| pages <= 1) {
            let law = format!("`{name}` leaves nothing out");
            self.verdict(
                &trial,
                &law,
                (is_there, &format!("{:?} among them", case.holds)),
                || format!("{} others", records.len()),
            );
        }
    }
}

fn id(record: &Value) -> Option<i64> {
    record["id"].as_i64()
}

/// True for an event with a password, of which lists show no particulars (backend.md section 8).
fn is_blanked(record: &Value) -> bool {
    record["all_day"].is_null() && record.get("all_day").is_some()
}

fn of(found: &FoundRecords, kind: Kind) -> &[Value] {
    found.get(&kind).map_or(&[], Vec::as_slice)
}

fn of_events(events: &[Value]) -> Vec<FilterCase<'_>> {
    let mut cases = Vec::new();
    for (name, place) in [
        ("categories", "/categories/0/id"),
        ("tags", "/tags/0/id"),
        ("venue", "/venue/id"),
        ("organizer", "/organizer/0/id"),
    ] {
        let found = events
            .iter()
            .find_map(|event| Some((event, event.pointer(place)?.as_i64()?)));
        if let Some((event, of)) = found {
            cases.push(FilterCase::new(
                Kind::Event,
                format!("{name}={of}"),
                id(event),
                move |event| refers(&event[name], of),
            ));
        }
    }
    let is_featured = |event: &Value| event["featured"] == true;
    if let Some(event) = events.iter().find(|event| is_featured(event)) {
        let filter = "featured=true".to_owned();
        cases.push(FilterCase::new(Kind::Event, filter, id(event), is_featured));
    }
    if let Some(first) = events.first() {
        let filter = format!("include={}", first["id"]);
        // The plugin ignores dates beside it, and keeps its usual window.
        cases.push(FilterCase::new(Kind::Event, filter, None, |event| {
            id(event) == id(first)
        }));
    }
    cases.extend(windows(events).unwrap_or_default());
    cases
}

/// True if a member names a record or a term with this number, or a category below it.
fn refers(member: &Value, of: i64) -> bool {
    let is = |one: &Value| id(one) == Some(of) || one["parent"].as_i64().is_some_and(|parent| parent != 0);
    match member {
        Value::Array(several) => several.iter().any(is),
        one => is(one),
    }
}

/// Filters by a day in the middle of the events. An event in its own time zone may have another day than in the site's.
fn windows(events: &[Value]) -> Option<Vec<FilterCase<'_>>> {
    let day = |event: &Value, member: &str| -> Option<Date> {
        event[member].as_str()?.split(' ').next()?.parse().ok()
    };
    let middle = events.get(events.len() / 2)?;
    let start = day(middle, "start_date")?;
    let distant = |days: i32| start.checked_add(Span::new().days(days)).ok();
    let (before, after) = (distant(-2)?, distant(2)?);
    let (least, most) = (distant(-3)?, distant(3)?);
    let case = |filter: String, member: &'static str, holds: fn(&Date, &Date) -> bool, bound: Date| {
        FilterCase::new(Kind::Event, filter, id(middle), move |event| {
            day(event, member).is_some_and(|day| holds(&day, &bound))
        })
    };
    Some(vec![
        case(format!("starts_after={before}"), "start_date", Date::ge, least),
        case(format!("starts_before={after}"), "start_date", Date::le, most),
        case(format!("start_date={before}"), "end_date", Date::ge, least),
    ])
}

fn of_linked_posts(found: &FoundRecords) -> impl Iterator<Item = FilterCase<'_>> {
    let posts = [
        (Kind::Venue, "venue", "/venue/id"),
        (Kind::Organizer, "organizer", "/organizer/0/id"),
    ];
    posts.into_iter().filter_map(|(kind, member, place)| {
        let (event, first) = of(found, Kind::Event)
            .iter()
            .find_map(|event| Some((event, event.pointer(place)?.as_i64()?)))?;
        let all: Vec<i64> = match &event[member] {
            Value::Array(several) => several.iter().filter_map(id).collect(),
            _ => vec![first],
        };
        let filter = format!("event={}", event["id"]);
        Some(FilterCase::new(kind, filter, Some(first), move |record| {
            id(record).is_some_and(|id| all.contains(&id))
        }))
    })
}

fn of_terms(found: &FoundRecords) -> Vec<FilterCase<'_>> {
    let mut cases = Vec::new();
    for kind in [Kind::Category, Kind::Tag] {
        let Some(term) = of(found, kind).first() else {
            continue;
        };
        let (of, slug) = (id(term), &term["slug"]);
        let encoded: String = byte_serialize(slug.as_str().unwrap_or_default().as_bytes()).collect();
        let number = &term["id"];
        cases.extend([
            FilterCase::new(kind, format!("slug={encoded}"), of, move |term| {
                term["slug"] == *slug
            }),
            FilterCase::new(kind, format!("include={number}"), of, move |term| id(term) == of),
            FilterCase::new(kind, format!("exclude={number}"), None, move |term| {
                id(term) != of
            }),
        ]);
    }
    let parent = |category: &Value| category["parent"].as_i64();
    let child = of(found, Kind::Category)
        .iter()
        .find(|category| parent(category).is_some_and(|parent| parent > 0));
    if let Some(child) = child {
        let filter = format!("parent={}", child["parent"]);
        cases.push(FilterCase::new(
            Kind::Category,
            filter,
            id(child),
            move |category| parent(category) == parent(child),
        ));
    }
    cases
}
