//! Tests over the recorded indexes of eleven installations.

use std::sync::Arc;

use super::super::event_ids::EventIds;
use super::super::table::table;
use super::super::versions::{PluginVersion, SiteVersion};
use super::*;

const NAMESPACE: &str = "tribe/events/v1";

/// Published indexes of eleven installations, with the differences and the version that each shows.
const VERSIONS: [(&str, &[u8], &[&str], &str); 11] = {
    const BEFORE_6_0_2: &[&str] = &[
        "-ends_after (events.list)",
        "-ends_before (events.list)",
        "-password (3 operations)",
        "-starts_after (events.list)",
        "-starts_before (events.list)",
        "-strict_dates (events.list)",
        "-ticketed (events.list)",
    ];
    const BEFORE_6_5: &[&str] = &["-password (3 operations)"];
    const WITH_WPML: &[&str] = &["+wpml_language (36 operations)"];
    macro_rules! version {
        ($name:literal, $differences:expr, $shown_as:literal) => {
            (
                $name,
                include_bytes!(concat!(
                    "../../../../../fixtures/versions/index-",
                    $name,
                    ".json"
                )) as &[u8],
                $differences,
                $shown_as,
            )
        };
    }
    [
        version!("5.12.4", BEFORE_6_0_2, "before 5.16.4"),
        version!("5.16.1.1+pro", BEFORE_6_0_2, "before 5.16.4"),
        version!("6.0.6.2", BEFORE_6_5, "6.0.2 or later, before 6.5.0.1"),
        version!("6.1.3+pro", BEFORE_6_5, "6.0.2 or later, before 6.5.0.1"),
        version!("6.5.1.2", &[], "6.5.0.1 or later"),
        version!("6.10.0", &[], "6.5.0.1 or later"),
        version!("6.15.16", &[], "6.5.0.1 or later"),
        version!("6.15.16+polylang", &[], "6.5.0.1 or later"),
        version!("6.15.16+pro+tickets", &[], "6.5.0.1 or later"),
        version!("6.15.16+wpml", WITH_WPML, "6.5.0.1 or later"),
        version!("6.17.2", &[], "6.5.0.1 or later"),
    ]
};

fn index(body: &[u8]) -> PublishedIndex {
    PublishedIndex::read(body, NAMESPACE).expect("an index")
}

fn shown(table: &TableInForce) -> Vec<String> {
    table.differences()
}

/// The index of version 6.10.0 with other arguments for `events.create`.
fn with_create(change: impl FnOnce(&mut serde_json::Map<String, serde_json::Value>)) -> PublishedIndex {
    let mut document: serde_json::Value = serde_json::from_slice(VERSIONS[5].1).expect("JSON");
    let create = &mut document["routes"]["/tribe/events/v1/events"]["endpoints"][1]["args"];
    change(create.as_object_mut().expect("a map"));
    index(document.to_string().as_bytes())
}

#[test]
fn eleven_installations_show_their_differences_and_their_version() {
    for (version, body, differences, shown_as) in VERSIONS {
        let table = TableInForce::over(&index(body));
        assert_eq!(shown(&table), differences, "{version}");
        assert_eq!(table.site_version.to_string(), shown_as, "{version}");
    }
}

#[test]
fn the_probe_completes_the_version() {
    for (version, body, _, _) in VERSIONS {
        let probed = |ids| TableInForce::over(&index(body).with_event_ids(Some(ids))).site_version;
        let old = probed(EventIds::Existing);
        assert_eq!(old.event_ids(), Some(EventIds::Existing), "{version}");
        let new = probed(EventIds::Numeric);
        assert_eq!(new.event_ids(), Some(EventIds::Numeric), "{version}");
        assert_eq!(new, SiteVersion::exactly(PluginVersion::NEWEST), "{version}");
    }
    assert_eq!(TableInForce::unread().site_version.event_ids(), None);
}

#[test]
fn a_stored_index_is_read_as_it_was_written() {
    for (version, body, _, _) in VERSIONS {
        let written = index(body).with_event_ids(Some(EventIds::Numeric));
        let read = PublishedIndex::from_json(&written.to_json());
        assert_eq!(read.as_ref(), Ok(&written), "{version}");
    }
    assert!(PublishedIndex::from_json(&serde_json::json!({"operations": {}})).is_err());
}

#[test]
fn rules_of_the_edges_own_hold_whatever_an_index_says() {
    let table = TableInForce::over(&with_create(|arguments| {
        for name in ["image", "author", "venue", "organizer", "status"] {
            arguments.remove(name);
        }
    }));
    assert_eq!(shown(&table), ["-status (events.create)"]);
}

#[test]
fn names_with_a_meaning_of_their_own_are_not_taken_over() {
    let table = TableInForce::over(&with_create(|arguments| {
        for name in [
            "_method",
            "rest_route",
            "_jsonp",
            "wp_customize",
            "a[b]",
            "a.b",
            "",
            "a b",
            "lang",
            "series",
        ] {
            arguments.insert(name.to_owned(), serde_json::json!({}));
        }
    }));
    assert_eq!(shown(&table), ["+series (events.create)"]);
}

#[test]
fn one_description_covers_all_roots() {
    let [old, wpml] = [0, 9].map(|at| Arc::new(TableInForce::over(&index(VERSIONS[at].1))));
    let both = TablesInForce::new(vec![old, wpml]).joined();
    assert_eq!(shown(&both), ["+wpml_language (36 operations)"]);
    assert_eq!(TablesInForce::default().joined(), *TableInForce::unread());
    let unread = vec![TableInForce::unread(); 2];
    assert_eq!(TablesInForce::new(unread).joined(), *TableInForce::unread());
}

#[test]
fn different_tables_have_different_fingerprints() {
    let prints: std::collections::BTreeSet<u64> = [0, 2, 5, 9]
        .iter()
        .map(|&at| TableInForce::over(&index(VERSIONS[at].1)).fingerprint())
        .chain([TableInForce::unread().fingerprint()])
        .collect();
    assert_eq!(prints.len(), 5);
}

#[test]
fn the_wanted_version_decides_which_arguments_are_judged() {
    let wanted = |text| PluginVersion::chosen(text).expect(text);
    let list = table().named("events.list").expect("it exists");
    let place = |name: &str| list.arguments.iter().position(|argument| argument.name == name);
    let place = place("starts_after").expect("an argument");
    let old = TableInForce::over(&index(VERSIONS[0].1));
    let new = TableInForce::over(&index(VERSIONS[10].1));
    let standing = |table: &TableInForce| table.operation(list).standing(place);
    assert_eq!(standing(&old), ArgumentStanding::Unjudged);
    assert_eq!(standing(&new), ArgumentStanding::Judged);
    for table in [&old, &new, &TableInForce::unread(), &TableInForce::awaited()] {
        assert_eq!(
            standing(&table.in_version(wanted("6.10"))),
            ArgumentStanding::Judged
        );
        assert_eq!(
            standing(&table.in_version(wanted("5.12"))),
            ArgumentStanding::Dropped
        );
        assert!(
            table
                .in_version(wanted("5.12"))
                .operation(list)
                .drops(list, "ticketed")
        );
        let ids = |version| table.in_version(wanted(version)).event_ids;
        assert_eq!(ids("6.10"), Some(EventIds::Existing));
        assert_eq!(ids("6.17.2"), Some(EventIds::Numeric));
    }
}
