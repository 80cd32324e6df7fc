//! Laws of filters: every record of a filtered list is what the filter asked for, and the record that it was made from is
//! among them.

use calendar_edge_judge::contract::{Kind, table};
use jiff::Span;
use jiff::civil::Date;
use serde_json::Value;
use url::form_urlencoded::byte_serialize;

use super::api_under_test::ApiRequest;
use super::suite::{FoundRecords, Suite, tried};

/// A filter, the record that it was made from, and what it demands of each record.
struct FilterCase<'a> {
    kind: Kind,
    /// `categories=7`
    filter: String,
    /// The number of a record that the list has to hold; none: any.
    holds: Option<i64>,
    demand: Box<dyn Fn(&Value) -> bool + Send + Sync + 'a>,
}

// === impl FilterCase ===

impl<'a> FilterCase<'a> {
    fn new(
        kind: Kind,
        filter: String,
        of: &Value,
        demand: impl Fn(&Value) -> bool + Send + Sync + 'a,
    ) -> Self {
        Self {
            kind,
            filter,
            holds: of["id"].as_i64(),
            demand: Box::new(demand),
        }
    }

    /// The whole list, filtered.
    fn request(&self) -> ApiRequest {
        let name = |pair: &str| pair.split('=').next().map(str::to_owned);
        let all = self.kind.whole_list().split('&');
        let others: Vec<&str> = all.filter(|pair| name(pair) != name(&self.filter)).collect();
        ApiRequest::get(format!(
            "/{}?{}&{}",
            self.kind.collection(),
            others.join("&"),
            self.filter
        ))
    }
}

// === impl Suite ===

impl Suite {
    /// Tries the filters for which the found records have values.
    pub(super) async fn filter_laws(&mut self, found: &FoundRecords) {
        let cases: Vec<FilterCase<'_>> = of_events(&found.events)
            .into_iter()
            .chain(of_linked_posts(found))
            .chain(of_terms(found))
            .collect();
        for case in &cases {
            self.filter_case(case).await;
        }
        for (name, _) in WANTED_OF_EVENTS
            .iter()
            .filter(|(_, records)| records(&found.events).is_none())
        {
            self.leave_out(
                "events.list",
                &format!("`{name}` filters"),
                "no event has a value for it",
            );
        }
    }

    async fn filter_case(&mut self, case: &FilterCase<'_>) {
        let subject = format!("{}.list", case.kind.collection());
        let name = case.filter.split('=').next().unwrap_or_default();
        let law = format!("`{name}` filters");
        let is_absent = |operation| !self.api.has_argument(operation, name);
        if table().named(&subject).is_some_and(is_absent) {
            return self.leave_out(&subject, &law, "the backend does not publish the argument");
        }
        let request = case.request();
        let Some(answer) = self.answered(tried(&subject, &law, &request)).await else {
            return;
        };
        let records = answer.body[case.kind.collection()].as_array();
        let Some(records) = records.filter(|_| answer.status == 200) else {
            return self.check(tried(&subject, &law, &request), false, "200", || answer.told());
        };
        let of = |record: &Value| record["id"].as_i64();
        let others: Vec<i64> = records
            .iter()
            .filter(|record| !is_blanked(record) && !(case.demand)(record))
            .filter_map(of)
            .collect();
        self.check(
            tried(&subject, &law, &request),
            others.is_empty(),
            "records that the filter asks for",
            || format!("{others:?} as well"),
        );
        let is_there = case
            .holds
            .is_none_or(|id| records.iter().any(|record| of(record) == Some(id)));
        let is_whole = answer.body["total_pages"]
            .as_u64()
            .is_some_and(|pages| pages <= 1);
        if is_whole {
            let law = format!("`{name}` leaves nothing out");
            self.check(
                tried(&subject, &law, &request),
                is_there,
                &format!("{:?} among them", case.holds),
                || format!("{} others", records.len()),
            );
        }
    }
}

/// True for an event with a password, of which lists show no particulars (backend.md section 8).
fn is_blanked(record: &Value) -> bool {
    record["all_day"].is_null() && record.get("all_day").is_some()
}

type Finder = fn(&[Value]) -> Option<&Value>;

/// The filters of events that need a record with a value, and how one is found.
const WANTED_OF_EVENTS: [(&str, Finder); 5] = [
    ("categories", |events| having(events, "/categories/0/id")),
    ("tags", |events| having(events, "/tags/0/id")),
    ("venue", |events| having(events, "/venue/id")),
    ("organizer", |events| having(events, "/organizer/0/id")),
    ("featured", |events| {
        events.iter().find(|event| event["featured"] == true)
    }),
];

fn having<'a>(records: &'a [Value], place: &str) -> Option<&'a Value> {
    records
        .iter()
        .find(|record| record.pointer(place).is_some_and(Value::is_number))
}

fn of_events(events: &[Value]) -> Vec<FilterCase<'_>> {
    let event = |filter: String, of: &Value, demand: Box<dyn Fn(&Value) -> bool + Send + Sync>| FilterCase {
        kind: Kind::Event,
        filter,
        holds: of["id"].as_i64(),
        demand,
    };
    let mut cases = Vec::new();
    for (name, find) in WANTED_OF_EVENTS {
        let Some(of) = find(events) else { continue };
        if name == "featured" {
            cases.push(event(
                "featured=true".to_owned(),
                of,
                Box::new(|event| event["featured"] == true),
            ));
            continue;
        }
        let value = [format!("/{name}/0/id"), format!("/{name}/id")];
        let Some(id) = value.iter().find_map(|place| of.pointer(place)?.as_i64()) else {
            continue;
        };
        cases.push(event(
            format!("{name}={id}"),
            of,
            Box::new(move |event| refers(&event[name], id)),
        ));
    }
    if let Some(first) = events.first() {
        let id = first["id"].as_i64();
        let mut included = event(
            format!("include={}", first["id"]),
            first,
            Box::new(move |event| event["id"].as_i64() == id),
        );
        // The plugin ignores dates beside it, and keeps its usual window.
        included.holds = None;
        cases.push(included);
    }
    cases.extend(windows(events));
    cases
}

/// True if a member names a record or a term with this number, or a category below it.
fn refers(member: &Value, id: i64) -> bool {
    let is = |one: &Value| {
        one["id"].as_i64() == Some(id) || one["parent"].as_i64().is_some_and(|parent| parent != 0)
    };
    match member {
        Value::Array(several) => several.iter().any(is),
        one => is(one),
    }
}

/// Days of an event in its own time zone, which may be another day than in the site's.
const A_DAY: i8 = 1;

/// Filters by a day in the middle of the events.
fn windows(events: &[Value]) -> Vec<FilterCase<'_>> {
    let day = |event: &Value, member: &str| -> Option<Date> {
        let text = event[member].as_str()?;
        text.split(' ').next()?.parse().ok()
    };
    let Some(middle) = events.get(events.len() / 2) else {
        return Vec::new();
    };
    let Some(start) = day(middle, "start_date") else {
        return Vec::new();
    };
    let (Ok(before), Ok(after)) = (
        start.checked_sub(Span::new().days(2)),
        start.checked_add(Span::new().days(2)),
    ) else {
        return Vec::new();
    };
    let least = before.checked_sub(Span::new().days(A_DAY)).unwrap_or(before);
    let most = after.checked_add(Span::new().days(A_DAY)).unwrap_or(after);
    vec![
        FilterCase::new(
            Kind::Event,
            format!("starts_after={before}"),
            middle,
            move |event| day(event, "start_date").is_some_and(|start| start >= least),
        ),
        FilterCase::new(
            Kind::Event,
            format!("starts_before={after}"),
            middle,
            move |event| day(event, "start_date").is_some_and(|start| start <= most),
        ),
        FilterCase::new(
            Kind::Event,
            format!("start_date={before}"),
            middle,
            move |event| day(event, "end_date").is_some_and(|end| end >= least),
        ),
    ]
}

fn of_linked_posts(found: &FoundRecords) -> Vec<FilterCase<'_>> {
    let mut cases = Vec::new();
    for (kind, place) in [(Kind::Venue, "/venue"), (Kind::Organizer, "/organizer/0")] {
        let with_one = having(&found.events, &format!("{place}/id"));
        let Some((event, linked)) = with_one.and_then(|event| Some((event, event.pointer(place)?))) else {
            continue;
        };
        let all: Vec<i64> = match kind {
            Kind::Organizer => event["organizer"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| one["id"].as_i64())
                .collect(),
            _ => linked["id"].as_i64().into_iter().collect(),
        };
        let filter = format!("event={}", event["id"]);
        cases.push(FilterCase::new(kind, filter, linked, move |record| {
            record["id"].as_i64().is_some_and(|id| all.contains(&id))
        }));
    }
    cases
}

fn of_terms(found: &FoundRecords) -> Vec<FilterCase<'_>> {
    let mut cases = Vec::new();
    for (kind, terms) in [(Kind::Category, &found.categories), (Kind::Tag, &found.tags)] {
        let Some(term) = terms.first() else { continue };
        let id = term["id"].as_i64();
        let slug = term["slug"].as_str().unwrap_or_default();
        let encoded: String = byte_serialize(slug.as_bytes()).collect();
        cases.push(FilterCase::new(
            kind,
            format!("slug={encoded}"),
            term,
            move |term| term["slug"] == slug,
        ));
        cases.push(FilterCase::new(
            kind,
            format!("include={}", term["id"]),
            term,
            move |term| term["id"].as_i64() == id,
        ));
        cases.push(FilterCase {
            holds: None,
            ..FilterCase::new(kind, format!("exclude={}", term["id"]), term, move |term| {
                term["id"].as_i64() != id
            })
        });
    }
    let child = found
        .categories
        .iter()
        .find(|category| category["parent"].as_i64().is_some_and(|parent| parent > 0));
    if let Some(child) = child {
        let parent = child["parent"].as_i64();
        let filter = format!("parent={}", child["parent"]);
        cases.push(FilterCase::new(Kind::Category, filter, child, move |category| {
            category["parent"].as_i64() == parent
        }));
    }
    cases
}
