//! The sample calendar: the events of a small town from last month into next year.

use calendar_edge_judge::contract::Kind;
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde_json::{Value, json};

use crate::dates::{stamp, to_utc, zone};
use crate::record::{Members, PASSWORD as HIDDEN, blank, name_member, text};
use crate::slug;
use crate::store::{Change, Store};
use crate::write::{add_term, cost_details, set_times};

/// The time zone of the calendar.
pub(crate) const ZONE: &str = "Europe/Berlin";

/// The number of its first post: images have those before.
const FIRST: u64 = 7;

/// The age of the calendar's records, in days.
const AGE: i64 = 30;

const ROWS: &str = include_str!("sample.json");

/// The rows, and what their records have in common.
struct Planting<'a> {
    store: Store,
    pages: &'a str,
    zone: TimeZone,
    today: DateTime,
    next: u64,
}

/// The sample calendar, dated around this moment.
pub(crate) fn store(now: Timestamp, pages: &str) -> Store {
    let zone = zone(ZONE).unwrap_or(TimeZone::UTC);
    let mut planting = Planting {
        store: Store::default(),
        pages,
        today: zone.to_datetime(now).date().to_datetime(Time::midnight()),
        zone,
        next: FIRST,
    };
    let rows: Value = serde_json::from_str(ROWS).unwrap_or_default();
    for kind in [
        Kind::Category,
        Kind::Tag,
        Kind::Venue,
        Kind::Organizer,
        Kind::Event,
    ] {
        for row in rows[kind.collection()].as_array().into_iter().flatten() {
            if kind.is_term() {
                planting.term(kind, row);
            } else {
                planting.post(kind, row);
            }
        }
    }
    planting.store
}

// === impl Planting ===

impl Planting<'_> {
    fn term(&mut self, kind: Kind, row: &Value) {
        let (name, parent) = (row["name"].as_str(), row["parent"].as_u64());
        let added = add_term(
            &mut self.store,
            kind,
            name.unwrap_or_default(),
            parent.unwrap_or(0),
            self.pages,
        );
        debug_assert!(added.is_ok(), "the sample calendar is smaller than the store");
    }

    /// A post; each a minute younger than the one before.
    fn post(&mut self, kind: Kind, row: &Value) {
        let id = self.next;
        self.next += 1;
        let mut record = blank(kind, id);
        let minutes = i64::try_from(id).unwrap_or(0);
        let typed = self
            .today
            .saturating_add(Span::new().days(-AGE).hours(9).minutes(minutes));
        let (date, utc) = (stamp(typed), stamp(to_utc(&self.zone, typed)));
        let name = row[name_member(kind)].as_str().unwrap_or_default();
        let slug = self.store.free_slug(kind, &slug::of(name), id);
        let site = self.pages.split_once("://").map_or(self.pages, |(_, host)| host);
        let url = format!("{}/{}/{slug}/", self.pages, kind.singular());
        for (name, value) in [
            ("global_id", json!(format!("{site}?id={id}"))),
            ("global_id_lineage", json!([format!("{site}?id={id}")])),
            ("author", json!("1")),
            ("status", json!("publish")),
            ("date", json!(date)),
            ("date_utc", json!(utc)),
            ("modified", json!(date)),
            ("modified_utc", json!(utc)),
            ("url", json!(url)),
            ("slug", json!(slug)),
        ] {
            record.insert(name.to_owned(), value);
        }
        for (name, value) in row.as_object().into_iter().flatten() {
            if record.contains_key(name) || name == HIDDEN {
                record.insert(name.clone(), value.clone());
            }
        }
        if kind == Kind::Event {
            self.event(row, &mut record);
        }
        let record = Some(record);
        let stored = self.store.take(vec![Change { kind, id, record }], 0);
        debug_assert!(stored.is_ok(), "the sample calendar is smaller than the store");
    }

    fn event(&self, row: &Value, event: &mut Members) {
        let number = |name: &str| row[name].as_i64();
        let day = self
            .today
            .saturating_add(Span::new().days(number("day").unwrap_or(0)));
        let days = number("days");
        event.insert("all_day".to_owned(), days.is_some().into());
        let start = day.saturating_add(Span::new().hours(number("hour").unwrap_or(19)));
        let end = match days {
            Some(days) => day.saturating_add(Span::new().days(days - 1)),
            None => start.saturating_add(Span::new().hours(number("hours").unwrap_or(2))),
        };
        let name = row["timezone"].as_str().unwrap_or(ZONE);
        let rules = zone(name).unwrap_or_else(|| self.zone.clone());
        set_times(event, (&rules, name), (start, end));
        let details = cost_details(text(event, "cost"));
        event.insert("cost_details".to_owned(), details);
        for switch in ["show_map", "show_map_link"] {
            event.insert(switch.to_owned(), true.into());
        }
        if let Some(picture) = row["picture"].as_u64() {
            event.insert("featured".to_owned(), true.into());
            event.insert("image".to_owned(), image(picture, self.pages));
        }
        if text(event, "status") == "draft" {
            for name in ["date_utc", "modified_utc"] {
                event.insert(name.to_owned(), "0000-00-00 00:00:00".into());
            }
        }
    }
}

/// An image, whose file is not served.
fn image(id: u64, pages: &str) -> Value {
    let url = |size: &str| format!("{pages}/wp-content/uploads/picture-{id}{size}.png");
    let size = |width: u64, height: u64| {
        let url = url(&format!("-{width}x{height}"));
        json!({"width": width, "height": height, "mime-type": "image/png", "filesize": width * 20, "url": url})
    };
    json!({
        "url": url(""),
        "id": id,
        "extension": "png",
        "width": 1200,
        "height": 900,
        "filesize": 48213,
        "sizes": {"medium": size(300, 225), "thumbnail": size(150, 150)},
    })
}
