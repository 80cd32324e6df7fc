//! Single records, refusals, and records within records.

use super::*;

fn text(copy: &RecordCopy, target: &str) -> String {
    let response = respond(copy, target).unwrap_or_else(|ask| panic!("{target}: {ask:?}"));
    let body = std::str::from_utf8(&response.body).unwrap();
    format!("{} {body}", response.status.as_u16())
}

#[test]
fn records_within_an_event_are_put_into_their_places() {
    let mut site = site();
    site.terms = vec![
        term(2, "tribe_events_cat", "music", 0),
        term(3, "tribe_events_cat", "jazz", 0),
        term(8, "post_tag", "loud", 0),
    ];
    let mut records = events(&["2027-01-01"]);
    records[0].venues = vec![10];
    records[0].organizers = vec![20, 99];
    // A new name changed the order since.
    records[0].terms = vec![2, 3, 8];
    records[0].json_ld = Some(serde_json::from_str(r#"{"location":null,"organizer":null}"#).unwrap());
    records.extend([linked(10, PostKind::Venue), linked(20, PostKind::Organizer)]);
    records[2].json_ld = None;
    let copy = copy(site, records);
    let listed = r#"{"id":1,"categories":[{"in":3},{"in":2}],"tags":[{"in":8}],"venue":{"id":10,"show_map":true,"global_id":"x"},"organizer":[{"id":20,"show_map":true,"global_id":"x"}]}"#;
    let list = respond(&copy, "events").unwrap();
    assert!(
        std::str::from_utf8(&list.body)
            .unwrap()
            .starts_with(&format!(r#"{{"events":[{listed}],"rest_url""#))
    );
    let single = listed.replace(r#""id":10,"#, r#""id":10,"json_ld":{"@id":10},"#);
    let single = single.strip_suffix('}').unwrap();
    let linked = r#","json_ld":{"location":{"@id":10},"organizer":false}}"#;
    assert_eq!(text(&copy, "events/1"), format!("200 {single}{linked}"));
    assert_eq!(
        text(&copy, "venues/10"),
        r#"200 {"id":10,"json_ld":{"@id":10},"show_map":true,"global_id":"x"}"#
    );
    assert_eq!(
        text(&copy, "organizers/20"),
        r#"200 {"id":20,"show_map":true,"global_id":"x"}"#
    );
    assert_eq!(text(&copy, "categories/3"), r#"200 {"id":3,"_links":{"self":3}}"#);
}

#[test]
fn terms_of_one_name_stand_in_an_event_as_the_database_gives_them() {
    let mut site = site();
    site.terms = vec![
        term(2, "tribe_events_cat", "music", 0),
        term(3, "tribe_events_cat", "music", 2),
        term(4, "post_tag", "music", 0),
    ];
    let with_terms = |terms: &[u64]| {
        let mut records = events(&["2027-01-01"]);
        records[0].terms = terms.to_vec();
        respond(&copy(site.clone(), records), "events").err()
    };
    assert_eq!(with_terms(&[2, 4]), None);
    assert_eq!(with_terms(&[2, 3]), Some(Ask::EqualTerms));
}

#[test]
fn several_venues_are_a_list_and_none_an_empty_one() {
    let mut records = events(&["2027-01-01", "2027-01-02"]);
    records[0].venues = vec![10, 10];
    records.push(linked(10, PostKind::Venue));
    let copy = copy(site(), records);
    let page = body(&copy, "events");
    let venue = serde_json::json!({"id": 10, "show_map": true, "global_id": "x"});
    assert_eq!(page["events"][0]["venue"], serde_json::json!([venue, venue]));
    assert_eq!(
        (&page["events"][1]["venue"], &page["events"][1]["organizer"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
}

#[test]
fn what_the_site_has_to_print_is_asked() {
    let missing = |change: &dyn Fn(&mut Vec<RecordFact>)| {
        let mut records = events(&["2027-01-01"]);
        records[0].venues = vec![10];
        records.push(linked(10, PostKind::Venue));
        change(&mut records);
        respond(&copy(site(), records), "events").err()
    };
    assert_eq!(missing(&|_| ()), None);
    assert_eq!(missing(&|records| records[0].terms = vec![3]), Some(Ask::Missing));
    assert_eq!(missing(&|records| records[1].body = None), Some(Ask::Printed));
    assert_eq!(
        missing(&|records| records[1].ask = Some("clock".to_owned())),
        Some(Ask::Printed)
    );
    assert_eq!(
        missing(&|records| records[0].ask = Some("clock".to_owned())),
        Some(Ask::Printed)
    );
    let twice = r#"{"tags":null,"x":{"tags":null}}"#;
    assert_eq!(
        missing(&|records| records[0].body = Some(serde_json::from_str(twice).unwrap())),
        Some(Ask::Printed)
    );
    // A text that looks like a member is none.
    let quoted = r#"{"id":1,"x":"\"tags\":null","tags":null}"#;
    assert_eq!(
        missing(&|records| records[0].body = Some(serde_json::from_str(quoted).unwrap())),
        None
    );
}

/// Records of each status, by their number.
fn statuses(plugin: &str) -> RecordCopy {
    let mut site = site();
    site.plugin = plugin.to_owned();
    site.terms = vec![term(2, "tribe_events_cat", "music", 0)];
    let mut records = events(&["2027-01-01", "2027-01-01", "2027-01-01", "2027-01-01"]);
    for (record, status) in records.iter_mut().zip(["publish", "draft", "trash"]) {
        record.status = status.to_owned();
    }
    records[3].password = true;
    for (id, kind) in [
        (10, PostKind::Venue),
        (11, PostKind::Venue),
        (20, PostKind::Organizer),
    ] {
        records.push(linked(id, kind));
    }
    records[4].password = true;
    records[5].status = "private".to_owned();
    records[6].status = "trash".to_owned();
    copy(site, records)
}

#[test]
fn each_status_has_its_words() {
    let (old, young) = (statuses("6.10.0"), statuses("6.17.2"));
    let no = r#"403 {"code":"event-not-accessible","message":"No\/\u00e9","data":{"status":403}}"#;
    let refused = |code: &str, word: &str, status: u16| {
        format!(r#"{status} {{"code":"{code}","message":"{word}","data":{{"status":{status}}}}}"#)
    };
    let invalid = |name: &str| {
        format!(
            r#"400 {{"code":"rest_invalid_param","message":"Invalid: {name}","data":{{"status":400,"params":{{"{name}":"Invalid."}},"details":[]}}}}"#
        )
    };
    for (target, expected) in [
        ("events/2", no.to_owned()),
        ("events/3", no.to_owned()),
        ("events/4", refused("event-password-protected", "P", 403)),
        ("events/10", invalid("id")),
        ("events/99", invalid("id")),
        ("venues/1", invalid("id")),
        ("venues/99", invalid("id")),
        ("venues/11", refused("venue-not-accessible", "V", 403)),
        ("organizers/20", refused("organizer-not-accessible", "O", 403)),
        ("categories/3", invalid("id")),
        ("tags/2", invalid("id")),
        ("venues/by-slug/event-1", invalid("slug")),
    ] {
        assert_eq!(text(&old, target), expected, "{target}");
    }
    assert!(text(&old, "venues/10").starts_with("200 "));
    assert_eq!(
        text(&young, "events/3"),
        refused("event-no-longer-available", "Gone", 403)
    );
    assert_eq!(text(&young, "events/2"), no);
    assert_eq!(
        text(&young, "events/10"),
        refused("rest-invalid-event-id", "I", 400)
    );
    assert_eq!(text(&young, "venues/99"), invalid("id"));
    // Another post, or none: the words differ.
    assert_eq!(respond(&young, "events/99").err(), Some(Ask::Reference));
    let mut site = old.site().clone();
    site.words.clear();
    assert_eq!(
        respond(&copy(site, Vec::new()), "events/1").err(),
        Some(Ask::Site)
    );
}

#[test]
fn slugs_are_paths_and_stand_for_one_record() {
    let mut records = events(&["2027-01-01", "2027-01-01", "2027-01-01", "2027-01-01"]);
    let slugs = ["jazz", "below", "twin", "%e3%81%8b-x"];
    for (record, slug) in records.iter_mut().zip(slugs) {
        record.slug = slug.to_owned();
    }
    records[1].parent = 1;
    let mut twin = event(5, "2027-01-01");
    twin.slug = "twin".to_owned();
    records.push(twin);
    let copy = copy(site(), records);
    assert!(text(&copy, "events/by-slug/jazz").starts_with(r#"200 {"id":1,"#));
    assert!(text(&copy, "events/by-slug/%E3%81%8B-x").starts_with(r#"200 {"id":4,"#));
    // Published, and below another one.
    assert!(text(&copy, "events/by-slug/below").starts_with("400 "));
    assert!(text(&copy, "events/by-slug/unknown").starts_with("400 "));
    for slug in [
        "twin", "Jazz", "a--b", "-a", "a-", "123", "1e5", "a.b", "a%20b", "a+b",
    ] {
        assert_eq!(
            respond(&copy, &format!("events/by-slug/{slug}")).err(),
            Some(Ask::Slug),
            "{slug}"
        );
    }
}

#[test]
fn a_response_has_the_members_that_the_client_wants() {
    let mut records = events(&["2027-01-01", "2027-01-02"]);
    records[1].ask = Some("rendering".to_owned());
    let copy = copy(site(), records);
    let target = |fields: &str| format!("events?per_page=1&_fields={fields}");
    for (fields, expected) in [
        ("total,none", r#"200 {"total":2}"#),
        (
            "events.0.id,total_pages",
            r#"200 {"events":[{"id":1}],"total_pages":2}"#,
        ),
        ("events.id", r#"200 {"events":[]}"#),
    ] {
        assert_eq!(text(&copy, &target(fields)), expected);
    }
    let totals = respond(&copy, &target("none")).unwrap().totals;
    assert_eq!(totals, Some((2, 2)), "headers stay");
    let refused = text(&copy, "events/by-slug/none?_fields=code");
    assert!(
        refused.starts_with("400 ") && refused.contains("message"),
        "{refused}"
    );
    // Only the site can print the second event.
    let second = |fields| respond(&copy, &format!("events?per_page=2&_fields={fields}")).map(|_| ());
    assert_eq!(
        (second("total"), second("events.0.id")),
        (Ok(()), Err(Ask::Printed))
    );
}

#[test]
fn an_event_without_dates_is_printed_by_the_site_alone() {
    let mut records = events(&["2027-01-01", "2027-01-02"]);
    records[0].occurrences = Vec::new();
    let copy = copy(site(), records);
    assert_eq!(respond(&copy, "events/1").err(), Some(Ask::Second));
    assert!(respond(&copy, "events/2").is_ok());
}
