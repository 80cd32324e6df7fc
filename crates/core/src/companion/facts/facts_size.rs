//! The memory that facts take, by which they are bounded as a whole.

use std::collections::BTreeMap;
use std::mem::size_of;

use super::calendar_facts::Facts;
use super::event_fact::{EventFact, WallSpan};
use super::facts_reply::{MOST_FACT_BYTES, MOST_FACTS};
use super::record_fact::RecordFact;
use super::site_facts::{SiteFacts, TermFact};

// === impl Facts ===

impl Facts {
    /// True if the facts exceed a bound as a whole, whatever they are about.
    pub(super) fn is_too_much(&self) -> bool {
        let records = || self.records.iter().flat_map(BTreeMap::values);
        let events = self.events.values().map(EventFact::bytes);
        let bytes = events.chain(records().map(|record| record.bytes()));
        let bytes = bytes.chain(self.site.iter().map(SiteFacts::bytes));
        self.events.len() + records().count() > MOST_FACTS || bytes.sum::<usize>() > MOST_FACT_BYTES
    }
}

// === impl EventFact ===

impl EventFact {
    /// The bytes of it and of what it refers to, without what the allocator adds.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.terms.len() * size_of::<u64>() + self.times.len() * size_of::<WallSpan>()
    }
}

// === impl RecordFact ===

impl RecordFact {
    /// The bytes of it and of what it refers to, without what the allocator adds.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.status.len() + self.slug.len()
    }
}

// === impl TermFact ===

impl TermFact {
    /// The bytes of it and of what it refers to, without what the allocator adds.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.taxonomy.len() + self.slug.len()
    }
}

// === impl SiteFacts ===

impl SiteFacts {
    /// The bytes of it and of what it refers to, without what the allocator adds.
    fn bytes(&self) -> usize {
        let rules = self.rules.iter();
        let rules = rules.map(|(pattern, query)| size_of::<(String, String)>() + pattern.len() + query.len());
        let lists = self.filters.iter().chain(&self.enabled_views);
        let lists = lists.map(|text| size_of::<String>() + text.len());
        let texts = [
            &self.home,
            &self.plugin,
            &self.structure,
            &self.default_view,
            &self.cutoff,
            &self.language,
            &self.calendar,
            &self.words.none,
            &self.words.calendar,
        ];
        let texts = texts.into_iter().map(String::len);
        let parts = rules.chain(lists).chain(texts).sum::<usize>();
        size_of::<Self>() + parts + self.terms.iter().map(TermFact::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::companion::facts::{FactsReply, FactsReplyFault, PostKind, SiteWords};
    use crate::unix_time::UnixTime;

    fn site(home: String) -> SiteFacts {
        SiteFacts {
            home,
            plugin: String::new(),
            structure: String::new(),
            rules: Vec::new(),
            front_page: false,
            languages: false,
            views: true,
            filters: Vec::new(),
            default_view: String::new(),
            enabled_views: Vec::new(),
            per_page: 1,
            cutoff: String::new(),
            week_starts: 1,
            language: String::new(),
            calendar: String::new(),
            words: SiteWords {
                none: String::new(),
                calendar: String::new(),
            },
            terms: Vec::new(),
        }
    }

    /// The facts that begin with this reply.
    fn taken(change: impl FnOnce(&mut FactsReply)) -> (Result<(), FactsReplyFault>, Facts) {
        let (mut facts, now) = (Facts::wanting_records(true), UnixTime::from_secs(100));
        let question = facts.next_query(now).unwrap();
        let mut reply = FactsReply::new(0, String::new(), Some(site(String::new())), Vec::new(), None);
        reply.names = Some(Vec::new());
        change(&mut reply);
        let taken = facts.replied(&question, reply, now);
        (taken, facts)
    }

    #[test]
    fn t115_facts_that_exceed_a_bound_in_whatever_part_are_none() {
        let event = |id: u64| EventFact {
            id,
            featured: false,
            terms: Vec::new(),
            times: Vec::new(),
        };
        let record = |id: u64| RecordFact {
            id,
            kind: PostKind::Venue,
            status: String::new(),
            password: false,
            slug: String::new(),
            sum: 0,
        };
        let half = MOST_FACTS as u64 / 2;
        let full = |reply: &mut FactsReply| {
            reply.events = (1..=half).map(event).collect();
            reply.names = Some((1..=half).map(record).collect());
        };
        let (taken_whole, facts) = taken(full);
        assert!(taken_whole.is_ok() && facts.is_whole() && facts.snapshot().is_some());
        for change in [
            &|reply: &mut FactsReply| {
                full(reply);
                reply
                    .names
                    .iter_mut()
                    .for_each(|names| names.push(record(half + 1)));
            },
            &|reply: &mut FactsReply| reply.site = Some(site("x".repeat(MOST_FACT_BYTES))),
            &|reply: &mut FactsReply| {
                let times = vec![WallSpan::ALWAYS; MOST_FACT_BYTES / size_of::<WallSpan>()];
                reply.events = vec![EventFact { times, ..event(1) }];
            },
            &|reply: &mut FactsReply| {
                let slug = "x".repeat(MOST_FACT_BYTES);
                reply.names = Some(vec![RecordFact { slug, ..record(1) }]);
            },
        ] as [&dyn Fn(&mut FactsReply); 4]
        {
            let (refused, mut facts) = taken(change);
            assert!(matches!(refused, Err(FactsReplyFault::TooMuch)));
            assert!(!facts.is_whole() && facts.snapshot().is_none());
            let later = |seconds: u64| UnixTime::from_secs(100_u64.saturating_add(seconds));
            assert!(facts.next_query(later(3599)).is_none(), "no further query");
            assert!(facts.next_query(later(3600)).is_some());
        }
    }
}
