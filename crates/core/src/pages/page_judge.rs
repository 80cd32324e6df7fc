//! The calendar pages that can have no events, by the facts of the site.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use url::Url;

use super::address_reader::AddressReader;
use super::calendar_page::{CalendarPage, PageAddress, PageFilters, PageView};
use super::empty_page::page_without_events;
use super::page_times::{NEAR, SiteDays, earliest_now, is_near, widened};
use super::spans::Spans;
use crate::companion::facts::{EventFact, FactsSnapshot, SiteFacts, TermFact, WallSpan};
use crate::unix_time::UnixTime;

/// Judges the calendar pages of one site by its facts.
#[derive(Debug, Clone)]
pub struct PageJudge {
    /// The facts.
    pub facts: Arc<FactsSnapshot>,
    reader: Arc<AddressReader>,
    days: SiteDays,
    per_page: usize,
    /// The view of the addresses that name none is the list.
    has_list: bool,
    enabled: Vec<PageView>,
    hindrance: Option<String>,
    calendar: Option<Url>,
    page: Bytes,
    all: Spans,
    featured: Spans,
    /// By the slug.
    categories: HashMap<Box<[u8]>, Spans>,
    tags: HashMap<Box<[u8]>, Spans>,
}

/// The decision about a request for a calendar page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageVerdict {
    /// WordPress responds to it.
    Forward(Open),
    /// It lies beyond the first or the last event, and shows none.
    Beyond {
        /// Within a month of that event.
        is_at_end: bool,
    },
    /// It is a calendar file without events.
    EmptyFile,
}

/// The reason for which WordPress responds to a request for a calendar page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Open {
    /// It may show an event.
    MayHaveEvents,
    /// It shows none, between the first and the last event.
    Within,
    /// It is near today.
    Near,
    /// It names no date.
    Undated,
    /// It names a term that the facts do not have.
    UnknownTerm,
}

/// The versions whose views were measured, or read in source.
const KNOWN_MINORS: std::ops::RangeInclusive<u32> = 10..=17;

// === impl PageJudge ===

impl PageJudge {
    /// The judge for these facts.
    pub fn new(facts: &Arc<FactsSnapshot>) -> Self {
        let reader = AddressReader::new(&facts.site.rules, &facts.site.home);
        Self::reading(Arc::new(reader), facts)
    }

    /// The judge for other facts of the same site. Rules that have not changed are not read again.
    #[must_use]
    pub fn with(&self, facts: &Arc<FactsSnapshot>) -> Self {
        let before = &self.facts.site;
        let is_same = before.rules == facts.site.rules && before.home == facts.site.home;
        if is_same {
            Self::reading(Arc::clone(&self.reader), facts)
        } else {
            Self::new(facts)
        }
    }

    fn reading(reader: Arc<AddressReader>, facts: &Arc<FactsSnapshot>) -> Self {
        let site = &facts.site;
        let events = &facts.events;
        Self {
            facts: Arc::clone(facts),
            reader,
            days: SiteDays::of(site),
            per_page: usize::try_from(site.per_page).unwrap_or(usize::MAX).max(1),
            has_list: site.default_view == "list",
            enabled: site
                .enabled_views
                .iter()
                .filter_map(|name| PageView::named(name.as_bytes()))
                .collect(),
            hindrance: hindrance(site),
            calendar: Url::parse(&site.calendar).ok(),
            page: Bytes::from(page_without_events(site)),
            all: Spans::new(times(events.iter())),
            featured: Spans::new(times(events.iter().filter(|event| event.featured))),
            categories: by_slug(&site.terms, "tribe_events_cat", events),
            tags: by_slug(&site.terms, "post_tag", events),
        }
    }

    /// The reason for which no page of this site can be judged; none if pages can.
    pub fn hindrance(&self) -> Option<&str> {
        self.hindrance.as_deref()
    }

    /// The address of the calendar, as the site names it.
    pub const fn calendar(&self) -> Option<&Url> {
        self.calendar.as_ref()
    }

    /// The page without events, in the site's language.
    pub fn page_without_events(&self) -> Bytes {
        self.page.clone()
    }

    /// Reads the path and the query of a target, as they were sent.
    pub fn read(&self, path: &str, query: Option<&str>) -> PageAddress {
        self.reader
            .read(path.as_bytes(), query.unwrap_or_default().as_bytes())
    }

    /// The decision about a page at this time.
    pub fn judge(&self, page: &CalendarPage, now: UnixTime) -> PageVerdict {
        let Some(filtered) = self.filtered(&page.filters) else {
            return PageVerdict::Forward(Open::UnknownTerm);
        };
        let Some(day) = page.date else {
            return self.judge_number(page, &filtered, now);
        };
        let shown = self.days.shown(self.view(page), day);
        // Each of the sets has all events that the page shows.
        let may_show = filtered.iter().all(|spans| spans.touch(shown));
        if may_show {
            return PageVerdict::Forward(Open::MayHaveEvents);
        }
        if page.is_ical {
            return PageVerdict::EmptyFile;
        }
        if is_near(page, shown, now) {
            return PageVerdict::Forward(Open::Near);
        }
        let whole = self.all.whole();
        if whole.is_some_and(|whole| whole.overlaps(shown)) {
            return PageVerdict::Forward(Open::Within);
        }
        let is_at_end = whole.is_some_and(|whole| widened(whole, NEAR).overlaps(shown));
        PageVerdict::Beyond { is_at_end }
    }

    /// A page of the list from today: beyond what all events can fill, and one page more.
    fn judge_number(&self, page: &CalendarPage, filtered: &[&Spans], now: UnixTime) -> PageVerdict {
        let from = earliest_now(now);
        let most = filtered.iter().map(|spans| spans.count_from(from)).min();
        let pages = most.unwrap_or(usize::MAX).div_ceil(self.per_page).max(1);
        let number = usize::try_from(page.number).unwrap_or(usize::MAX);
        if self.is_list(page) && !page.is_ical && number > pages.saturating_add(1) {
            return PageVerdict::Beyond {
                is_at_end: number <= pages.saturating_add(3),
            };
        }
        PageVerdict::Forward(Open::Undated)
    }

    /// The view that a page has: in place of one that is switched off the plugin shows the site's own.
    fn view(&self, page: &CalendarPage) -> PageView {
        let is_enabled = self.enabled.contains(&page.view);
        if is_enabled { page.view } else { PageView::Default }
    }

    /// True if a page is a list.
    fn is_list(&self, page: &CalendarPage) -> bool {
        let view = self.view(page);
        view == PageView::List || view == PageView::Default && self.has_list
    }

    /// The sets of which a page shows what is in all; none if it names a term that is not known.
    fn filtered(&self, filters: &PageFilters) -> Option<Vec<&Spans>> {
        let PageFilters {
            category,
            tag,
            is_featured,
        } = filters;
        let mut sets = vec![&self.all];
        for (slug, known) in [(category, &self.categories), (tag, &self.tags)] {
            if let Some(slug) = slug {
                sets.push(known.get(slug)?);
            }
        }
        sets.extend(is_featured.then_some(&self.featured));
        Some(sets)
    }
}

fn times<'a>(events: impl Iterator<Item = &'a EventFact>) -> impl Iterator<Item = WallSpan> {
    events.flat_map(|event| shown_at(event).iter().copied())
}

/// The times at which an event is shown. One without any time may be shown at any.
fn shown_at(event: &EventFact) -> &[WallSpan] {
    if event.times.is_empty() {
        return &[WallSpan::ALWAYS];
    }
    &event.times
}

/// The times of the events of each term of a taxonomy and of its descendants. Terms may share a slug below
/// different parents: their events are put together.
fn by_slug(terms: &[TermFact], taxonomy: &str, events: &[EventFact]) -> HashMap<Box<[u8]>, Spans> {
    let terms = terms.iter().filter(|term| term.taxonomy == taxonomy);
    let parents: BTreeMap<u64, &TermFact> = terms.map(|term| (term.id, term)).collect();
    let mut found: HashMap<Box<[u8]>, Vec<WallSpan>> = HashMap::new();
    for term in parents.values() {
        found.entry(term.slug.as_bytes().into()).or_default();
    }
    for event in events {
        let mut seen = HashSet::new();
        let mut waiting = event.terms.clone();
        while let Some(id) = waiting.pop() {
            if let Some(term) = parents.get(&id).filter(|_| seen.insert(id)) {
                let spans = found.entry(term.slug.as_bytes().into()).or_default();
                spans.extend(shown_at(event));
                waiting.push(term.parent);
            }
        }
    }
    let spans = found.into_iter();
    spans.map(|(slug, spans)| (slug, Spans::new(spans))).collect()
}

fn hindrance(site: &SiteFacts) -> Option<String> {
    let version = site.plugin.strip_prefix("6.").and_then(|rest| {
        let minor = rest.split('.').next()?;
        minor.parse::<u32>().ok()
    });
    let text = |reason: &str| Some(reason.to_owned());
    // Any parameter changes a calendar that is the front page; each language may have its own events; a block theme
    // without the plugin's template shows the same events at every address.
    if site.front_page {
        text("the calendar is the front page of the site")
    } else if site.languages {
        text("the site has a plugin for several languages")
    } else if !site.views {
        text("the theme does not show the plugin's views: a calendar page lists posts")
    } else if !site.filters.is_empty() {
        let filters = site.filters.join(", ");
        Some(format!(
            "other plugins change what calendar pages show: {filters}"
        ))
    } else if site.structure.is_empty() {
        text("the site has plain permalinks")
    } else if version.is_none_or(|minor| !KNOWN_MINORS.contains(&minor)) {
        let (plugin, first, last) = (&site.plugin, KNOWN_MINORS.start(), KNOWN_MINORS.end());
        Some(format!(
            "version {plugin} of The Events Calendar is not known: 6.{first} to 6.{last} are"
        ))
    } else {
        None
    }
}

#[cfg(test)]
#[path = "page_judge_tests.rs"]
pub(super) mod tests;
