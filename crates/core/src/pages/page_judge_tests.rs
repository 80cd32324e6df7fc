//! Recorded addresses, spellings of one page, and which pages are judged to have no events.

use proptest::prelude::*;

use super::*;
use crate::companion::facts::SiteWords;

/// 2027-01-01.
const NOW: UnixTime = UnixTime::from_secs(1_798_761_600);

fn rules() -> Vec<(String, String)> {
    serde_json::from_str(include_str!("../../../../fixtures/pages/rules.json")).unwrap()
}

fn term(id: u64, taxonomy: &str, slug: &str, parent: u64) -> TermFact {
    TermFact {
        id,
        taxonomy: taxonomy.to_owned(),
        slug: slug.to_owned(),
        parent,
        sum: 0,
    }
}

pub(in crate::pages) fn site() -> SiteFacts {
    SiteFacts {
        home: "https://a.example".to_owned(),
        plugin: "6.17.2".to_owned(),
        structure: "/%postname%/".to_owned(),
        rules: rules(),
        front_page: false,
        languages: false,
        views: true,
        filters: Vec::new(),
        default_view: "list".to_owned(),
        enabled_views: ["list", "month", "day"].map(str::to_owned).to_vec(),
        per_page: 10,
        cutoff: "00:00".to_owned(),
        week_starts: 1,
        language: "en-US".to_owned(),
        calendar: "https://a.example/events/".to_owned(),
        words: SiteWords {
            none: "There were no results found.".to_owned(),
            calendar: "Events".to_owned(),
        },
        terms: vec![
            term(2, "tribe_events_cat", "music", 0),
            term(3, "tribe_events_cat", "jazz", 2),
            term(5, "tribe_events_cat", "workshops", 0),
            term(9, "post_tag", "free", 0),
        ],
    }
}

fn event(id: u64, terms: &[u64], start: &str, end: &str) -> EventFact {
    let times = serde_json::from_value(serde_json::json!([[start, end]])).unwrap();
    EventFact {
        id,
        featured: false,
        terms: terms.to_vec(),
        times,
    }
}

pub(in crate::pages) fn judge_of(site: SiteFacts, events: Vec<EventFact>) -> PageJudge {
    PageJudge::new(&Arc::new(FactsSnapshot {
        site,
        events,
        records: None,
    }))
}

/// Jazz in August 2027, and a workshop in February 2035.
fn judge() -> PageJudge {
    let jazz = event(1, &[3, 9], "2027-08-10 20:00:00", "2027-08-10 23:00:00");
    let workshop = event(2, &[5], "2035-02-10 00:00:00", "2035-02-11 00:00:00");
    judge_of(site(), vec![jazz, workshop])
}

pub(in crate::pages) fn read(judge: &PageJudge, target: &str) -> PageAddress {
    let (path, query) = target
        .split_once('?')
        .map_or((target, None), |(path, query)| (path, Some(query)));
    judge.read(path, query)
}

/// The verdict on an address in a word.
fn verdict(judge: &PageJudge, target: &str) -> String {
    match read(judge, target) {
        PageAddress::Elsewhere => "elsewhere".to_owned(),
        PageAddress::Unknown(reason) => format!("unknown {}", <&str>::from(reason)),
        PageAddress::Page(page) => match judge.judge(&page, NOW) {
            PageVerdict::Forward(open) => <&str>::from(open).to_owned(),
            PageVerdict::Beyond { .. } => "beyond".to_owned(),
            PageVerdict::EmptyFile => "empty_file".to_owned(),
        },
    }
}

#[test]
fn no_recorded_page_with_events_is_closed() {
    // The rows of the recorded site lie within these, and are 40.
    let all = |id| EventFact {
        featured: true,
        ..event(id, &[3, 5, 9], "1999-06-29 20:00:00", "2040-02-02 01:00:00")
    };
    let judge = judge_of(site(), (1..=40).map(all).collect());
    let mut closed = 0;
    for line in include_str!("../../../../fixtures/pages/addresses.txt")
        .lines()
        .skip(1)
    {
        let [target, _, events] = line.split(" | ").collect::<Vec<_>>().try_into().unwrap();
        let verdict = verdict(&judge, target);
        let is_closed = matches!(&*verdict, "beyond" | "empty_file");
        assert!(
            !is_closed || events == "0",
            "{target}: {verdict} with {events} events"
        );
        closed += usize::from(is_closed);
    }
    assert!(closed > 30, "{closed}");
}

/// Addresses before the calendar of [`judge`], with what becomes of each.
const ADDRESSES: &[(&str, &str)] = &[
    ("/events/", "undated"),
    ("/events/list/", "undated"),
    ("/events/month/", "undated"),
    ("/events/today/", "undated"),
    ("/events/month/2027-08/", "may_have_events"),
    ("/events/month/2027-07/", "beyond"),
    ("/events/month/2027-06/", "beyond"),
    ("/events/month/2027-09/", "within"),
    ("/events/month/2027-01/", "near"),
    ("/events/month/2127-04/", "beyond"),
    ("/events/2127-04/", "beyond"),
    ("/events/2127-04-01", "beyond"),
    ("/events/2027-08-10/", "may_have_events"),
    ("/events/2027-08-09/", "beyond"),
    ("/events/2027-08-12/", "within"),
    ("/events/list/?tribe-bar-date=2035-02-10", "may_have_events"),
    ("/events/list/?tribe-bar-date=2035-02-12", "beyond"),
    ("/events/?tribe-bar-date=2127-04-01&utm_source=x", "beyond"),
    ("/events/?tribe-bar-date=2027-08-10", "may_have_events"),
    ("/events/category/music/2027-08/", "may_have_events"),
    ("/events/category/music/jazz/2035-02/", "within"),
    ("/events/category/music/2127-02/", "beyond"),
    ("/events/category/nosuch/2127-02/", "unknown_term"),
    ("/events/tag/free/2027-08-10/", "may_have_events"),
    ("/events/2127-04-01/featured/", "beyond"),
    ("/events/2127-04-01/ical/", "empty_file"),
    ("/events/month/2030-04/?ical=1", "empty_file"),
    ("/events/month/2027-08/?ical=1", "may_have_events"),
    ("/events/?ical=1", "undated"),
    ("/events/list/page/2/", "undated"),
    ("/events/list/page/3/", "beyond"),
    ("/event/page/30/", "beyond"),
    (
        "/events/month/2127-04/?tribe-bar-date=2027-08-01",
        "unknown contradiction",
    ),
    (
        "/events/month/2127-04/?view_data[bar-date]=2027-08-01",
        "unknown contradiction",
    ),
    ("/events/month/2127-04/?view_data[url]=x", "unknown parameter"),
    ("/events/month/2127-04/?eventDate=2127-04", "beyond"),
    (
        "/events/list/?tribe-bar-date=2127-04-01&eventDisplay=past",
        "unknown past",
    ),
    ("/events/list/?tribe-bar-date=garbage", "unknown date"),
    ("/events/list/?tribe-bar-date=2127-02-31", "unknown date"),
    ("/events/month/2127-13/", "unknown date"),
    ("/events/0000-01-01/", "unknown date"),
    ("/events/list/?tribe-bar-date[]=2127-02-01", "unknown parameter"),
    ("/events/month/2127-04/?s=jazz", "unknown parameter"),
    ("/events/month/2127-04/?foo=1", "unknown parameter"),
    ("/events/month/2127-04/?preview=true", "unknown parameter"),
    ("/events/month/2127-04%0a", "elsewhere"),
    ("/events/category/a%5cb/2127-04/", "unknown bytes"),
    ("/events/category/a,b/2127-04/", "unknown term"),
    ("/%65vents/month/2127-04/", "beyond"),
    (
        "/?post_type=tribe_events&eventDisplay=month&eventDate=2127-04",
        "beyond",
    ),
    ("/?post_type=tribe_events&eventDisplay=list&ical=1", "undated"),
    (
        "/?post_type=tribe_events&tag=free&eventDate=2127-04-01",
        "unknown parameter",
    ),
    ("/event/jazz-night/", "elsewhere"),
    ("/event/jazz-night/?ical=1", "elsewhere"),
    ("/events/feed/", "elsewhere"),
    ("/events/MONTH/2127-04/", "elsewhere"),
    ("/no-such-page/", "elsewhere"),
    ("/wp-json/tribe/events/v1/events", "elsewhere"),
];

#[test]
fn pages_beyond_the_ends_are_closed_and_all_others_are_not() {
    let judge = judge();
    for (target, expected) in ADDRESSES {
        assert_eq!(verdict(&judge, target), *expected, "{target}");
    }
}

#[test]
fn a_view_that_is_switched_off_may_show_any_event_from_its_day_on() {
    let mut site = site();
    site.enabled_views = vec!["list".to_owned()];
    let workshop = event(2, &[], "2035-02-10 00:00:00", "2035-02-11 00:00:00");
    let judge = judge_of(site, vec![workshop]);
    assert_eq!(verdict(&judge, "/events/month/1990-04/"), "may_have_events");
    assert_eq!(verdict(&judge, "/events/2127-04-01/"), "beyond");
}

#[test]
fn an_event_whose_times_are_not_known_is_on_every_page() {
    let unknown = EventFact {
        times: Vec::new(),
        ..event(1, &[], "2027-08-10 20:00:00", "2027-08-10 23:00:00")
    };
    assert_eq!(
        verdict(&judge_of(site(), vec![unknown]), "/events/month/2127-04/"),
        "may_have_events"
    );
}

#[test]
fn a_calendar_without_events_has_only_pages_near_today() {
    let judge = judge_of(site(), Vec::new());
    for (target, expected) in [
        ("/events/month/2027-01/", "near"),
        ("/events/2026-12-01/", "near"),
        ("/events/list/?tribe-bar-date=2027-01-01", "near"),
        ("/events/month/2027-06/", "beyond"),
        ("/events/list/page/3/", "beyond"),
        ("/events/", "undated"),
    ] {
        assert_eq!(verdict(&judge, target), expected, "{target}");
    }
}

#[test]
fn a_site_below_a_path_and_with_translated_words_is_read() {
    let mut site = site();
    site.home = "https://a.example/sub/".to_owned();
    let german = |text: &str| text.replace("(?:month)", "(?:month|monat)");
    site.rules = site
        .rules
        .iter()
        .map(|(pattern, query)| (german(pattern), query.clone()))
        .collect();
    let judge = judge_of(site, Vec::new());
    assert_eq!(verdict(&judge, "/sub/events/monat/2127-04/"), "beyond");
    assert_eq!(verdict(&judge, "/Sub/events/month/2127-04/"), "beyond");
    assert_eq!(verdict(&judge, "/events/month/2127-04/"), "elsewhere");
    assert_eq!(verdict(&judge, "/subevents/month/2127-04/"), "elsewhere");
}

#[test]
fn a_site_whose_pages_may_be_made_otherwise_is_not_judged() {
    let with = |change: fn(&mut SiteFacts)| {
        let mut site = site();
        change(&mut site);
        judge_of(site, Vec::new()).hindrance().map(str::to_owned)
    };
    assert_eq!(with(|_| ()), None);
    for change in [
        |site: &mut SiteFacts| site.front_page = true,
        |site: &mut SiteFacts| site.languages = true,
        |site: &mut SiteFacts| site.views = false,
        |site: &mut SiteFacts| site.filters.push("posts_where".to_owned()),
        |site: &mut SiteFacts| site.structure.clear(),
        |site: &mut SiteFacts| "6.18.0".clone_into(&mut site.plugin),
        |site: &mut SiteFacts| "7.0".clone_into(&mut site.plugin),
        |site: &mut SiteFacts| "6.9.3".clone_into(&mut site.plugin),
    ] {
        assert!(with(change).is_some());
    }
}

#[test]
fn rules_that_cannot_be_read_end_the_reading() {
    let mut site = site();
    site.rules
        .insert(0, ("x(?!y)".to_owned(), "index.php?p=1".to_owned()));
    assert_eq!(
        verdict(&judge_of(site, Vec::new()), "/events/month/2127-04/"),
        "elsewhere"
    );
}

/// Spellings of one address that WordPress reads alike.
fn respelled(path: &str, encoded: usize, is_open: bool) -> String {
    let mut spelled = String::new();
    for (at, byte) in path.bytes().enumerate() {
        if at == encoded && byte != b'/' {
            spelled.extend([format!("%{byte:02x}")]);
        } else {
            spelled.push(char::from(byte));
        }
    }
    if is_open {
        spelled.pop();
    }
    spelled
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Two spellings of a page are one page, and no page that shows an event is closed.
    #[test]
    fn a_page_is_the_same_in_all_its_spellings(
        (year, month, day) in (1990i16..2140, 1i8..=12, 1i8..=28),
        form in 0usize..5,
        encoded in 1usize..40,
        is_open in any::<bool>(),
        (starts, hours) in (0i64..40_000, 0i64..2_000),
    ) {
        let date = format!("{year}-{month:02}-{day:02}");
        let month = format!("{year}-{month:02}");
        let (path, query) = match form {
            0 => (format!("/events/{date}/"), format!("/?post_type=tribe_events&eventDisplay=day&eventDate={date}")),
            1 => (format!("/events/month/{month}/"), format!("/events/month/?tribe-bar-date={date}")),
            2 => (format!("/events/{month}/"), format!("/?eventDate={month}&post_type=tribe_events&eventDisplay=month")),
            3 => (format!("/events/category/jazz/day/{date}/"), format!("/events/category/music/jazz/{date}/?utm_x=1")),
            _ => (format!("/events/{date}/featured/"), format!("/events/{date}/?featured=1&eventDate={date}")),
        };
        // The octets of a slug may be those of a term in another script.
        prop_assume!(form != 3 || !(16..22).contains(&encoded));
        let start = starts * 86_400 - 400_000;
        let event = EventFact {
            id: 1,
            featured: true,
            terms: vec![3],
            times: vec![WallSpan { start, end: start + hours * 3600 }],
        };
        let judge = judge_of(site(), vec![event.clone()]);
        let page = read(&judge, &path);
        prop_assert!(matches!(page, PageAddress::Page(_)), "{path} {page:?}");
        prop_assert_eq!(&page, &read(&judge, &query));
        prop_assert_eq!(&page, &read(&judge, &respelled(&path, encoded, is_open)));
        let first: jiff::civil::Date = date.parse().unwrap();
        let midnight = first.duration_since(jiff::civil::date(1970, 1, 1)).as_secs();
        let shown = WallSpan { start: midnight, end: midnight + 86_399 };
        let closed = matches!(&*verdict(&judge, &path), "beyond");
        prop_assert!(!(closed && event.times[0].overlaps(shown)), "{path}");
    }

    #[test]
    fn no_address_panics(path in "/?[ -~]{0,40}", query in "[ -~]{0,40}") {
        static JUDGE: std::sync::LazyLock<PageJudge> = std::sync::LazyLock::new(judge);
        let _ = JUDGE.read(&path, Some(&query));
    }
}
