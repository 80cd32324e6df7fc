//! The lists of venues and organizers.

use super::*;

/// Venues of these dates and folded texts, numbered from 1.
fn venues(told: &[(&str, &[&str])]) -> Vec<RecordFact> {
    let venue = |(id, (date, texts)): (u64, &(&str, &[&str]))| {
        let mut venue = linked(id, PostKind::Venue);
        venue.date = format!("{date} 00:00:00");
        venue.texts = Some(texts.iter().map(|text| (*text).to_owned()).collect());
        venue
    };
    (1..).zip(told).map(venue).collect()
}

#[test]
fn the_youngest_come_first_and_of_equal_ones_the_greatest_number() {
    let copy = copy(
        listing(),
        venues(&[
            ("2020-01-01", &[]),
            ("2022-01-01", &[]),
            ("2020-01-01", &[]),
            ("2021-01-01", &[]),
        ]),
    );
    assert_eq!(ids(&copy, "venues"), [2, 4, 3, 1]);
    assert!(respond(&copy, "venues").unwrap().is_tied);
    assert!(!respond(&copy, "venues?per_page=1").unwrap().is_tied);
    assert!(respond(&copy, "venues?per_page=3").unwrap().is_tied);
    assert!(respond(&copy, "venues?per_page=3&page=2").unwrap().is_tied);
}

/// A site that says how long its lists are.
fn listing() -> CopySite {
    let mut site = site();
    site.most.extend([
        ("venues".to_owned(), (50, 10)),
        ("organizers".to_owned(), (50, 10)),
    ]);
    site
}

#[test]
fn a_search_is_split_at_other_letters_and_finds_all_parts_in_one_text() {
    let mut records = venues(&[
        ("2024-01-04", &["GREAT HALL", "X-Y", "MAIN STREET 5"]),
        ("2024-01-03", &["HALL", "GREAT", ""]),
        ("2024-01-02", &["MULLER", ""]),
        ("2024-01-01", &["OTHER"]),
    ]);
    records[3].status = "draft".to_owned();
    let copy = copy(listing(), records);
    for (search, expected) in [
        ("hall", &[1, 2][..]),
        ("great%20hall", &[1]),
        ("hall_great", &[1]),
        ("great-hall", &[]),
        ("x-y", &[1]),
        ("M%C3%BCller", &[3]),
        ("5,%20street", &[1]),
        // A draft is found, and not shown.
        ("other", &[]),
    ] {
        assert_eq!(
            ids(&copy, &format!("venues?search={search}")),
            expected,
            "{search}"
        );
    }
    assert_eq!(body(&copy, "venues?search=other")["total"], 0);
    assert!(
        !body(&copy, "venues?search=hall")["rest_url"]
            .to_string()
            .contains("search")
    );
    for broken in ["%E6%9D%B1%E4%BA%AC", "%25", "_0_"] {
        assert_eq!(
            respond(&copy, &format!("venues?search={broken}")).err(),
            Some(Ask::Value),
            "{broken}"
        );
    }
}

#[test]
fn a_search_that_finds_nothing_has_the_totals_of_all() {
    let copy = copy(
        listing(),
        venues(&[
            ("2024-01-04", &["A"]),
            ("2024-01-03", &["B"]),
            ("2024-01-02", &["C"]),
        ]),
    );
    let page = body(&copy, "venues?search=zzz&per_page=2");
    assert_eq!(page["venues"], serde_json::json!([]));
    assert_eq!((&page["total"], &page["total_pages"]), (&3.into(), &2.into()));
    let next = "https://example.org/wp-json/tribe/events/v1/venues/?per_page=2&status=publish&page=2";
    assert_eq!(page["next_rest_url"], next);
    let beyond = respond(&copy, "venues?search=zzz&per_page=2&page=2").unwrap();
    assert_eq!(
        &*beyond.body,
        br#"{"code":"venue-archive-page-not-found","message":"V404","data":{"status":404}}"#
    );
}

/// Three venues, and events of several statuses that name them.
fn with_events() -> RecordCopy {
    let mut records = venues(&[
        ("2024-01-04", &[]),
        ("2024-01-03", &[]),
        ("2024-01-02", &[]),
        ("2024-01-01", &[]),
    ]);
    let events = [
        ("publish", "2026-11-20 13:30:00", 1),
        ("draft", "2027-01-01", 2),
        ("trash", "2027-01-01", 3),
    ];
    for (id, (status, start, venue)) in (10..).zip(events) {
        let mut event = event(id, start);
        event.status = status.to_owned();
        event.venues = vec![venue];
        records.push(event);
    }
    copy(listing(), records)
}

#[test]
fn events_of_any_status_count_for_their_own_list_and_most_for_the_others() {
    let copy = with_events();
    for (query, expected) in [
        ("event=10", &[1][..]),
        ("event=11", &[2]),
        ("event=%2011", &[2]),
        ("event=12", &[3]),
        ("has_events=true", &[1, 3]),
        ("has_events=YES", &[1, 3]),
        ("has_events=false", &[2, 4]),
        ("has_events=perhaps", &[2, 4]),
        ("event=11&has_events=true", &[]),
        ("only_with_upcoming=false", &[1, 2, 3, 4]),
        ("only_with_upcoming=1", &[1]),
    ] {
        assert_eq!(ids(&copy, &format!("venues?{query}")), expected, "{query}");
    }
    assert_eq!(respond(&copy, "venues?event=1").err(), Some(Ask::Reference));
    let own = "https://example.org/wp-json/tribe/events/v1/venues/?page=1&per_page=10&event=10&has_events=yes&status=publish";
    assert_eq!(
        body(&copy, "venues?event=%2010%20&has_events=yes&only_with_upcoming=1")["rest_url"],
        own
    );
    assert_eq!(body(&copy, "venues?status=publish")["total"], 4);
    assert_eq!(ids(&copy, "organizers"), [0; 0]);
}

#[test]
fn upcoming_events_are_those_of_one_page_from_this_second_on() {
    let copy = with_events();
    // The clock of UTC is read as one of the site.
    let ids = |now: &str| {
        let response = copy
            .respond(&question("venues?only_with_upcoming=1"), at(now))
            .unwrap();
        let body: Value = serde_json::from_slice(&response.body).unwrap();
        body["total"].as_u64().unwrap()
    };
    assert_eq!((ids("2026-11-20T13:30:00Z"), ids("2026-11-20T13:30:01Z")), (1, 0));
    let mut records = venues(&[("2024-01-04", &[]), ("2024-01-03", &[])]);
    for (id, venue) in [(10, 1), (11, 2)] {
        let mut event = event(id, "2027-01-01");
        event.venues = vec![venue];
        records.push(event);
    }
    let mut site = listing();
    site.posts_per_page = 1;
    let copy = super::copy(site, records);
    assert_eq!(super::ids(&copy, "venues?only_with_upcoming=1"), [1]);
    assert!(respond(&copy, "venues?only_with_upcoming=1").unwrap().is_tied);
}
