//! Events that no list of the calendar shows, by the numbers under which WordPress itself lists them.

use calendar_edge::backend::asked_pause;
use http::{HeaderName, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::list_reader::{ListPage, ListReader, Trouble, WalkedList, patiently};
use super::pace::Pace;
use crate::survey::{Probe, ProbeResponse, code};

/// Events that only their number leads to, where WordPress does not name it.
const HIDDEN: &str = "events that are hidden from lists (`hide_from_listings`): the site does not name their numbers below \
                      wp/v2 to this reader";

/// What WordPress leaves out of its own lists as well.
const DATELESS: &str = "events without dates, which no list of the site names";

/// The most numbers on a page of WordPress.
const PAGE: u64 = 100;

/// What a walk could not read of the events that no list of the calendar shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Uncovered {
    /// True if WordPress names no numbers to the reader.
    is_closed: bool,
    /// The events that WordPress counts, and that the reader may not read.
    withheld: u64,
}

// === impl Uncovered ===

impl Uncovered {
    /// Notes a page of numbers; none: WordPress names none.
    pub(super) fn note(&mut self, page: Option<&ListPage>) {
        self.is_closed |= page.is_none();
        self.withheld += page.map_or(0, |page| page.withheld);
    }

    /// What is therefore not covered, as a verdict or a manifest says it.
    pub(super) fn said(&self) -> Vec<String> {
        let hidden = if self.is_closed { HIDDEN } else { DATELESS };
        let count = self.withheld;
        let withheld = (count > 0).then(|| format!("{count} events that the site counts and does not show"));
        [hidden.to_owned()].into_iter().chain(withheld).collect()
    }
}

// === impl ListReader ===

impl ListReader<'_> {
    /// A page of the numbers that WordPress itself lists, in their order: of all that an account may read, else of what is
    /// public. None if WordPress names no numbers.
    pub(super) async fn numbers(&self, pace: &Pace, list: WalkedList<'_>, number: u64) -> Option<ListPage> {
        let root = self.settings.roots.iter().find(|root| root.path == list.root)?;
        let site = self.settings.site();
        let probe = Probe::of_root(&site, &root.origin_url, "origin.url").ok()?;
        let statuses = ["&status=any", ""];
        for status in statuses.into_iter().skip(usize::from(!self.has_account())) {
            let path = path(status, number);
            let ask = || async { Ok(probe.rest_as(&path, &self.headers).await?) };
            let response = patiently(pace, ask, busy).await.ok()?;
            // An account that may edit nothing asks for what is public.
            if code(&response.json()?) != "rest_invalid_param" {
                return page(&response, number);
            }
        }
        None
    }
}

fn path(status: &str, number: u64) -> String {
    let fields = "orderby=id&order=asc&_fields=id,slug,modified_gmt";
    format!("wp/v2/tribe_events?{fields}&per_page={PAGE}&page={number}{status}")
}

/// The trouble of a site that fails, or refuses because of its load.
fn busy(response: &ProbeResponse) -> Option<Trouble> {
    let is_busy = response.status.is_server_error() || response.status == StatusCode::TOO_MANY_REQUESTS;
    let pause = asked_pause(&response.headers).unwrap_or_default();
    is_busy.then(|| ("the site fails".to_owned(), pause))
}

/// Reads a page of WordPress: its records have what a list of the calendar says of theirs. Without a full page, WordPress
/// counts records that it does not show.
fn page(response: &ProbeResponse, number: u64) -> Option<ListPage> {
    let count = |name| response.header(&HeaderName::from_static(name))?.parse().ok();
    let body = response.json().filter(|_| response.status == StatusCode::OK)?;
    let items = body.as_array()?;
    let total: u64 = count("x-wp-total")?;
    let record = |item: &Value| {
        let modified = item["modified_gmt"].as_str().map(|time| time.replace('T', " "));
        json!({"id": item["id"], "slug": item["slug"], "modified_utc": modified})
    };
    let counted = total.saturating_sub((number - 1).saturating_mul(PAGE)).min(PAGE);
    Some(ListPage {
        records: items.iter().map(record).collect(),
        pages: if total == 0 {
            number
        } else {
            count("x-wp-totalpages")?
        },
        total,
        withheld: counted.saturating_sub(u64::try_from(items.len()).unwrap_or(PAGE)),
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    fn response(status: u16, total: u64, body: &Value) -> ProbeResponse {
        let mut headers = HeaderMap::new();
        headers.insert("x-wp-total", total.into());
        headers.insert("x-wp-totalpages", total.div_ceil(PAGE).into());
        ProbeResponse {
            status: StatusCode::from_u16(status).unwrap(),
            headers,
            body: body.to_string().into_bytes(),
            remote: None,
        }
    }

    #[test]
    fn what_wordpress_counts_and_does_not_show_is_withheld() {
        let item = json!([{"id": 7, "slug": "a", "modified_gmt": "2026-11-20T08:00:00"}]);
        let read = page(&response(200, 103, &item), 2).unwrap();
        let record = json!({"id": 7, "slug": "a", "modified_utc": "2026-11-20 08:00:00"});
        assert_eq!((&read.records, read.pages, read.withheld), (&vec![record], 2, 2));
        assert_eq!(page(&response(200, 250, &item), 2).unwrap().withheld, 99);
        let none = page(&response(200, 0, &json!([])), 1).unwrap();
        assert_eq!((none.pages, none.withheld), (1, 0));
        for (status, code) in [(404, "rest_no_route"), (401, "rest_forbidden"), (400, "x")] {
            assert!(
                page(&response(status, 0, &json!({ "code": code })), 1).is_none(),
                "{code}"
            );
        }
    }

    #[test]
    fn a_walk_says_what_it_could_not_read() {
        let mut uncovered = Uncovered::default();
        assert_eq!(uncovered.said(), [DATELESS]);
        let page = |withheld| ListPage {
            withheld,
            ..ListPage::default()
        };
        uncovered.note(Some(&page(2)));
        uncovered.note(Some(&page(1)));
        assert!(uncovered.said()[1].starts_with("3 events"));
        uncovered.note(None);
        assert_eq!(uncovered.said()[0], HIDDEN);
    }

    #[test]
    fn numbers_are_asked_for_in_their_order() {
        let path = path("&status=any", 2);
        assert!(
            path.starts_with("wp/v2/tribe_events?orderby=id&order=asc&"),
            "{path}"
        );
        assert!(path.ends_with("&per_page=100&page=2&status=any"), "{path}");
    }
}
