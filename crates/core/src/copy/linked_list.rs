//! The lists of venues and organizers: which they have, and in which order.

use calendar_edge_judge::contract::Kind;
use http::StatusCode;
use memchr::memmem::Finder;

use super::ask::Ask;
use super::list_page::{Addresses, Page};
use super::question::CopyQuestion;
use super::record_copy::{CopyResponse, RecordCopy};
use super::search::finds;
use super::single::record_kind;
use crate::facts::{PostKind, RecordFact};
use crate::unix_time::UnixTime;

/// Texts that the plugin takes for true, besides which nothing is.
const TRUTHY: [&str; 7] = ["1", "enable", "enabled", "on", "y", "yes", "true"];

// === impl RecordCopy ===

impl RecordCopy {
    pub(super) fn linked(
        &self,
        kind: Kind,
        question: &CopyQuestion,
        now: UnixTime,
    ) -> Result<CopyResponse, Ask> {
        if question.text("status").is_some_and(|status| status != "publish") {
            return Err(Ask::Argument);
        }
        let sought = record_kind(kind).ok_or(Ask::Argument)?;
        let page = Page::of(self, kind, question)?;
        let (limits, mut is_tied) = self.limits(sought, question, now)?;
        let takes = |id: u64| limits.iter().all(|limit| limit.binary_search(&id).is_ok());
        let listed = self
            .records
            .iter()
            .enumerate()
            .filter(|(_, record)| record.kind == sought && record.is_public());
        let mut listed: Vec<usize> = listed
            .filter(|(_, record)| takes(record.id))
            .map(|(place, _)| place)
            .collect();
        let rank = |place: &usize| {
            self.records
                .get(*place)
                .map(|record| (record.date.as_str(), record.id))
        };
        listed.sort_unstable_by_key(|place| std::cmp::Reverse(rank(place)));
        let total = u64::try_from(listed.len()).unwrap_or(u64::MAX);
        let found = self.searched(sought, question)?;
        // A search that finds nothing shows nothing, with the totals of the list without it.
        let is_lost = found.as_ref().is_some_and(Vec::is_empty);
        let shown: Vec<usize> = match &found {
            Some(found) => listed
                .iter()
                .copied()
                .filter(|place| found.binary_search(place).is_ok())
                .collect(),
            None => listed.clone(),
        };
        let total = if is_lost {
            total
        } else {
            u64::try_from(shown.len()).unwrap_or(u64::MAX)
        };
        let length = if is_lost { listed.len() } else { shown.len() };
        let places = page.places(shown.len());
        if places.is_empty() && page.number > 1 {
            let code = format!("{}-archive-page-not-found", kind.singular());
            return self.refusal(StatusCode::NOT_FOUND, &code);
        }
        let ties = |pair: &[usize]| {
            let mut dates = pair
                .iter()
                .filter_map(|place| self.records.get(*place))
                .map(|record| &record.date);
            dates.next() == dates.next()
        };
        let near = places.start.saturating_sub(1)..(places.end + 1).min(shown.len());
        is_tied |= shown.get(near).is_some_and(|near| near.windows(2).any(ties));
        let mut addresses = self.addresses_of_linked(kind, question, page)?;
        addresses.has_next = page.places(length).end < length;
        let shown = shown.get(places).unwrap_or_default().iter().copied();
        let response = self.page_of_posts(kind, (page, &addresses), shown, total)?;
        Ok(CopyResponse { is_tied, ..response })
    }

    fn addresses_of_linked(&self, kind: Kind, question: &CopyQuestion, page: Page) -> Result<Addresses, Ask> {
        let event = question.numbers("event")?.and_then(|ids| ids.first().copied());
        let repeated = [
            ("page", Some(page.number.to_string())),
            ("per_page", Some(page.size.to_string())),
            ("event", event.map(|event| event.to_string())),
            ("has_events", question.text("has_events").map(str::to_owned)),
            ("status", Some("publish".to_owned())),
        ];
        let repeated: Vec<_> = repeated
            .into_iter()
            .filter(|(_, value)| value.is_some())
            .collect();
        Addresses::new(self, kind, &repeated, &[])
    }

    /// The numbers that each condition leaves, sorted, and whether one depends on the order of events that start together.
    fn limits(
        &self,
        kind: PostKind,
        question: &CopyQuestion,
        now: UnixTime,
    ) -> Result<(Vec<Vec<u64>>, bool), Ask> {
        let links = |event: &RecordFact| match kind {
            PostKind::Venue => event.venues.clone(),
            PostKind::Event | PostKind::Organizer => event.organizers.clone(),
        };
        let mut limits = Vec::new();
        let mut is_tied = false;
        if let Some(ids) = question.numbers("event")? {
            let event = ids
                .first()
                .and_then(|id| self.record(*id))
                .filter(|record| record.kind == PostKind::Event);
            limits.push(links(event.ok_or(Ask::Reference)?));
        }
        if let Some(text) = question.text("has_events") {
            // Events in the trash and private ones count.
            let counts = |record: &&RecordFact| {
                record.kind == PostKind::Event && !matches!(record.status.as_str(), "pending" | "draft")
            };
            let mut linked: Vec<u64> = self
                .records
                .iter()
                .map(|record| &**record)
                .filter(counts)
                .flat_map(links)
                .collect();
            linked.sort_unstable();
            if !is_truthy(text) {
                let others = self
                    .records
                    .iter()
                    .filter(|record| record.kind == kind)
                    .map(|record| record.id);
                linked = others.filter(|id| linked.binary_search(id).is_err()).collect();
            }
            limits.push(linked);
        }
        if question.text("only_with_upcoming").is_some_and(is_truthy) {
            let (places, tied) = self.upcoming(now)?;
            is_tied = tied;
            let events = places.into_iter().filter_map(|place| self.records.get(place));
            limits.push(events.flat_map(|record| links(record)).collect());
        }
        for limit in &mut limits {
            limit.sort_unstable();
        }
        Ok((limits, is_tied))
    }

    /// The events of the first page that begin from now on, and whether others start together with the last of them.
    fn upcoming(&self, now: UnixTime) -> Result<(Vec<usize>, bool), Ask> {
        let now = self.row_seconds_of_utc(now)?;
        let most = usize::try_from(self.site.posts_per_page).unwrap_or(usize::MAX);
        let coming = || self.rows.iter().enumerate().filter(|(_, row)| row.start >= now);
        self.check_several(coming().map(|(at, _)| at))?;
        let mut rows = coming().map(|(_, row)| row);
        let first: Vec<_> = rows.by_ref().take(most).collect();
        let is_tied = first
            .last()
            .zip(rows.next())
            .is_some_and(|(last, next)| (last.first, last.date) == (next.first, next.date));
        Ok((first.into_iter().map(|row| row.post).collect(), is_tied))
    }

    /// The places of the records that a search finds, drafts among them. Those in the trash have no texts.
    fn searched(&self, kind: PostKind, question: &CopyQuestion) -> Result<Option<Vec<usize>>, Ask> {
        let Some(text) = question.text("search") else {
            return Ok(None);
        };
        let parts = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        let parts = parts.filter(|part| !part.is_empty() && *part != "0");
        let finders: Vec<Finder<'_>> = parts
            .map(|part| self.finder(&part.to_ascii_lowercase()))
            .collect::<Result<_, _>>()?;
        if finders.is_empty() {
            // The plugin asks the database for nothing, in words that it cannot read.
            return Err(Ask::Value);
        }
        let finds = |record: &RecordFact| {
            record
                .texts
                .iter()
                .flatten()
                .any(|text| finders.iter().all(|finder| finds(finder, text)))
        };
        let found = self.records.iter().enumerate();
        let found = found.filter(|(_, record)| record.kind == kind && finds(record));
        Ok(Some(found.map(|(place, _)| place).collect()))
    }
}

fn is_truthy(text: &str) -> bool {
    TRUTHY.iter().any(|word| text.eq_ignore_ascii_case(word))
}
