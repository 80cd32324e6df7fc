//! The read of the API that gives the events of a calendar file that the plugin offers for download.

use std::fmt::Write as _;

use http::header::CONTENT_DISPOSITION;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::calendar_page::{PageAddress, PageFilters};
use super::page_judge::PageJudge;
use calendar_edge_judge::wordpress::payload::{Plus, decode};
use calendar_edge_judge::wordpress::value::write_escaped;

/// All events that have not ended when the day begins in UTC: never fewer than the plugin's file has, and the same read
/// for a whole day. Without an end of its own, the API's list has the events of two years alone.
const UPCOMING: &str = "events?ends_after=today&strict_dates=1";

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

// === impl PageJudge ===

impl PageJudge {
    /// The read below the namespace whose calendar has the events of a file that the plugin gives at an address; none:
    /// it cannot be decided surely, or the API does not list these events. The site gives that file.
    pub fn download(&self, address: &PageAddress) -> Option<String> {
        match address {
            PageAddress::File { event: Some(slug) } => event(slug),
            PageAddress::File { event: None } => self.has_list.then(|| UPCOMING.to_owned()),
            // The file of a day or a month has what its page shows, and the API's dates mean another thing.
            PageAddress::Page(page) if page.is_ical && page.date.is_none() && page.number == 1 => {
                self.is_list(page).then(|| self.list(&page.filters))?
            }
            PageAddress::Page(_) | PageAddress::Unknown(_) | PageAddress::Elsewhere => None,
        }
    }

    fn list(&self, filters: &PageFilters) -> Option<String> {
        let mut read = UPCOMING.to_owned();
        for (slug, taxonomy, argument) in [
            (&filters.category, "tribe_events_cat", "categories"),
            (&filters.tag, "post_tag", "tags"),
        ] {
            if let Some(slug) = slug {
                let _ = write!(read, "&{argument}={}", self.term(taxonomy, slug)?);
            }
        }
        if filters.is_featured {
            read.push_str("&featured=true");
        }
        Some(read)
    }

    /// The number of the only term with this slug, if the API does not take it for a slug.
    fn term(&self, taxonomy: &str, slug: &[u8]) -> Option<u64> {
        let named = |slug: &[u8]| {
            let of_taxonomy = self
                .facts
                .site
                .terms
                .iter()
                .filter(|term| term.taxonomy == taxonomy);
            let ids = of_taxonomy.filter(|term| term.slug.as_bytes() == slug);
            ids.map(|term| term.id).collect::<Vec<_>>()
        };
        let [id] = named(slug)[..] else {
            return None;
        };
        let is_sure = named(id.to_string().as_bytes()).is_empty();
        is_sure.then_some(id)
    }
}

/// The read of an event by its slug. A number may name another one.
fn event(slug: &[u8]) -> Option<String> {
    let slug = decode(slug, Plus::Literal);
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let is_name = slug.iter().all(|byte| is_letter(*byte) || !byte.is_ascii());
    let mut read = "events/by-slug/".to_owned();
    write_escaped(&slug, &mut read);
    (is_name && !slug.iter().all(u8::is_ascii_digit)).then_some(read)
}

/// Marks a calendar in its headers as a file that search engines do not index, as the plugin does.
pub fn name_download(headers: &mut HeaderMap) {
    let file = HeaderValue::from_static("attachment; filename=\"events.ics\"");
    headers.insert(CONTENT_DISPOSITION, file);
    headers.insert(ROBOTS, HeaderValue::from_static("noindex, nofollow"));
}

#[cfg(test)]
mod tests {
    use super::super::page_judge::tests::{judge_of, read, site};
    use super::*;
    use crate::companion::facts::TermFact;

    const BY_SLUG: &str = "events/by-slug/";

    #[test]
    fn files_of_lists_and_of_events_are_reads_of_the_api() {
        let judge = judge_of(site(), Vec::new());
        for (target, arguments) in [
            ("/events/?ical=1", ""),
            ("/events/?ical=", ""),
            ("/events/ical/", ""),
            ("/events/list/?ical=1", ""),
            ("/events/list/?outlook-ical=1", ""),
            ("/events/list/?outlook-ical=1%23038;ical=1", ""),
            ("/events/?ical=1&eventDisplay=list&utm_source=x", ""),
            ("/event/?ical=1", ""),
            ("/?post_type=tribe_events&ical=1&eventDisplay=list", ""),
            (
                "/?post_type=tribe_events&tribe_events_cat=jazz&ical=1&eventDisplay=list",
                "&categories=3",
            ),
            (
                "/?post_type=tribe_events&ical=1&tribe_events_cat=jazz",
                "&categories=3",
            ),
            (
                "/events/category/jazz/?post_type=tribe_events&ical=1&eventDisplay=list",
                "&categories=3",
            ),
            ("/events/category/music/jazz/ical/", "&categories=3"),
            (
                "/events/category/jazz/featured/?ical=1",
                "&categories=3&featured=true",
            ),
            ("/events/tag/free/?ical=1", "&tags=9"),
            ("/events/featured/ical/", "&featured=true"),
            ("/?ical=1", ""),
            ("/sample-page/?ical=1", ""),
            ("/a/b/c?outlook-ical=1&utm_medium=y", ""),
        ] {
            let found = judge.download(&read(&judge, target));
            assert_eq!(found, Some(format!("{UPCOMING}{arguments}")), "{target}");
        }
        for (target, slug) in [
            ("/event/jazz-night/?ical=1", "jazz-night"),
            ("/event/Jazz_7/?ical=1&fbclid=x", "Jazz_7"),
            ("/event/%e6%9c%88/?ical=1", "%E6%9C%88"),
        ] {
            let found = judge.download(&read(&judge, target));
            assert_eq!(found, Some(format!("{BY_SLUG}{slug}")), "{target}");
        }
    }

    #[test]
    fn every_other_file_is_the_sites() {
        let judge = judge_of(site(), Vec::new());
        for target in [
            "/events/",
            "/events/month/?ical=1",
            "/events/today/?ical=1",
            "/events/2027-08-10/ical/",
            "/events/list/?tribe-bar-date=2027-08-10&ical=1",
            "/events/list/page/2/?ical=1",
            "/events/?ical=1&eventDisplay=past",
            "/events/?ical=1&s=jazz",
            "/events/?ical=1&event_ids=7",
            "/events/?ical[]=1",
            "/events/category/nosuch/?ical=1",
            "/?post_type=tribe_events&tribe_events_cat=nosuch&ical=1",
            "/event/jazz-night/",
            "/event/jazz-night/ical/",
            "/event/jazz-night/?outlook-ical=1",
            "/event/jazz-night/2/?ical=1",
            "/event/jazz-night/feed/?ical=1",
            "/event/jazz-night/?ical=1&event_ids=7",
            "/event/2027/?ical=1",
            "/event/a%252fb/?ical=1",
            "/event/a%2520b/?ical=1",
            "/sample-page/2/?ical=1",
            "/sample-page/?ical[]=1",
            "/sample-page/?ical=1&s=x",
            "/sample-page/feed/?ical=1",
            "/author/admin/?ical=1",
            "/wp-content/x/?ical=1",
            "/blog/WP-login/?ical=1",
            "/wp-json/tribe/events/v1/?ical=1",
            "/calendar.ics?ical=1",
            "/a%2ephp?ical=1",
            "/robots.txt?ical=1",
            "/?ical=1&p=7",
            "/?ical=1&rest_route=/",
        ] {
            assert_eq!(judge.download(&read(&judge, target)), None, "{target}");
        }
    }

    #[test]
    fn a_calendar_that_begins_with_a_month_gives_its_month() {
        let mut site = site();
        "month".clone_into(&mut site.default_view);
        let judge = judge_of(site.clone(), Vec::new());
        for target in ["/events/?ical=1", "/sample-page/?ical=1", "/event/?ical=1"] {
            assert_eq!(judge.download(&read(&judge, target)), None, "{target}");
        }
        let list = read(&judge, "/events/list/?ical=1");
        assert!(judge.download(&list).is_some());
        site.enabled_views = vec!["month".to_owned()];
        assert_eq!(judge_of(site, Vec::new()).download(&list), None);
    }

    #[test]
    fn a_term_that_another_may_be_taken_for_is_the_sites() {
        let with = |slug: &str| {
            let mut site = site();
            site.terms.push(TermFact {
                id: 11,
                taxonomy: "tribe_events_cat".to_owned(),
                slug: slug.to_owned(),
                parent: 2,
                sum: 0,
            });
            let judge = judge_of(site, Vec::new());
            judge.download(&read(&judge, "/events/category/jazz/?ical=1"))
        };
        assert!(with("blues").is_some());
        assert_eq!((with("jazz"), with("3")), (None, None));
    }
}
