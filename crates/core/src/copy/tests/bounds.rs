//! Bounds of lists of events, in both modes and in several zones.

use super::*;
use crate::facts::{Occurrence, ZoneMode};

fn repeated(copy: &RecordCopy, query: &str, now: &str, name: &str) -> Option<String> {
    let response = copy
        .respond(&question(&format!("events?{query}")), at(now))
        .unwrap();
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    let (_, query) = body["rest_url"].as_str().unwrap().split_once('?').unwrap();
    let value = query
        .split('&')
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    value.map(str::to_owned)
}

fn in_zone(zone: &str, mode: ZoneMode) -> CopySite {
    let mut site = site();
    site.bounds_zone = zone.to_owned();
    site.mode = mode;
    site
}

#[test]
fn without_dates_two_years_count_from_the_end_of_yesterday_in_utc() {
    for (zone, now, start, end) in [
        ("Europe/Berlin", NOW, "2026-11-20 00:00:00", "2028-11-20 23:59:59"),
        (
            "America/New_York",
            NOW,
            "2026-11-19 00:00:00",
            "2028-11-20 23:59:59",
        ),
        (
            "Pacific/Auckland",
            NOW,
            "2026-11-20 00:00:00",
            "2028-11-20 23:59:59",
        ),
        ("UTC", NOW, "2026-11-19 00:00:00", "2028-11-20 23:59:59"),
        (
            "Europe/Berlin",
            "2026-11-20T23:30:00Z",
            "2026-11-20 00:00:00",
            "2028-11-20 23:59:59",
        ),
        (
            "Europe/Berlin",
            "2028-02-29T12:00:00Z",
            "2028-02-29 00:00:00",
            "2030-03-01 23:59:59",
        ),
    ] {
        let copy = copy(in_zone(zone, ZoneMode::Event), Vec::new());
        assert_eq!(
            repeated(&copy, "", now, "start_date").as_deref(),
            Some(start),
            "{zone} {now}"
        );
        assert_eq!(
            repeated(&copy, "", now, "end_date").as_deref(),
            Some(end),
            "{zone} {now}"
        );
    }
    let copy = copy(
        site(),
        events(&[
            "2026-11-19 23:00:00",
            "2026-11-20 01:00:00",
            "2028-11-20 22:00:00",
            "2028-11-21 00:00:00",
        ]),
    );
    assert_eq!(ids(&copy, "events"), [2, 3]);
}

#[test]
fn whole_days_enclose_an_event() {
    let mut events = events(&[
        "2026-12-30 22:30:00",
        "2027-01-01 00:00:00",
        "2027-01-02 22:59:59",
        "2027-01-02 23:00:00",
        "2027-01-03 00:00:00",
    ]);
    let Occurrence(_, _, end, _, end_utc) = &mut events[3].occurrences[0];
    *end = "2027-01-03 00:30:00".to_owned();
    end_utc.clone_from(end);
    let copy = copy(site(), events);
    assert_eq!(
        ids(
            &copy,
            "events?start_date=2027-01-01%2010:00:00&end_date=2027-01-02"
        ),
        [2, 3]
    );
    assert_eq!(ids(&copy, "events?start_date=2026-12-31"), [2, 3, 4, 5]);
    assert_eq!(
        repeated(&copy, "start_date=2027-01-01%2010:00", NOW, "start_date").as_deref(),
        Some("2027-01-01 00:00:00")
    );
}

#[test]
fn relative_bounds_exclude_their_end_of_day_and_the_usual_dates() {
    let copy = copy(
        site(),
        events(&[
            "2020-01-01 23:59:59",
            "2020-01-02 00:00:00",
            "2027-01-01 22:59:59",
            "2035-01-01 10:00:00",
        ]),
    );
    for (query, expected) in [
        ("starts_after=2020-01-01", &[2, 3, 4][..]),
        ("starts_before=2020-01-01", &[]),
        ("starts_before=2020-01-02", &[1, 2]),
        ("ends_before=2027-01-01", &[1, 2]),
        ("ends_after=2027-01-01", &[4]),
        ("ends_after=2026-12-31", &[3, 4]),
        // The later condition takes the place of the first, and only that.
        ("start_date=2030-01-01&starts_after=2020-01-01", &[2, 3, 4]),
        ("start_date=2027-01-01&starts_before=2030-01-01", &[3]),
        ("end_date=2020-12-31&ends_before=2030-01-01", &[1, 2, 3]),
        ("end_date=2030-12-31&ends_after=2020-06-01", &[3]),
        ("start_date=2021-01-01&ends_before=2036-01-01", &[3, 4]),
    ] {
        assert_eq!(ids(&copy, &format!("events?{query}")), expected, "{query}");
    }
    assert_eq!(
        repeated(&copy, "starts_after=2020-01-01", NOW, "start_date"),
        None
    );
    assert_eq!(
        repeated(&copy, "starts_after=2020-01-01", NOW, "starts_after").as_deref(),
        Some("2020-01-01 23:59:59")
    );
    assert_eq!(
        repeated(
            &copy,
            "start_date=2030-01-01&starts_after=2020-01-01",
            NOW,
            "start_date"
        )
        .as_deref(),
        Some("2030-01-01 00:00:00")
    );
}

#[test]
fn dates_are_converted_from_the_offset_zero_to_the_clock_of_london() {
    let mut site = in_zone("UTC", ZoneMode::Event);
    let start = |site: &CopySite, query: &str, now: &str| {
        repeated(&copy(site.clone(), Vec::new()), query, now, "start_date").unwrap()
    };
    let (summer, winter) = ("2027-06-05T10:00:00Z", "2027-01-05T10:00:00Z");
    let strict = "strict_dates=1&end_date=2028-01-01&start_date=2027-06-05";
    site.zone = "UTC".to_owned();
    assert_eq!(start(&site, "", summer), "2027-06-04 00:00:00");
    assert_eq!(start(&site, strict, summer), "2027-06-05 00:00:00");
    site.zone = "+00:00".to_owned();
    assert_eq!(start(&site, "", summer), "2027-06-05 00:00:00");
    assert_eq!(start(&site, "", winter), "2027-01-04 00:00:00");
    assert_eq!(start(&site, strict, summer), "2027-06-05 01:00:00");
}

#[test]
fn strict_dates_are_dates_of_utc() {
    let copy = copy(site(), events(&["2027-01-01 12:59:59", "2027-01-01 13:00:00"]));
    let query =
        |strict: &str| format!("start_date=2027-01-01%2012:00&end_date=2028-01-01&strict_dates={strict}");
    for (strict, expected) in [
        ("true", &[2][..]),
        ("YES", &[2]),
        ("on", &[2]),
        ("1", &[2]),
        ("false", &[1, 2]),
        ("2", &[1, 2]),
    ] {
        assert_eq!(
            ids(&copy, &format!("events?{}", query(strict))),
            expected,
            "{strict}"
        );
    }
    assert_eq!(
        repeated(&copy, &query("1"), NOW, "start_date").as_deref(),
        Some("2027-01-01 13:00:00")
    );
    // The usual end has the second of the question in it; the usual start has not.
    assert_eq!(respond(&copy, "events?strict_dates=1").err(), Some(Ask::Second));
    assert_eq!(
        respond(&copy, "events?strict_dates=1&start_date=2027-01-01").err(),
        Some(Ask::Second)
    );
    assert_eq!(
        repeated(&copy, "strict_dates=1&end_date=2028-01-01", NOW, "start_date").as_deref(),
        Some("2026-11-20 01:59:00")
    );
    assert!(respond(&copy, "events?strict_dates=1&ends_after=2027-01-01").is_ok());
}

/// An event in Tokyo, whose clock is eight hours ahead of Berlin's.
fn in_tokyo() -> RecordFact {
    let mut event = event(1, "2027-01-02 05:00:00");
    let occurrence = &mut event.occurrences[0];
    occurrence.3 = "2027-01-01 20:00:00".to_owned();
    occurrence.4 = "2027-01-01 21:00:00".to_owned();
    event
}

#[test]
fn a_site_lists_by_its_own_clock_or_by_that_of_events() {
    let records = vec![in_tokyo(), event(2, "2027-01-01 23:00:00")];
    let days = "start_date=2027-01-01&end_date=2027-01-01";
    let by_events = copy(site(), records.clone());
    assert_eq!(ids(&by_events, &format!("events?{days}")), [2]);
    assert_eq!(ids(&by_events, "events?starts_after=2027-01-01"), [1]);
    let by_site = copy(in_zone("Europe/Berlin", ZoneMode::Site), records.clone());
    assert_eq!(ids(&by_site, &format!("events?{days}")), [1]);
    assert_eq!(
        ids(&by_site, "events?start_date=2027-01-01&end_date=2027-01-02"),
        [1, 2]
    );
    assert_eq!(
        repeated(&by_site, days, NOW, "end_date").as_deref(),
        Some("2027-01-01 23:59:59")
    );
    // A zone that is called UTC makes the plugin choose by UTC, and sort as before.
    let by_utc = copy(in_zone("UTC", ZoneMode::Event), records);
    assert_eq!(
        ids(&by_utc, "events?start_date=2027-01-01&end_date=2027-01-02"),
        [2, 1]
    );
    assert_eq!(ids(&by_utc, &format!("events?{days}")), [2, 1]);
}

#[test]
fn an_hour_that_summer_time_skips_is_the_next() {
    let copy = copy(site(), events(&["2027-03-28 02:30:00", "2027-03-28 03:30:00"]));
    assert_eq!(
        ids(
            &copy,
            "events?strict_dates=1&start_date=2027-03-28%2001:30&end_date=2028-01-01"
        ),
        [2]
    );
}

#[test]
fn a_day_may_end_after_midnight() {
    let mut site = site();
    site.cutoff = Some("03:30".to_owned());
    let records = events(&[
        "2027-01-01 03:00:00",
        "2027-01-01 04:00:00",
        "2027-01-02 02:00:00",
    ]);
    let late = copy(site.clone(), records.clone());
    assert_eq!(
        ids(&late, "events?start_date=2027-01-01&end_date=2027-01-01"),
        [2, 3]
    );
    assert_eq!(
        repeated(&late, "starts_after=2027-01-01", NOW, "starts_after").as_deref(),
        Some("2027-01-02 03:29:59")
    );
    for unread in [None, Some("noon".to_owned())] {
        site.cutoff = unread;
        assert_eq!(
            respond(&copy(site.clone(), records.clone()), "events").err(),
            Some(Ask::Site)
        );
    }
    site.cutoff = Some("00:00".to_owned());
    site.bounds_zone = "+05:30".to_owned();
    assert_eq!(respond(&copy(site, records), "events").err(), Some(Ask::Site));
}

#[test]
fn dates_are_read_where_they_mean_one_thing() {
    let copy = copy(site(), Vec::new());
    for (text, expected) in [
        ("2027-02-03", Some("2027-02-03")),
        ("2027-02-03T10:00:00", Some("2027-02-03")),
        ("2027-02-03T10:00:00Z", Some("2027-02-03")),
        ("2027/02/03", Some("2027-02-03")),
        ("1801519200", Some("2027-02-01")),
        ("20270203", Some("1970-08-23")),
        ("2027-02-30", Some("2027-03-02")),
        ("tomorrow", Some("2026-11-21")),
        ("now", Some("2026-11-20")),
        ("%2B2 weeks", Some("2026-12-04")),
        ("-1 month", Some("2026-10-20")),
        ("1 day", Some("2026-11-21")),
        ("now&strict_dates=1", None),
        ("1 day EST", None),
        ("next friday", None),
        ("a", None),
        ("10:30", None),
        ("2027-02-03T10:00:00%2B05:00", None),
        ("2027-02-03T10:00:00-05:00", None),
        ("2027-02-03 CET", None),
        ("Feb 3 2027", None),
    ] {
        let query = format!("start_date={}", text.replace(' ', "%20"));
        let answered = copy.respond(&question(&format!("events?{query}")), at(NOW));
        match expected {
            Some(day) => assert_eq!(
                repeated(&copy, &query, NOW, "start_date"),
                Some(format!("{day} 00:00:00")),
                "{text}"
            ),
            None => assert_eq!(answered.err(), Some(Ask::Date), "{text}"),
        }
    }
}
