//! The lists of categories and tags: which they have, and in which order.

use calendar_edge_judge::contract::Kind;
use memchr::memmem::Finder;

use super::ask::Ask;
use super::event_list::is_plain_slug;
use super::list_page::Page;
use super::question::CopyQuestion;
use super::record_copy::{CopyResponse, RecordCopy};
use super::search::finds;
use super::single::taxonomy;
use crate::facts::{PostKind, TermRecord};

/// The conditions of a list of terms.
struct TermConditions<'a> {
    taxonomy: &'a str,
    parent: Option<u64>,
    include: Option<Vec<u64>>,
    exclude: Vec<u64>,
    slug: Option<String>,
    search: Option<Finder<'static>>,
    /// The terms of an event.
    of_event: Option<&'a [u64]>,
    hide_empty: bool,
}

/// What terms are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TermSorting {
    Id,
    /// One of the weights.
    Weight(usize),
}

// === impl RecordCopy ===

impl RecordCopy {
    pub(super) fn list_of_terms(&self, kind: Kind, question: &CopyQuestion) -> Result<CopyResponse, Ask> {
        let page = Page::of(self, kind, question)?;
        let filter = TermConditions::of(self, taxonomy(kind), question)?;
        let order = TermSorting::of(question.text("orderby").unwrap_or("name"))?;
        let is_descending = question
            .text("order")
            .is_some_and(|order| !order.eq_ignore_ascii_case("asc"));
        // WordPress remembers which terms have others below them.
        let has_none = filter
            .parent
            .is_some_and(|parent| self.below(filter.taxonomy, parent).is_empty());
        let takes = |term: &TermRecord| !has_none && filter.takes(term);
        let counts = |term: &TermRecord| takes(term) && (!filter.hide_empty || term.count > 0);
        let total = self.site.terms.iter().filter(|term| counts(term)).count();
        let shows = |term: &TermRecord| {
            counts(term) || kind == Kind::Category && takes(term) && self.has_full_below(term)
        };
        let terms = self.site.terms.iter().enumerate();
        let mut listed: Vec<(usize, &TermRecord)> = terms.filter(|(_, term)| shows(term)).collect();
        listed.sort_by(|(_, one), (_, other)| {
            let ascending = order.key(one).cmp(&order.key(other));
            if is_descending {
                ascending.reverse()
            } else {
                ascending
            }
        });
        let places = page.places(listed.len());
        let near = places.start.saturating_sub(1)..(places.end + 1).min(listed.len());
        let near = listed.get(near).unwrap_or_default();
        if near.is_sorted_by(|(_, one), (_, other)| order.key(one) != order.key(other)) {
            let places: Vec<usize> = listed
                .get(places)
                .unwrap_or_default()
                .iter()
                .map(|(place, _)| *place)
                .collect();
            self.page_of_terms(kind, page, &places, u64::try_from(total).unwrap_or(u64::MAX))
        } else {
            Err(Ask::EqualTerms)
        }
    }

    /// Whether a term somewhere below has an event: WordPress shows the empty one above it.
    fn has_full_below(&self, term: &TermRecord) -> bool {
        let below = self.below(&term.taxonomy, term.id);
        below
            .iter()
            .any(|id| self.term(*id).is_some_and(|term| term.count > 0))
    }
}

// === impl TermSorting ===

impl TermSorting {
    fn of(text: &str) -> Result<Self, Ask> {
        match text.to_ascii_lowercase().as_str() {
            "name" => Ok(Self::Weight(0)),
            "slug" => Ok(Self::Weight(1)),
            "description" => Ok(Self::Weight(2)),
            "id" | "term_id" => Ok(Self::Id),
            _ => Err(Ask::Order),
        }
    }

    fn key(self, term: &TermRecord) -> (u64, Option<&str>) {
        match self {
            Self::Id => (term.id, None),
            Self::Weight(place) => (0, term.sort.get(place).and_then(Option::as_deref)),
        }
    }
}

// === impl TermConditions ===

impl<'a> TermConditions<'a> {
    fn of(copy: &'a RecordCopy, taxonomy: &'static str, question: &CopyQuestion) -> Result<Self, Ask> {
        let include = copy.numbered_terms(question, "include", taxonomy)?;
        let exclude = copy.numbered_terms(question, "exclude", taxonomy)?;
        let parent = copy.numbered_terms(question, "parent", taxonomy)?;
        // The alias counts before the name.
        let events = [question.numbers("event")?, question.numbers("post")?];
        let mut of_event = None;
        for ids in events.iter().flatten().rev() {
            let event = ids.first().and_then(|id| copy.record(*id));
            let event = event.filter(|record| record.kind == PostKind::Event && ids.len() == 1);
            of_event = Some(event.ok_or(Ask::Reference)?.terms.as_slice());
        }
        let slug = question.text("slug");
        if slug.is_some_and(|slug| !is_plain_slug(slug)) {
            return Err(Ask::Slug);
        }
        Ok(Self {
            taxonomy,
            parent: parent.and_then(|ids| ids.first().copied()),
            // What is included cannot be excluded.
            exclude: exclude.filter(|_| include.is_none()).unwrap_or_default(),
            include,
            slug: slug.map(|slug| copy.folded(slug)).transpose()?,
            search: question
                .text("search")
                .map(|text| copy.finder(text))
                .transpose()?,
            hide_empty: of_event.is_none() && question.flag("hide_empty")?.unwrap_or(true),
            of_event,
        })
    }

    fn takes(&self, term: &TermRecord) -> bool {
        term.taxonomy == self.taxonomy
            && self.parent.is_none_or(|parent| term.parent == parent)
            && self.include.as_ref().is_none_or(|ids| ids.contains(&term.id))
            && !self.exclude.contains(&term.id)
            && self.slug.as_ref().is_none_or(|slug| term.slug == *slug)
            && self
                .search
                .as_ref()
                .is_none_or(|search| finds(search, &term.name) || finds(search, &term.slug))
            && self.of_event.is_none_or(|ids| ids.contains(&term.id))
    }
}

impl RecordCopy {
    /// The terms that an argument names by number: WordPress takes other texts for nothing.
    fn numbered_terms(
        &self,
        question: &CopyQuestion,
        name: &str,
        taxonomy: &str,
    ) -> Result<Option<Vec<u64>>, Ask> {
        question.numbers(name)?;
        self.named_terms(question, name, taxonomy)
    }
}
