//! The address at which the edge itself requests a page: it has nothing of a client's spelling (T-110).

use std::fmt::Write as _;

use super::calendar_page::{CalendarPage, PageAddress, PageView};
use super::page_judge::PageJudge;
use calendar_edge_judge::wordpress::value::write_escaped;

// === impl PageJudge ===

impl PageJudge {
    /// The path and query that name a page with a date or a number; none if the site would read another page.
    pub fn address(&self, page: &CalendarPage) -> Option<String> {
        let mut address = self.calendar()?.path().to_owned();
        match (page.view, page.date) {
            (PageView::Month, Some(day)) => write!(address, "{:04}-{:02}/", day.year(), day.month()).ok()?,
            (PageView::Day, Some(day)) => write!(address, "{day}/").ok()?,
            (PageView::List, _) => address.push_str("list/"),
            _ => {}
        }
        let mut mark = '?';
        for (name, value) in parameters(page) {
            let _ = write!(address, "{mark}{name}=");
            write_escaped(&value, &mut address);
            mark = '&';
        }
        let (path, query) = address.split_once('?').unwrap_or((&address, ""));
        let is_page = self.read(path, Some(query)) == PageAddress::Page(page.clone());
        is_page.then_some(address)
    }
}

/// The parts that are not in the path. Parameters mean the same in all languages, and segments of a path do not.
fn parameters(page: &CalendarPage) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let is_in_path = matches!(page.view, PageView::Month | PageView::Day);
    let date = page.date.filter(|_| !is_in_path);
    let slug = |slug: &Option<Box<[u8]>>| slug.as_ref().map(|slug| slug.to_vec());
    [
        ("tribe-bar-date", date.map(|day| day.to_string().into_bytes())),
        ("tribe_events_cat", slug(&page.filters.category)),
        ("tag", slug(&page.filters.tag)),
        ("featured", page.filters.is_featured.then(|| b"1".to_vec())),
        (
            "paged",
            (page.number > 1).then(|| page.number.to_string().into_bytes()),
        ),
        ("ical", page.is_ical.then(|| b"1".to_vec())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
}

#[cfg(test)]
mod tests {
    use super::super::page_judge::tests::{judge_of, read, site};
    use super::*;

    #[test]
    fn t110_all_spellings_of_a_page_are_asked_for_by_one_address() {
        let judge = judge_of(site(), Vec::new());
        for (target, asked) in [
            (
                "/events/month/2127-04/?fbclid=type-tribe_events",
                "/events/2127-04/",
            ),
            ("/%65vents/2127-04?utm_source=x", "/events/2127-04/"),
            (
                "/?post_type=tribe_events&eventDisplay=month&eventDate=2127-04",
                "/events/2127-04/",
            ),
            (
                "/events/category/type-tribe_events/jazz/2127-05-01/",
                "/events/2127-05-01/?tribe_events_cat=jazz",
            ),
            (
                "/events/tag/free/2127-05-01/?gclid=x",
                "/events/2127-05-01/?tag=free",
            ),
            ("/events/2127-05-01/featured/", "/events/2127-05-01/?featured=1"),
            ("/events/2127-05-01/ical/", "/events/2127-05-01/?ical=1"),
            ("/events/2127-05-01/?outlook-ical=x", "/events/2127-05-01/?ical=1"),
            (
                "/events/list/?eventDate=2127-05-01",
                "/events/list/?tribe-bar-date=2127-05-01",
            ),
            (
                "/events/?tribe-bar-date=2127-05-01",
                "/events/?tribe-bar-date=2127-05-01",
            ),
            ("/events/list/page/30/?fbclid=x", "/events/list/?paged=30"),
            ("/event/page/30/", "/events/?paged=30"),
            (
                "/events/category/%e6%9c%88/2127-04/",
                "/events/2127-04/?tribe_events_cat=%25e6%259c%2588",
            ),
        ] {
            let PageAddress::Page(page) = read(&judge, target) else {
                panic!("{target} is no page");
            };
            assert_eq!(judge.address(&page).as_deref(), Some(asked), "{target}");
        }
    }

    #[test]
    fn a_page_that_another_address_would_name_is_not_asked_for() {
        let mut site = site();
        let PageAddress::Page(list) = read(
            &judge_of(site.clone(), Vec::new()),
            "/events/list/?eventDate=2127-05-01",
        ) else {
            panic!("no page");
        };
        "https://a.example/elsewhere/".clone_into(&mut site.calendar);
        assert_eq!(judge_of(site, Vec::new()).address(&list), None);
    }
}
