//! The list of events but for its dates and searches.

use super::*;

#[test]
fn each_occurrence_is_a_row() {
    let mut often = event(1, "2027-01-01");
    for day in ["2027-01-03", "2027-01-05"] {
        often.occurrences.extend(event(1, day).occurrences);
    }
    let records = vec![often, event(2, "2027-01-02")];
    let old = copy(site(), records.clone());
    assert_eq!(ids(&old, "events"), [1, 2, 1, 1]);
    assert_eq!(body(&old, "events?per_page=3")["total_pages"], 2);
    // A younger plugin lists an event once, at an occurrence of the database's choice.
    let mut site = site();
    site.plugin = "6.17.2".to_owned();
    let young = copy(site, records);
    assert_eq!(respond(&young, "events").err(), Some(Ask::Several));
    assert_eq!(ids(&young, "events?end_date=2027-01-02"), [1, 2]);
    assert_eq!(
        respond(&young, "venues?only_with_upcoming=1").err(),
        Some(Ask::Several)
    );
    assert!(respond(&old, "venues?only_with_upcoming=1").is_ok());
}

#[test]
fn rows_are_sorted_by_start_and_publication() {
    let mut records = events(&["2027-01-02", "2027-01-01", "2027-01-01 09:00:00", "2027-01-01"]);
    records[3].date = "2023-01-01 00:00:00".to_owned();
    assert_eq!(ids(&copy(site(), records), "events"), [3, 4, 2, 1]);
}

#[test]
fn hidden_and_unpublished_events_are_in_no_list() {
    let mut records = events(&["2027-01-01", "2027-01-01", "2027-01-01", "2027-01-01"]);
    records[0].hidden = true;
    records[1].status = "private".to_owned();
    records[2].occurrences.clear();
    let copy = copy(site(), records);
    assert_eq!(ids(&copy, "events"), [4]);
    assert_eq!(of_all(&copy, "per_page=9"), [4]);
}

#[test]
fn categories_are_any_with_all_below_and_of_tags_the_first_counts() {
    let mut site = site();
    site.hierarchy.extend([(2, vec![3]), (3, vec![4])]);
    site.terms = vec![
        term(2, "tribe_events_cat", "music", 0),
        term(3, "tribe_events_cat", "jazz", 2),
        term(4, "tribe_events_cat", "free", 3),
        term(5, "tribe_events_cat", "talk", 0),
        term(8, "post_tag", "loud", 0),
        term(9, "post_tag", "late", 0),
    ];
    let mut records = events(&["2027-01-01", "2027-01-02", "2027-01-03", "2027-01-04"]);
    records[0].terms = vec![4, 8];
    records[1].terms = vec![5];
    records[2].terms = vec![2, 9];
    let copy = copy(site, records);
    for (arguments, expected) in [
        ("categories=2", &[1, 3][..]),
        ("categories=music", &[1, 3]),
        ("categories=3", &[1]),
        ("categories=jazz,%205", &[1, 2]),
        ("tags=8", &[1]),
        ("tags=late,loud", &[3]),
        ("tags=loud,late", &[1]),
        ("categories=music&tags=late", &[3]),
        ("categories=talk&tags=late", &[]),
    ] {
        assert_eq!(of_all(&copy, arguments), expected, "{arguments}");
    }
    for (argument, ask) in [
        ("categories=8", Ask::Reference),
        ("categories=nothing", Ask::Reference),
        ("categories=Music", Ask::Reference),
        ("tags=02", Ask::Reference),
        ("categories=%C3%A4", Ask::Reference),
    ] {
        assert_eq!(
            respond(&copy, &format!("events?{argument}")).err(),
            Some(ask),
            "{argument}"
        );
    }
}

#[test]
fn a_slug_of_digits_counts_before_a_number() {
    let mut site = site();
    site.terms = vec![term(2, "post_tag", "3", 0), term(3, "post_tag", "x", 0)];
    assert_eq!(
        respond(&copy(site, Vec::new()), "events?tags=3").err(),
        Some(Ask::Value)
    );
}

#[test]
fn venues_and_organizers_are_any_within_and_all_between() {
    let mut records = events(&["2027-01-01", "2027-01-02", "2027-01-03"]);
    records[0].venues = vec![10, 11];
    records[1].venues = vec![11];
    records[2].organizers = vec![20];
    records[0].organizers = vec![20];
    let venues = [10, 11].map(|id| linked(id, PostKind::Venue));
    records.extend(venues.into_iter().chain([linked(20, PostKind::Organizer)]));
    let copy = copy(site(), records);
    assert_eq!(of_all(&copy, "venue=10,11"), [1, 2]);
    assert_eq!(of_all(&copy, "venue=11&organizer=20"), [1]);
    assert_eq!(of_all(&copy, "organizer=20"), [1, 3]);
    for unknown in ["venue=20", "venue=99", "organizer=10,20"] {
        assert_eq!(
            respond(&copy, &format!("events?{unknown}")).err(),
            Some(Ask::Reference)
        );
    }
    assert_eq!(respond(&copy, "events?venue=010").err(), Some(Ask::Value));
    let added = &body(&copy, "events?venue=10,11&organizer=20")["rest_url"];
    let expected = "https://example.org/wp-json/tribe/events/v1/events/?page=1&per_page=10\
                    &start_date=2026-11-20+00%3A00%3A00&end_date=2028-11-20+23%3A59%3A59&status=publish&venue=10,11&organizer=20";
    assert_eq!(added, expected);
}

#[test]
fn featured_and_parent_are_taken_from_the_record() {
    let mut records = events(&["2027-01-01", "2027-01-02"]);
    records[1].featured = true;
    records[1].parent = 1;
    let copy = copy(site(), records);
    assert_eq!(of_all(&copy, "featured=1"), [2]);
    assert_eq!(of_all(&copy, "featured=FALSE"), [1]);
    assert_eq!(of_all(&copy, "post_parent=1"), [2]);
    assert_eq!(of_all(&copy, "post_parent=2"), [0; 0]);
    assert_eq!(respond(&copy, "events?post_parent=3").err(), Some(Ask::Reference));
    // Of the flag only true is written, and the address is encoded again for both.
    let own = |flag: &str| body(&copy, &format!("events?{EVER}&featured={flag}"))["rest_url"].clone();
    let address = "https://example.org/wp-json/tribe/events/v1/events/?page=1&per_page=10&start_date=1000-01-01+00%3A00%3A00\
                   &end_date=9999-12-30+23%3A59%3A59&status=publish";
    assert_eq!(own("false"), address);
    assert_eq!(own("true"), [address, "&featured=1"].concat());
}

#[test]
fn pages_have_neighbours_totals_and_an_end() {
    let copy = copy(
        site(),
        events(&[
            "2027-01-01",
            "2027-01-02",
            "2027-01-03",
            "2027-01-04",
            "2027-01-05",
        ]),
    );
    let base = "https://example.org/wp-json/tribe/events/v1/events/?";
    let dates = "&start_date=1000-01-01 00:00:00&end_date=9999-12-30 23:59:59";
    let encoded = "&start_date=1000-01-01+00%3A00%3A00&end_date=9999-12-30+23%3A59%3A59";
    let page = |number| {
        body(
            &copy,
            &format!("events?{EVER}&per_page=2&page={number}&status=publish"),
        )
    };
    let first = page(1);
    assert_eq!(
        first["rest_url"],
        format!("{base}page=1&per_page=2{dates}&status=publish")
    );
    assert_eq!(
        first["next_rest_url"],
        format!("{base}per_page=2{encoded}&status=publish&page=2")
    );
    assert_eq!((&first["total"], &first["total_pages"]), (&5.into(), &3.into()));
    assert!(first.get("previous_rest_url").is_none());
    let second = page(2);
    assert_eq!(
        second["previous_rest_url"],
        format!("{base}per_page=2{encoded}&status=publish")
    );
    let third = page(3);
    assert_eq!(
        third["previous_rest_url"],
        format!("{base}per_page=2{encoded}&status=publish&page=2")
    );
    assert!(third.get("next_rest_url").is_none());
    let order: Vec<&String> = second.as_object().unwrap().keys().collect();
    assert_eq!(
        order,
        [
            "events",
            "rest_url",
            "next_rest_url",
            "previous_rest_url",
            "total",
            "total_pages"
        ]
    );
}

#[test]
fn a_page_beyond_the_end_is_refused_but_the_first() {
    let copy = copy(site(), events(&["2027-01-01", "2027-01-02"]));
    let beyond = respond(&copy, &format!("events?{EVER}&per_page=2&page=2")).unwrap();
    assert_eq!((beyond.status.as_u16(), beyond.totals), (404, None));
    assert_eq!(
        &*beyond.body,
        br#"{"code":"event-archive-page-not-found","message":"E404","data":{"status":404}}"#
    );
    let empty = body(&copy, "events?ends_before=2026-01-01");
    assert_eq!(
        (&empty["total"], &empty["total_pages"], &empty["events"]),
        (&0.into(), &0.into(), &serde_json::json!([]))
    );
}

#[test]
fn a_page_has_as_many_as_the_site_lets_it() {
    let starts: Vec<String> = (1..=28)
        .flat_map(|day| (0..2).map(move |hour| format!("2027-01-{day:02} 0{hour}:00:00")))
        .collect();
    let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
    let mut site = site();
    let all = events(&starts);
    assert_eq!(
        ids(&copy(site.clone(), all.clone()), "events?per_page=60").len(),
        50
    );
    assert_eq!(ids(&copy(site.clone(), all.clone()), "events").len(), 10);
    site.most.insert("events".to_owned(), (20, 7));
    assert_eq!(
        ids(&copy(site.clone(), all.clone()), "events?per_page=60").len(),
        20
    );
    assert_eq!(ids(&copy(site.clone(), all.clone()), "events").len(), 7);
    site.most.clear();
    assert_eq!(respond(&copy(site, all), "events").err(), Some(Ask::Site));
}

#[test]
fn only_the_site_reads_some_arguments() {
    let copy = copy(site(), events(&["2027-01-01"]));
    for argument in [
        "include=1",
        "ticketed=false",
        "geoloc=1",
        "geoloc_lat=1",
        "geoloc_lng=1",
    ] {
        assert_eq!(
            respond(&copy, &format!("events?{argument}")).err(),
            Some(Ask::Argument),
            "{argument}"
        );
    }
}

#[test]
fn equal_rows_at_the_page_are_told() {
    let same = "2027-01-02 10:00:00";
    let mut records = events(&["2027-01-01", same, same, "2027-01-03", "2027-01-04"]);
    let tied = |copy: &RecordCopy, query: &str| respond(copy, &format!("events?{query}")).unwrap().is_tied;
    let with_ties = copy(site(), records.clone());
    for (query, expected) in [
        ("per_page=10", true),
        ("per_page=1", false),
        ("per_page=2", true),
        ("per_page=3&page=2", false),
        ("per_page=2&page=2", true),
        ("per_page=1&page=3", true),
        ("per_page=1&page=4", false),
    ] {
        assert_eq!(tied(&with_ties, query), expected, "{query}");
    }
    records[2].date = "2023-01-01 00:00:00".to_owned();
    assert!(!tied(&copy(site(), records.clone()), "per_page=10"));
    // Two occurrences of one event are the same record.
    let twice = records[0].occurrences.clone();
    records[0].occurrences.extend(twice);
    assert!(!tied(&copy(site(), records), "per_page=10"));
}
