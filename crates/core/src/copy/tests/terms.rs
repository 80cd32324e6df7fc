//! The lists of categories and tags.

use super::*;

/// Categories: music (of nothing) above jazz, talk, and an empty one; tags beside them.
fn shelf() -> RecordCopy {
    let mut site = site();
    site.most
        .extend([("categories".to_owned(), (50, 10)), ("tags".to_owned(), (50, 10))]);
    site.hierarchy.extend([(2, vec![3])]);
    let empty = |mut term: crate::facts::TermRecord| {
        term.count = 0;
        term
    };
    site.terms = vec![
        empty(term(2, "tribe_events_cat", "music", 0)),
        term(3, "tribe_events_cat", "jazz", 2),
        term(4, "tribe_events_cat", "talk", 0),
        empty(term(5, "tribe_events_cat", "void", 0)),
        term(8, "post_tag", "loud", 0),
        empty(term(9, "post_tag", "late", 0)),
    ];
    site.terms[2].slug = "SPEECH".to_owned();
    let mut event = event(50, "2027-01-01");
    event.status = "draft".to_owned();
    event.terms = vec![2, 5, 9];
    copy(site, vec![event, super::event(51, "2027-01-01")])
}

#[test]
fn lists_of_terms_follow_wordpress() {
    let copy = shelf();
    for (target, expected) in [
        // An empty one is shown where one below it is not.
        ("categories", &[3, 2, 4][..]),
        ("categories?hide_empty=0", &[3, 2, 4, 5]),
        ("categories?order=desc", &[4, 2, 3]),
        ("categories?order=other", &[4, 2, 3]),
        ("categories?orderby=id", &[2, 3, 4]),
        ("categories?orderby=slug&order=ASC", &[3, 2, 4]),
        ("categories?search=A", &[3, 4]),
        ("categories?search=us", &[2]),
        ("categories?search=peec", &[4]),
        ("categories?slug=speech", &[4]),
        ("categories?exclude=3", &[2, 4]),
        ("categories?include=3,4", &[3, 4]),
        ("categories?include=3,4&exclude=3", &[3, 4]),
        ("categories?slug=jazz", &[3]),
        ("categories?parent=2", &[3]),
        ("categories?parent=3", &[]),
        ("categories?post=50", &[2, 5]),
        ("categories?event=50", &[2, 5]),
        ("categories?event=51&post=50", &[]),
        ("categories?post=51&event=50", &[2, 5]),
        ("tags", &[8]),
        ("tags?hide_empty=false", &[9, 8]),
        ("tags?post=50", &[9]),
        ("categories?page=3", &[]),
        ("categories?per_page=1&page=2", &[2]),
    ] {
        assert_eq!(ids(&copy, target), expected, "{target}");
    }
}

#[test]
fn totals_leave_empty_terms_out_and_addresses_leave_arguments_out() {
    let copy = shelf();
    let page = respond(&copy, "categories?per_page=1&page=1&search=a").unwrap();
    assert_eq!(page.totals, Some((2, 2)));
    let base = r"https:\/\/example.org\/wp-json\/tribe\/events\/v1\/categories\/";
    let expected = format!(
        r#"{{"rest_url":"{base}","total":2,"total_pages":2,"categories":[{{"id":3}}],"next_rest_url":"{base}?page=2"}}"#
    );
    assert_eq!(page.body, expected.as_bytes());
    // Shown are three, counted two.
    assert_eq!(respond(&copy, "categories").unwrap().totals, Some((2, 1)));
    let beyond = body(&copy, "categories?page=4&per_page=2");
    assert!(
        beyond["previous_rest_url"]
            .as_str()
            .unwrap()
            .ends_with("/categories/?page=3")
    );
    assert!(beyond.get("next_rest_url").is_none());
    assert!(
        body(&copy, "categories?page=2&per_page=1")
            .get("next_rest_url")
            .is_none()
    );
    assert!(
        body(&copy, "categories?page=2")["previous_rest_url"]
            .as_str()
            .unwrap()
            .ends_with("/categories/")
    );
}

#[test]
fn plain_permalinks_are_encoded_where_arguments_are_added() {
    let shelf = shelf();
    let mut site = (*shelf.site).clone();
    site.rest = "https://example.org/index.php?rest_route=/tribe/events/v1/".to_owned();
    let page = body(&copy(site, Vec::new()), "categories?per_page=1");
    for (name, end) in [
        ("rest_url", "?rest_route=/tribe/events/v1/categories/"),
        (
            "next_rest_url",
            "?rest_route=%2Ftribe%2Fevents%2Fv1%2Fcategories%2F&page=2",
        ),
    ] {
        assert!(page[name].as_str().unwrap().ends_with(end), "{page}");
    }
}

#[test]
fn what_the_site_sorts_at_will_is_asked() {
    let copy = shelf();
    for (query, ask) in [
        ("orderby=description", Ask::EqualTerms),
        ("orderby=count", Ask::Order),
        ("orderby=include", Ask::Order),
        ("include=jazz", Ask::Value),
        ("parent=jazz", Ask::Value),
        ("slug=Jazz%20x", Ask::Slug),
        ("post=99", Ask::Reference),
        ("event=3", Ask::Reference),
        ("include=8", Ask::Reference),
    ] {
        let target = format!("categories?{query}");
        assert_eq!(respond(&copy, &target).err(), Some(ask), "{query}");
    }
    let mut site = copy.site().clone();
    site.terms.push(term(7, "tribe_events_cat", "talk", 2));
    let twins = super::copy(site, Vec::new());
    assert_eq!(respond(&twins, "categories").err(), Some(Ask::EqualTerms));
    assert_eq!(respond(&twins, "categories?per_page=2").err(), None);
    assert_eq!(
        respond(&twins, "categories?per_page=3").err(),
        Some(Ask::EqualTerms)
    );
    assert_eq!(
        respond(&twins, "categories?per_page=3&page=2").err(),
        Some(Ask::EqualTerms)
    );
    assert_eq!(ids(&twins, "categories?orderby=id"), [2, 3, 4, 7]);
}

#[test]
fn wordpress_may_not_know_yet_which_terms_have_others_below() {
    let mut site = shelf().site().clone();
    site.hierarchy.clear();
    let copy = copy(site, Vec::new());
    assert_eq!(ids(&copy, "categories?parent=2"), [0; 0]);
    assert_eq!(ids(&copy, "categories"), [3, 4]);
}
