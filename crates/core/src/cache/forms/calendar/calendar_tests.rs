//! Recorded responses as calendars.

use crate::cache::forms::{CalendarWriter, PageFault};
use serde_json::json;

const FULL: &str = include_str!("../../../../../../fixtures/backend/event-full.json");
const LIST: &str = include_str!("../../../../../../fixtures/backend/event-list-page1.json");
const DAYS: &str = include_str!("../../../../../../fixtures/backend/event-all-day-html.json");

fn written(pages: &[String]) -> Result<Vec<u8>, PageFault> {
    let mut writer = CalendarWriter::new(None);
    for (body, page) in pages.iter().zip(1..) {
        if !writer.add(body.as_bytes(), page)? {
            break;
        }
    }
    writer.finish(true)
}

/// The events that a calendar does not hold, as it states.
fn left_out(calendar: &[u8]) -> u64 {
    let mut lines = std::str::from_utf8(calendar).expect("UTF-8").lines();
    let stated = lines.find_map(|line| line.strip_prefix("X-CALENDAR-EDGE-LEFT-OUT:"));
    stated.map_or(0, |stated| stated.parse().expect("a number"))
}

/// The lines of a calendar, unfolded.
fn lines(pages: &[&str]) -> Vec<String> {
    let pages: Vec<String> = pages.iter().map(ToString::to_string).collect();
    let body = written(&pages).expect("a calendar");
    let text = String::from_utf8(body).expect("UTF-8").replace("\r\n ", "");
    text.split_terminator("\r\n").map(ToOwned::to_owned).collect()
}

#[test]
fn a_recorded_event_is_a_whole_calendar() {
    let lines = lines(&[FULL]);
    let expected = [
        "BEGIN:VCALENDAR",
        "X-WR-CALNAME:origin.example",
        "X-WR-TIMEZONE:America/New_York",
        "REFRESH-INTERVAL;VALUE=DURATION:PT15M",
        "UID:56-1806692400-1806710399@origin.example",
        "DTSTAMP:20261120T083946Z",
        "CREATED:20261120T083946Z",
        "LAST-MODIFIED:20261120T083946Z",
        "SEQUENCE:848479186",
        "DTSTART;TZID=America/New_York:20270402T190000",
        "DTEND;TZID=America/New_York:20270402T235959",
        "SUMMARY:New York Gala",
        "LOCATION:Grand Hall\\, 1 Opera Square\\, Berlin\\, Berlin\\, 10117\\, Germany",
        "ORGANIZER;CN=\"Acme Concerts\":mailto:info@acme.example",
        "URL:http://origin.example/event/new-york-gala/",
        "ATTACH;FMTTYPE=image/png:http://origin.example/wp-content/uploads/2026/11/poster-2.png",
        "END:VCALENDAR",
    ];
    for line in expected {
        assert!(lines.iter().any(|found| found == line), "{line}: {lines:#?}");
    }
    assert!(
        !lines.iter().any(|line| line.starts_with("X-CALENDAR-EDGE")),
        "{lines:#?}"
    );
}

#[test]
fn recorded_whole_days_and_lists_are_read() {
    assert!(
        lines(&[DAYS])
            .iter()
            .any(|line| line.starts_with("DTSTART;VALUE=DATE:"))
    );
    let page: serde_json::Value = serde_json::from_str(LIST).expect("JSON");
    let mut page = page.clone();
    page["total_pages"] = json!(1);
    page["total"] = json!(page["events"].as_array().expect("events").len());
    let found = lines(&[&page.to_string()]);
    let events = found.iter().filter(|line| *line == "BEGIN:VEVENT").count();
    assert_eq!(events as u64, page["total"].as_u64().expect("a number"));
}

fn event(id: u64) -> serde_json::Value {
    json!({
        "id": id, "title": format!("Nr. {id}"), "url": "https://a.example/event/x/", "all_day": false,
        "start_date": "2027-01-01 10:00:00", "end_date": "2027-01-01 11:00:00", "timezone": "UTC",
        "utc_start_date": "2027-01-01 10:00:00", "utc_end_date": "2027-01-01 11:00:00",
        "modified_utc": "2026-01-01 00:00:00",
    })
}

fn page(ids: impl Iterator<Item = u64>, total: u64, pages: u64) -> String {
    let events: Vec<_> = ids.map(event).collect();
    json!({"events": events, "total": total, "total_pages": pages}).to_string()
}

#[test]
fn pages_follow_until_the_bound_and_the_rest_is_counted() {
    let both = written(&[page(1..=50, 60, 2), page(51..=60, 60, 2)]).expect("a calendar");
    assert_eq!(left_out(&both), 0);
    let pages: Vec<String> = (0..20)
        .map(|at| page(at * 50 + 1..=at * 50 + 50, 1000, 20))
        .collect();
    let full = written(&pages).expect("a calendar");
    let left_out = left_out(&full);
    let text = String::from_utf8(full).expect("UTF-8");
    assert_eq!((left_out, text.matches("BEGIN:VEVENT").count()), (500, 500));
    assert!(text.contains("X-CALENDAR-EDGE-LEFT-OUT:500\r\n"));
}

#[test]
fn small_pages_end_before_they_are_too_many() {
    let pages: Vec<String> = (1..=60).map(|at| page(at..=at, 60, 60)).collect();
    assert_eq!(left_out(&written(&pages).expect("a calendar")), 10);
}

#[test]
fn a_large_calendar_ends_before_its_bound() {
    let mut events: Vec<_> = (1..=100).map(event).collect();
    for event in &mut events {
        event["description"] = json!("x ".repeat(15_000));
    }
    let body = json!({"events": events, "total": 100, "total_pages": 1}).to_string();
    let form = written(&[body]).expect("a calendar");
    assert!(form.len() < super::super::MOST_BYTES + 4096);
    let left_out = left_out(&form);
    assert!((60..80).contains(&left_out), "{left_out}");
}

#[test]
fn a_list_that_changes_between_pages_is_no_calendar() {
    for second in [page(51..=60, 61, 2), page(51..=51, 60, 2), page(0..0, 60, 3)] {
        assert_eq!(written(&[page(1..=50, 60, 2), second]), Err(PageFault::Changed));
    }
    for body in ["", "[]", "{}", "null", r#"{"events":{}}"#] {
        assert_eq!(written(&[body.to_owned()]), Err(PageFault::Unreadable), "{body}");
    }
}

#[test]
fn an_event_is_listed_once_and_an_unplaced_one_is_counted() {
    let mut unplaced = event(3);
    for name in ["start_date", "utc_start_date"] {
        unplaced[name] = json!("");
    }
    let body = json!({"events": [event(1), event(1), unplaced], "total": 3, "total_pages": 1});
    let form = written(&[body.to_string()]).expect("a calendar");
    let left_out = left_out(&form);
    let text = String::from_utf8(form).expect("UTF-8");
    assert_eq!((left_out, text.matches("BEGIN:VEVENT").count()), (1, 1));
}

#[test]
fn what_is_loose_or_hostile_is_left_out_or_harmless() {
    let mut odd = event(7);
    let bad = "x\r\nATTENDEE:mailto:a@b.example";
    odd["title"] = json!(format!("Tom &#038; Co{bad}"));
    odd["url"] = json!(format!("https://a.example/{bad}"));
    odd["venue"] = json!({"venue": bad, "geo_lat": "52.5", "geo_lng": 13.4});
    odd["organizer"] =
        json!([{"organizer": "a\"b", "email": bad}, {"organizer": "a\"b", "email": "&#105;nfo@b.example"}]);
    odd["categories"] = json!([{"name": "Rock, Pop &amp; Jazz"}, {"name": " "}, {}, {"name": "Kids"}]);
    odd["image"] = json!(false);
    odd["modified_utc"] = json!("2090-01-01 00:00:00");
    odd["json_ld"] = json!({"eventStatus": "https://schema.org/EventCancelled"});
    let lines = lines(&[&odd.to_string()]);
    for line in [
        "SUMMARY:Tom & Cox ATTENDEE:mailto:a@b.example",
        "GEO:52.500000;13.400000",
        "ORGANIZER;CN=\"a'b\":mailto:info@b.example",
        "CATEGORIES:Rock\\, Pop & Jazz,Kids",
        "STATUS:CANCELLED",
        "SEQUENCE:2147483646",
    ] {
        assert!(lines.iter().any(|found| found == line), "{line}: {lines:#?}");
    }
    let injected = lines
        .iter()
        .filter(|line| line.starts_with("ATTENDEE") || line.starts_with("ATTACH"));
    assert_eq!(injected.count(), 0, "{lines:#?}");
}
