//! A small site with its records, for tests.

use super::copy_site::{CopySite, TermRecord};
use super::record_fact::{RecordFact, RecordKind};

/// A site in Berlin that lists events by their own clocks.
pub(crate) fn site() -> CopySite {
    read(
        r#"{"zone":"Europe/Berlin","bounds_zone":"Europe/Berlin","mode":"event","cutoff":"00:00","grouped":"occurrence",
        "posts_per_page":10,"stopwords":["the"],"rest":"https://example.org/wp-json/tribe/events/v1/",
        "fold":{" ":" ","Ä":"a","ä":"a"},"fingerprint":"6.7.1 6.10.0 8.2/x","words":{"event-not-accessible":"No/\u00e9"}}"#,
    )
}

/// A published event with this number and start, an hour long.
pub(crate) fn event(id: u64, start: &str) -> RecordFact {
    let (day, clock) = start.split_once(' ').unwrap_or((start, "10:00:00"));
    let end = format!(
        "{day} {:02}{}",
        clock[..2].parse::<u8>().unwrap() + 1,
        &clock[2..]
    );
    read(&format!(
        r#"{{"id":{id},"kind":"event","status":"publish","date":"2024-01-02 03:04:05","slug":"event-{id}",
        "occurrences":[[{id},"{day} {clock}","{end}","{day} {clock}","{end}"]],"texts":["title {id}","","content"],
        "body":{{"id":{id},"categories":null,"tags":null,"venue":null,"organizer":null}},"json_ld":{{"@id":{id}}}}}"#
    ))
}

/// A published venue or organizer.
pub(crate) fn linked(id: u64, kind: RecordKind) -> RecordFact {
    let name = if kind == RecordKind::Venue {
        "venue"
    } else {
        "organizer"
    };
    read(&format!(
        r#"{{"id":{id},"kind":"{name}","status":"publish","date":"2024-01-02 03:04:{:02}","slug":"{name}-{id}",
        "texts":["{name} {id}","",""],"json_ld":{{"@id":{id}}},
        "body":{{"id":{id},"show_map":true,"global_id":"x"}}}}"#,
        id % 60
    ))
}

/// A category or tag that published events have.
pub(crate) fn term(id: u64, taxonomy: &str, name: &str, parent: u64) -> TermRecord {
    let weights: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    read(&format!(
        r#"{{"id":{id},"taxonomy":"{taxonomy}","parent":{parent},"count":1,"name":"{name}","slug":"{name}",
        "sort":["{weights}","{weights}",""],"raw_slug":"{name}","body":{{"id":{id}}},"inside":{{"in":{id}}},
        "links":{{"self":{id}}}}}"#
    ))
}

fn read<T: serde::de::DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap()
}
