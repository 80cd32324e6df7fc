//! One test for each rule of the study: a small site, a question as a client writes it, and the numbers in the response.

mod bodies;
mod bounds;
mod events;
mod linked;
mod recorded;
mod searches;
mod terms;

use std::sync::Arc;

use calendar_edge_judge::contract::{Kind, Route, table};
use http::Method;
use jiff::Timestamp;
use serde_json::Value;

use super::*;
use crate::facts::record_examples::{event, linked, site, term};
use crate::facts::{CopySite, PostKind, RecordFact};
use crate::unix_time::UnixTime;

/// A noon in November.
const NOW: &str = "2026-11-20T12:00:00Z";

/// All dates.
const EVER: &str = "start_date=1000-01-01&end_date=9999-12-30";

fn at(text: &str) -> UnixTime {
    let moment: Timestamp = text.parse().unwrap();
    UnixTime::from_secs(u64::try_from(moment.as_second()).unwrap())
}

fn copy(site: CopySite, records: Vec<RecordFact>) -> RecordCopy {
    RecordCopy::new(Arc::new(site), records.into_iter().map(Arc::new).collect())
}

/// The question of a target below the namespace; none for what is never copied.
fn asked(target: &str) -> Option<CopyQuestion> {
    let (path, pairs) = target.split_once('?').unwrap_or((target, ""));
    let (list, record) = path.split_once('/').unwrap_or((path, ""));
    let (slug, number) = (record.strip_prefix("by-slug/"), record.parse().ok());
    let route = match Kind::from_segment(list.as_bytes()) {
        None if list.is_empty() => Route::Index,
        None => Route::Doc,
        Some(kind) if record.is_empty() => Route::Collection(kind),
        Some(kind) if slug.is_some() => Route::BySlug(kind),
        Some(kind) => Route::Item(kind),
    };
    let operation = table().find(route, &Method::GET).unwrap();
    CopyQuestion::new(operation, number, slug.unwrap_or_default(), pairs)
}

fn question(target: &str) -> CopyQuestion {
    asked(target).unwrap()
}

fn respond(copy: &RecordCopy, target: &str) -> Result<CopyResponse, Ask> {
    copy.respond(&question(target), at(NOW))
}

/// The body of a response that the copy knows.
fn body(copy: &RecordCopy, target: &str) -> Value {
    let response = respond(copy, target).unwrap_or_else(|ask| panic!("{target}: {ask:?}"));
    serde_json::from_slice(&response.body).unwrap()
}

/// The numbers of the listed records.
fn ids(copy: &RecordCopy, target: &str) -> Vec<u64> {
    let body = body(copy, target);
    let list = target.split('?').next().unwrap();
    let listed = body[list]
        .as_array()
        .unwrap_or_else(|| panic!("{target}: {body}"));
    listed
        .iter()
        .map(|record| record["id"].as_u64().unwrap())
        .collect()
}

/// The events with these starts, numbered from 1.
fn events(starts: &[&str]) -> Vec<RecordFact> {
    (1..).zip(starts).map(|(id, start)| event(id, start)).collect()
}

/// The ids of the events of a list without bounds, with further arguments.
fn of_all(copy: &RecordCopy, arguments: &str) -> Vec<u64> {
    ids(copy, &format!("events?{EVER}&{arguments}"))
}

#[test]
fn a_question_is_one_of_everybody_about_records() {
    for target in ["", "doc"] {
        assert!(asked(target).is_none(), "{target}");
    }
    for (target, expected) in [
        ("events?_pretty", Some(Ask::Presentation)),
        ("events?lang=de", Some(Ask::Undeclared)),
        ("categories?_fields=categories", Some(Ask::Presentation)),
        ("tags/7?_fields=id", Some(Ask::Presentation)),
        ("tags/7?_embed", Some(Ask::Presentation)),
        ("tags?context=embed", Some(Ask::Presentation)),
        ("events?categories[]=1", Some(Ask::Value)),
        ("events?search=%FF", Some(Ask::Value)),
        ("events?context=view&_locale=user", None),
        ("events?_fields=id&_embed=1&context=edit&_locale=de_DE", None),
        ("events", None),
    ] {
        let question = question(target);
        assert_eq!(question.objection(), expected, "{target}");
        assert_eq!(question.shape().is_some(), expected.is_none(), "{target}");
        let answered = copy(site(), Vec::new()).respond(&question, at(NOW));
        assert_eq!(answered.err(), expected, "{target}");
    }
}

#[test]
fn shapes_say_which_rules_answer_and_nothing_of_a_client() {
    for (target, expected) in [
        ("events", "events.list"),
        ("events/7", "events.read"),
        ("venues/by-slug/hall", "venues.by-slug.read"),
        ("events?page=1&per_page=20", "events.list page=1 per_page=n"),
        ("events?page=7", "events.list page=n"),
        ("events?search=jazz", "events.list search=word"),
        ("events?search=free%20jazz", "events.list search=words"),
        ("events?search=Caf%C3%A9", "events.list search=letters"),
        ("events?search=%22free%22", "events.list search=quoted"),
        ("events?search=free%20-jazz", "events.list search=without"),
        ("events?search=a%25b", "events.list search=signs"),
        (
            "events?start_date=2026-01-01&end_date=2026-01-01T10:00:00",
            "events.list end_date=time start_date=day",
        ),
        ("events?start_date=1790000000", "events.list start_date=number"),
        (
            "events?strict_dates=true&featured=0",
            "events.list featured=false strict_dates=true",
        ),
        (
            "events?categories=jazz&tags=3&venue=4,5",
            "events.list categories=word tags=n venue=list",
        ),
        (
            "categories?orderby=NAME&order=x",
            "categories.list order=other orderby=name",
        ),
        ("events?_fields=total,rest_url.x", "events.list _fields=frame"),
        (
            "events?_fields=total,events&page=7",
            "events.list _fields=top page=n",
        ),
        ("events?_fields[]=events.0.id", "events.list _fields=nested"),
        ("venues/7?_fields=id,image.url", "venues.read _fields=nested"),
        ("events?_fields=,", "events.list"),
        (
            "tags?_fields=total&_embed=1",
            "tags.list _fields=frame _embed=any",
        ),
        (
            "venues?context=embed&_embed=a&_locale=x&page=7&context=view&_embed",
            "venues.list _embed=any _locale=any page=n",
        ),
        (
            "venues?has_events=maybe&event=3",
            "venues.list event=n has_events=other",
        ),
    ] {
        assert_eq!(
            question(target).shape().unwrap().to_string(),
            expected,
            "{target}"
        );
    }
    let long = format!(
        "events?{EVER}&page=2&per_page=3&search=a&categories=b&tags=c&venue=1&organizer=2&status=publish&featured=1&strict_dates=1&starts_after=2026-01-01&ends_after=2026-01-01&ends_before=2026-01-01&post_parent=2"
    );
    assert_eq!(question(&long).objection(), Some(Ask::Argument));
}

#[test]
fn responses_have_the_headers_of_the_site() {
    let copy = copy(site(), events(&["2027-01-01"]));
    let response = respond(&copy, "events?per_page=1")
        .unwrap()
        .into_site_response(copy.site());
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    assert_eq!(header("x-tec-total"), Some("1"));
    assert_eq!(header("x-tec-totalpages"), Some("1"));
    assert_eq!(
        header("link"),
        Some("<https://example.org/wp-json/>; rel=\"https://api.w.org/\"")
    );
    assert_eq!(header("allow"), Some("GET"));
    assert_eq!(header("content-type"), Some("application/json; charset=UTF-8"));
    let response = respond(&copy, "events/1")
        .unwrap()
        .into_site_response(copy.site());
    assert_eq!(response.headers().get("x-tec-total"), None);
}
