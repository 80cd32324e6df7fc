//! A small site with its records, for tests.

use super::copy_site::{CopySite, TermRecord};
use super::record_fact::{PostKind, RecordFact};

/// A site in Berlin that lists events by their own clocks.
pub(crate) fn site() -> CopySite {
    let mut site: CopySite = read(
        r#"{"zone":"Europe/Berlin","bounds_zone":"Europe/Berlin","mode":"event","cutoff":"00:00",
        "posts_per_page":10,"most":{"events":[50,10],"venues":[50,10]},"stopwords":["the"],"collation":"utf8mb4_unicode_520_ci",
        "rest":"https://example.org/wp-json/tribe/events/v1/","root":"https://example.org/wp-json/","plugin":"6.10.0",
        "fold":{"ä":"A","Ä":"A","\u00ad":""},"fingerprint":"6.7.1 6.10.0/x","headers":{"Allow":"GET"},
        "words":{"event-not-accessible":"No/\u00e9","event-password-protected":"P","event-no-longer-available":"Gone",
            "venue-not-accessible":"V","organizer-not-accessible":"O","event-archive-page-not-found":"E404",
            "venue-archive-page-not-found":"V404","rest-invalid-event-id":"I","invalid":"Invalid.",
            "rest_invalid_param":"Invalid: %s"}}"#,
    );
    let letters = (' '..='~').map(|letter| (letter, letter.to_ascii_uppercase().to_string()));
    site.fold.extend(letters);
    site
}

/// A published event with this number and start, an hour long, and never beyond its day.
pub(crate) fn event(id: u64, start: &str) -> RecordFact {
    let (day, clock) = start.split_once(' ').unwrap_or((start, "10:00:00"));
    let end = match clock[..2].parse::<u8>().unwrap() {
        23 => format!("{day} 23:59:59"),
        hour => format!("{day} {:02}{}", hour + 1, &clock[2..]),
    };
    read(&format!(
        r#"{{"id":{id},"kind":"event","status":"publish","date":"2024-01-02 03:04:05","slug":"event-{id}",
        "occurrences":[[{id},"{day} {clock}","{end}","{day} {clock}","{end}"]],"texts":["TITLE {id}","","CONTENT"],
        "body":{{"id":{id},"categories":null,"tags":null,"venue":null,"organizer":null}},"json_ld":{{"@id":{id}}}}}"#
    ))
}

/// A published venue or organizer.
pub(crate) fn linked(id: u64, kind: PostKind) -> RecordFact {
    let name = if kind == PostKind::Venue {
        "venue"
    } else {
        "organizer"
    };
    read(&format!(
        r#"{{"id":{id},"kind":"{name}","status":"publish","date":"2024-01-02 03:04:{:02}","slug":"{name}-{id}",
        "texts":["{}",""],"json_ld":{{"@id":{id}}},"before":"show_map",
        "body":{{"id":{id},"show_map":true,"global_id":"x"}}}}"#,
        id % 60,
        format!("{name} {id}").to_ascii_uppercase(),
    ))
}

/// A category or tag that published events have.
pub(crate) fn term(id: u64, taxonomy: &str, name: &str, parent: u64) -> TermRecord {
    let folded = name.to_ascii_uppercase();
    // Letters of ASCII sort as their numbers do.
    let weights = &folded;
    read(&format!(
        r#"{{"id":{id},"taxonomy":"{taxonomy}","parent":{parent},"count":1,"name":"{folded}","slug":"{folded}",
        "sort":["{weights}","{weights}",""],"raw_slug":"{name}","body":{{"id":{id}}},"inside":{{"in":{id}}},
        "links":{{"self":{id}}}}}"#
    ))
}

fn read<T: serde::de::DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap()
}
