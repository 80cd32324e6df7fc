//! The list of events: which occurrences it has, and in which order.

use calendar_edge_judge::contract::Kind;
use http::StatusCode;

use super::ask::Ask;
use super::composed::{CATEGORY, TAG};
use super::event_bounds::Bounds;
use super::list_page::{Addresses, Page};
use super::question::{CopyQuestion, read_number};
use super::record_copy::{CopyResponse, EventRow, EventTrait, RecordCopy};
use super::search::Search;
use crate::facts::{PostKind, RecordFact};
use crate::unix_time::UnixTime;

/// The conditions of a list of events.
struct EventConditions {
    bounds: Bounds,
    search: Option<Search>,
    /// One of each.
    wanted: Vec<Vec<EventTrait>>,
    featured: Option<bool>,
    parent: Option<u64>,
}

// === impl RecordCopy ===

impl RecordCopy {
    pub(super) fn events(&self, question: &CopyQuestion, now: UnixTime) -> Result<CopyResponse, Ask> {
        let unknown = ["include", "ticketed", "geoloc", "geoloc_lat", "geoloc_lng"];
        if question.has(&unknown) || question.text("status").is_some_and(|status| status != "publish") {
            return Err(Ask::Argument);
        }
        let page = Page::of(self, Kind::Event, question)?;
        let filter = EventConditions::of(self, question, now)?;
        let found = self.found(&filter)?;
        let places = page.places(found.len());
        if places.is_empty() && page.number > 1 {
            return self.refusal(StatusCode::NOT_FOUND, "event-archive-page-not-found");
        }
        let mut addresses = filter.addresses(self, question, page)?;
        addresses.has_next = places.end < found.len();
        let rank = |row: &EventRow| self.records.get(row.post).map_or(0, |record| filter.rank(record));
        let ties = |pair: &[usize]| {
            let mut rows = pair.iter().filter_map(|at| self.rows.get(*at));
            rows.next().zip(rows.next()).is_some_and(|(one, other)| {
                one.post != other.post
                    && (one.first, one.date) == (other.first, other.date)
                    && rank(one) == rank(other)
            })
        };
        let near = places.start.saturating_sub(1)..(places.end + 1).min(found.len());
        let is_tied = found.get(near).is_some_and(|near| near.windows(2).any(ties));
        let rows = found.get(places).unwrap_or_default().iter();
        let posts = rows.filter_map(|at| self.rows.get(*at)).map(|row| row.post);
        let total = u64::try_from(found.len()).unwrap_or(u64::MAX);
        let response = self.page_of_posts(Kind::Event, (page, &addresses), posts, total)?;
        Ok(CopyResponse { is_tied, ..response })
    }

    /// The places of the rows that a list has, in its order.
    fn found(&self, filter: &EventConditions) -> Result<Vec<usize>, Ask> {
        let allowed = filter.allowed(self);
        let takes = |row: &EventRow| {
            filter.bounds.hold(row.start, row.end)
                && allowed
                    .as_ref()
                    .is_none_or(|allowed| allowed.get(row.post) == Some(&true))
                && filter.search.as_ref().is_none_or(|search| {
                    self.records
                        .get(row.post)
                        .is_some_and(|record| search.finds(record))
                })
        };
        let found = self.rows.iter().enumerate().filter(|(_, row)| takes(row));
        let mut found: Vec<usize> = found.map(|(at, _)| at).collect();
        let post = |at: &usize| self.rows.get(*at).and_then(|row| self.records.get(row.post));
        self.check_several(found.iter().copied())?;
        if filter.search.is_some() {
            found.sort_by_cached_key(|at| {
                let first = self.rows.get(*at).map_or(i64::MAX, |row| row.first);
                (first, post(at).map_or(0, |record| filter.rank(record)), *at)
            });
        }
        Ok(found)
    }

    /// The records of a kind that an argument names; all of them exist.
    fn named(&self, question: &CopyQuestion, name: &str, kind: PostKind) -> Result<Option<Vec<u64>>, Ask> {
        let ids = question.numbers(name)?;
        let exists = |id: &u64| self.record(*id).is_some_and(|record| record.kind == kind);
        if ids.as_ref().is_some_and(|ids| !ids.iter().all(exists)) {
            return Err(Ask::Reference);
        }
        Ok(ids)
    }

    /// The terms that an argument names by number or slug; all of them exist.
    pub(super) fn named_terms(
        &self,
        question: &CopyQuestion,
        name: &str,
        taxonomy: &str,
    ) -> Result<Option<Vec<u64>>, Ask> {
        let find = |text: &str| {
            let of_taxonomy = || self.site.terms.iter().filter(|term| term.taxonomy == taxonomy);
            let by_slug = |slug: &str| {
                of_taxonomy()
                    .filter(|term| term.raw_slug == slug)
                    .map(|term| term.id)
                    .collect()
            };
            let by_slug: Vec<u64> = by_slug(text);
            match (read_number(text), by_slug.as_slice()) {
                // A slug of digits counts before the number.
                (Some(id), []) => of_taxonomy()
                    .find(|term| term.id == id)
                    .map(|term| term.id)
                    .ok_or(Ask::Reference),
                (None, [id]) if is_plain_slug(text) => Ok(*id),
                (None, []) => Err(Ask::Reference),
                _ => Err(Ask::Value),
            }
        };
        let sent = question.text(name);
        sent.map(|text| text.split(',').map(|text| find(text.trim())).collect())
            .transpose()
    }

    /// All terms below a term, as WordPress remembers them.
    pub(super) fn below(&self, taxonomy: &str, id: u64) -> Vec<u64> {
        let mut found = Vec::new();
        let mut pending = vec![id];
        let children = Some(&self.site.hierarchy).filter(|_| taxonomy == CATEGORY);
        while let Some(id) = pending.pop() {
            for child in children
                .and_then(|children| children.get(&id))
                .into_iter()
                .flatten()
            {
                if !found.contains(child) {
                    found.push(*child);
                    pending.push(*child);
                }
            }
        }
        found
    }
}

/// A slug that WordPress looks for as it is.
pub(super) fn is_plain_slug(slug: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    slug.bytes().all(is_plain) && !slug.starts_with('-') && !slug.ends_with('-') && !slug.contains("--")
}

// === impl EventConditions ===

impl EventConditions {
    fn of(copy: &RecordCopy, question: &CopyQuestion, now: UnixTime) -> Result<Self, Ask> {
        let search = question
            .text("search")
            .map(|text| Search::of(copy, text))
            .transpose()?;
        let parent = copy.named(question, "post_parent", PostKind::Event)?;
        let parent = parent.and_then(|ids| ids.first().copied());
        let categories = copy.named_terms(question, "categories", CATEGORY)?.map(|ids| {
            let below: Vec<u64> = ids.iter().flat_map(|id| copy.below(CATEGORY, *id)).collect();
            [ids, below].concat()
        });
        // WordPress adds a condition for the first of a list of tags, so that the others mean nothing.
        let tag = copy
            .named_terms(question, "tags", TAG)?
            .and_then(|tags| tags.first().copied());
        let venues = copy.named(question, "venue", PostKind::Venue)?;
        let organizers = copy.named(question, "organizer", PostKind::Organizer)?;
        let any = |ids: Vec<u64>, of: fn(u64) -> EventTrait| ids.into_iter().map(of).collect();
        let featured = question.flag("featured")?;
        let wanted = [
            categories.map(|ids| any(ids, EventTrait::Term)),
            tag.map(|id| vec![EventTrait::Term(id)]),
            venues.map(|ids| any(ids, EventTrait::Venue)),
            organizers.map(|ids| any(ids, EventTrait::Organizer)),
            parent.map(|id| vec![EventTrait::Parent(id)]),
            featured.filter(|flag| *flag).map(|_| vec![EventTrait::Featured]),
        ];
        Ok(Self {
            bounds: Bounds::of(copy, question, now)?,
            search,
            wanted: wanted.into_iter().flatten().collect(),
            featured,
            parent,
        })
    }

    /// Which records have one of each wanted trait, by their places; none if all do.
    fn allowed(&self, copy: &RecordCopy) -> Option<Vec<bool>> {
        let mut allowed: Option<Vec<bool>> = None;
        for any in &self.wanted {
            let mut marks = vec![false; copy.records.len()];
            for place in any.iter().flat_map(|wanted| copy.with_trait(*wanted)) {
                let is_allowed = allowed
                    .as_ref()
                    .is_none_or(|allowed| allowed.get(*place) == Some(&true));
                if let Some(mark) = marks.get_mut(*place).filter(|_| is_allowed) {
                    *mark = true;
                }
            }
            allowed = Some(marks);
        }
        if self.featured == Some(false) {
            let marks = allowed.get_or_insert_with(|| vec![true; copy.records.len()]);
            for place in copy.with_trait(EventTrait::Featured) {
                if let Some(mark) = marks.get_mut(*place) {
                    *mark = false;
                }
            }
        }
        allowed
    }

    fn rank(&self, record: &RecordFact) -> u8 {
        self.search.as_ref().map_or(0, |search| search.rank(record))
    }

    /// The addresses: neither categories nor tags nor `strict_dates` stand in them.
    fn addresses(&self, copy: &RecordCopy, question: &CopyQuestion, page: Page) -> Result<Addresses, Ask> {
        let date = |name: &str| {
            let mut repeated = self.bounds.repeated.iter();
            repeated
                .find(|(known, _)| *known == name)
                .map(|(_, text)| text.clone())
        };
        let sent = |name: &str| question.text(name).map(str::to_owned);
        let repeated = [
            ("page", Some(page.number.to_string())),
            ("per_page", Some(page.size.to_string())),
            ("start_date", date("start_date")),
            ("end_date", date("end_date")),
            ("search", sent("search")),
            ("status", Some("publish".to_owned())),
            ("post_parent", self.parent.map(|parent| parent.to_string())),
            ("starts_before", date("starts_before")),
            ("starts_after", date("starts_after")),
            ("ends_before", date("ends_before")),
            ("ends_after", date("ends_after")),
        ];
        // Only true is written, but for false the address is encoded again as well.
        let featured = question
            .has(&["featured"])
            .then(|| self.featured.filter(|flag| *flag).map(|_| "1".to_owned()));
        let added = [
            sent("venue").map(|venue| ("venue", Some(venue))),
            sent("organizer").map(|organizer| ("organizer", Some(organizer))),
            featured.map(|featured| ("featured", featured)),
        ];
        let repeated: Vec<_> = repeated
            .into_iter()
            .filter(|(_, value)| value.is_some())
            .collect();
        let added: Vec<_> = added.into_iter().flatten().collect();
        Addresses::new(copy, Kind::Event, &repeated, &added)
    }
}
