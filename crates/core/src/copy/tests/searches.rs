//! Searches of events: words, letters, and the order of what is found.

use super::*;

/// Events that start together, with these titles, excerpts and contents, folded.
fn told(texts: &[[&str; 3]], plugin: &str) -> RecordCopy {
    let mut site = site();
    site.plugin = plugin.to_owned();
    let records = (1..).zip(texts).map(|(id, texts)| {
        let mut event = event(id, "2027-01-01");
        event.texts = Some(texts.iter().map(|text| (*text).to_owned()).collect());
        event
    });
    copy(site, records.collect())
}

#[test]
fn every_word_is_in_one_of_the_texts() {
    let copy = told(
        &[
            ["FREE JAZZ", "", "AT NIGHT"],
            ["JAZZ", "LOUD", ""],
            ["BLUES", "", "THE NIGHT AND ALL"],
        ],
        "6.17.2",
    );
    for (search, expected) in [
        ("jazz", &[1, 2][..]),
        ("az", &[1, 2]),
        ("JÄZZ", &[1, 2]),
        ("jazz night", &[1]),
        ("jazz,night", &[1]),
        ("jazz+night", &[1]),
        ("\"free jazz\"", &[1]),
        ("\"jazz free\"", &[]),
        ("\"free jazz", &[1]),
        ("jazz -loud", &[1]),
        ("-jazz", &[3]),
        ("jazz the", &[1, 2]),
        ("The", &[3]),
        ("jazz a", &[1, 2]),
        ("jazz - 0", &[1, 2]),
        ("b lues", &[3]),
        ("100%", &[]),
        ("J_zz", &[]),
        ("a b c d e f g h i", &[]),
        ("loud jazz loud jazz loud jazz loud jazz loud", &[2]),
        ("loud jazz loud jazz loud jazz loud jazz loud jazz", &[]),
    ] {
        let encoded: String = url::form_urlencoded::byte_serialize(search.as_bytes()).collect();
        assert_eq!(of_all(&copy, &format!("search={encoded}")), expected, "{search}");
    }
}

#[test]
fn a_letter_of_unknown_weight_is_not_searched() {
    let copy = told(&[["JAZZ", "", ""]], "6.17.2");
    for search in ["%C3%A9t%C3%A9", "ja%C2%ADzz", "%F0%9F%8E%B7"] {
        assert_eq!(
            respond(&copy, &format!("events?search={search}")).err(),
            Some(Ask::Letter),
            "{search}"
        );
    }
    for search in ["a%5Cb", "a%0Ab", "a%09b"] {
        assert_eq!(
            respond(&copy, &format!("events?search={search}")).err(),
            Some(Ask::Value),
            "{search}"
        );
    }
    let mut site = site();
    site.collation.clear();
    let unknown = super::copy(site, events(&["2027-01-01"]));
    assert_eq!(respond(&unknown, "events?search=jazz").err(), Some(Ask::Letter));
    assert!(respond(&unknown, "events").is_ok());
}

#[test]
fn the_text_of_a_protected_event_is_not_searched() {
    let mut records = events(&["2027-01-01", "2027-01-02"]);
    records[0].password = true;
    let copy = copy(site(), records);
    assert_eq!(of_all(&copy, "search=title"), [2]);
    assert_eq!(of_all(&copy, "search=-title"), [0; 0]);
    assert_eq!(of_all(&copy, "search=-jazz"), [2]);
    assert_eq!(of_all(&copy, ""), [1, 2]);
}

#[test]
fn old_plugins_sort_by_rank_with_the_worst_first() {
    let texts = [
        ["FREE JAZZ", "", ""],
        ["JAZZ SO FREE", "", ""],
        ["FREE", "", "JAZZ"],
        ["", "FREE JAZZ", ""],
        ["", "", "FREE JAZZ"],
        ["", "FREE", "JAZZ"],
    ];
    let old = told(&texts, "6.10.0");
    for (search, expected) in [
        ("free%20jazz", [6, 5, 4, 3, 2, 1]),
        // Without the sentence there are the cases of the title only.
        ("jazz%20free%20-blues", [4, 5, 6, 3, 1, 2]),
        ("jazz", [1, 2, 3, 4, 5, 6]),
        // More than six words do not count as words of the title.
        (
            "free%20jazz%20free%20jazz%20free%20jazz%20free",
            [1, 2, 3, 4, 5, 6],
        ),
    ] {
        assert_eq!(of_all(&old, &format!("search={search}")), expected, "{search}");
    }
    let of = |version| told(&[["", "", "JAZZ"], ["JAZZ", "", ""]], version);
    let one = of("6.15.1");
    assert_eq!(of_all(&one, "search=jazz"), [2, 1]);
    assert_eq!(of_all(&one, "search=-blues"), [1, 2]);
    assert!(!respond(&one, "events?search=jazz").unwrap().is_tied);
    assert_eq!(respond(&one, "events?search=jazz,x").err(), Some(Ask::Value));
    // A younger one drops the rank.
    let young = of("6.15.1.1");
    assert_eq!(of_all(&young, "search=jazz"), [1, 2]);
    assert!(respond(&young, "events?search=jazz").unwrap().is_tied);
    assert!(respond(&told(&[["JAZZ", "", ""]], "other"), "events?search=jazz").is_err());
}

#[test]
fn the_search_stands_in_the_addresses() {
    let copy = copy(site(), events(&["2027-01-01", "2027-01-02"]));
    let page = body(&copy, &format!("events?{EVER}&per_page=1&search=title%20%26x=1"));
    assert!(
        page["rest_url"]
            .as_str()
            .unwrap()
            .contains("&search=title &x=1&status=publish")
    );
    let found = body(&copy, &format!("events?{EVER}&per_page=1&search=ti%20tl"));
    let next = "https://example.org/wp-json/tribe/events/v1/events/?per_page=1&start_date=1000-01-01+00%3A00%3A00\
                &end_date=9999-12-30+23%3A59%3A59&search=ti+tl&status=publish&page=2";
    assert_eq!(found["next_rest_url"], next);
}
