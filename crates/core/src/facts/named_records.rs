//! The records that facts name, and which of them may read otherwise than at an earlier moment.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::copy_site::TermRecord;
use super::fact_records::CopyFacts;
use super::facts_snapshot::FactsSnapshot;
use super::record_fact::{PrintedBody, RecordFact};
use calendar_edge_judge::contract::Kind;

/// A record by which a reader asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedRecord<'f> {
    /// What it is.
    pub kind: Kind,
    /// Its number.
    pub id: u64,
    /// The name in its address, as the database has it; empty where it has none.
    pub slug: &'f str,
    /// Whether it is published: everybody may read it, an event with a password by that.
    pub is_public: bool,
}

// === impl FactsSnapshot ===

impl FactsSnapshot {
    /// All records in the order of kinds and numbers: those that no list shows as well, but not those in the trash, and
    /// those that an editor has not saved. None at all where no records were asked for.
    pub fn named_records(&self) -> impl Iterator<Item = NamedRecord<'_>> {
        let copy = self.copy.iter();
        let posts = copy.clone().flat_map(|copy| copy.records.iter());
        let posts = posts.filter(|record| !matches!(record.status.as_str(), "trash" | "auto-draft"));
        let posts = posts.map(|record| NamedRecord {
            kind: record.kind.into(),
            id: record.id,
            slug: &record.slug,
            is_public: record.is_public(),
        });
        let terms = copy.flat_map(|copy| copy.site.terms.iter());
        let terms = terms.filter_map(|term| {
            Some(NamedRecord {
                kind: term.kind()?,
                id: term.id,
                slug: &term.raw_slug,
                is_public: true,
            })
        });
        let named: BTreeMap<_, _> = posts
            .chain(terms)
            .map(|named| ((named.kind, named.id), named))
            .collect();
        named.into_values()
    }

    /// The records that may read otherwise than at an earlier moment of the same site: those that are told otherwise,
    /// events that show one of them, and, once the site has counted a change, all of which the facts tell no text.
    pub fn changed_since(&self, earlier: &Self) -> BTreeSet<(Kind, u64)> {
        let (Some(now), Some(before)) = (&self.copy, &earlier.copy) else {
            return BTreeSet::new();
        };
        let has_counted = self.number != earlier.number;
        let old: BTreeMap<u64, &RecordFact> = before.records.iter().map(|one| (one.id, &**one)).collect();
        let is_other = |record: &RecordFact| {
            let before = old.get(&record.id);
            before.is_none_or(|before| *before != record && as_listed(before) != as_listed(record))
        };
        let posts = now.records.iter().filter(|record| is_other(record));
        let posts: BTreeSet<u64> = posts.map(|record| record.id).collect();
        let (terms, shown_terms) = changed_terms(now, before);
        let shows_other = |record: &RecordFact| {
            let mut linked = record.venues.iter().chain(&record.organizers);
            linked.any(|id| posts.contains(id)) || record.terms.iter().any(|id| shown_terms.contains(id))
        };
        let is_due = |record: &&RecordFact| {
            let is_untold = record.body.is_none() || record.password;
            posts.contains(&record.id) || shows_other(record) || (has_counted && is_untold)
        };
        let records = now.records.iter().map(|record| &**record).filter(is_due);
        let records = records.map(|record| (record.kind.into(), record.id));
        records.chain(terms).collect()
    }
}

/// What lists tell of a record, without what the site writes at random: the letters of addresses in `json_ld`, and the order
/// of terms of equal names.
fn as_listed(record: &RecordFact) -> RecordFact {
    let mut listed = record.clone();
    listed.json_ld = None;
    listed.terms.sort_unstable();
    listed
}

/// The terms that are other ones now, and the numbers of those that events show otherwise: how many events a term has
/// changes with each of them, and is no reason to read all others again.
fn changed_terms(now: &CopyFacts, before: &CopyFacts) -> (BTreeSet<(Kind, u64)>, BTreeSet<u64>) {
    let old: BTreeMap<u64, &TermRecord> = before.site.terms.iter().map(|term| (term.id, term)).collect();
    let others = now
        .site
        .terms
        .iter()
        .filter(|term| old.get(&term.id) != Some(term));
    let others: Vec<&TermRecord> = others.collect();
    let shown = others.iter().filter(|term| {
        let before = old.get(&term.id);
        before
            .is_none_or(|before| without_count(before.inside.as_ref()) != without_count(term.inside.as_ref()))
    });
    let shown = shown.map(|term| term.id).collect();
    let terms = others.iter().filter_map(|term| Some((term.kind()?, term.id)));
    (terms.collect(), shown)
}

fn without_count(inside: Option<&PrintedBody>) -> Option<Value> {
    let mut inside: Value = serde_json::from_str(inside?.as_str()).ok()?;
    if let Some(members) = inside.as_object_mut() {
        members.remove("count");
    }
    Some(inside)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::facts::record_examples::{event, linked, site, term};
    use crate::facts::{PostKind, SiteFacts};

    fn site_facts() -> SiteFacts {
        serde_json::from_str(
            r#"{"home":"","plugin":"","structure":"","rules":[],"front_page":false,"languages":false,"views":true,
            "filters":[],"default_view":"","enabled_views":[],"per_page":1,"cutoff":"","week_starts":1,"language":"",
            "calendar":"","words":{"none":"","calendar":""},"terms":[]}"#,
        )
        .unwrap()
    }

    fn facts(number: u64, terms: Vec<TermRecord>, records: Vec<RecordFact>) -> FactsSnapshot {
        let mut copy_site = site();
        copy_site.terms = terms;
        FactsSnapshot {
            site: site_facts(),
            events: Vec::new(),
            copy: Some(CopyFacts {
                site: Arc::new(copy_site),
                records: records.into_iter().map(Arc::new).collect(),
            }),
            number,
        }
    }

    fn with_status(id: u64, status: &str) -> RecordFact {
        RecordFact {
            status: status.to_owned(),
            ..event(id, "2027-01-01")
        }
    }

    #[test]
    fn all_but_the_trash_is_named() {
        let hidden = RecordFact {
            hidden: true,
            ..event(3, "2027-01-01")
        };
        let records = vec![
            hidden,
            linked(4, PostKind::Venue),
            with_status(5, "private"),
            with_status(6, "trash"),
            with_status(7, "auto-draft"),
        ];
        let terms = vec![
            term(3, "post_tag", "a", 0),
            term(9, "tribe_events_cat", "b", 0),
            term(10, "other", "c", 0),
        ];
        let facts = facts(1, terms, records);
        let named: Vec<_> = facts
            .named_records()
            .map(|named| (named.kind, named.id, named.slug, named.is_public))
            .collect();
        let expected = [
            (Kind::Event, 3, "event-3", true),
            (Kind::Event, 5, "event-5", false),
            (Kind::Venue, 4, "venue-4", true),
            (Kind::Category, 9, "b", true),
            (Kind::Tag, 3, "a", true),
        ];
        assert_eq!(named, expected);
    }

    #[test]
    fn what_may_read_otherwise_is_read_again() {
        let at_venue = || RecordFact {
            venues: vec![4],
            ..event(1, "2027-01-01")
        };
        let in_category = || RecordFact {
            terms: vec![9],
            ..event(2, "2027-01-01")
        };
        let draft = || RecordFact {
            body: None,
            ..with_status(5, "draft")
        };
        let all = || vec![at_venue(), in_category(), linked(4, PostKind::Venue), draft()];
        let category = || term(9, "tribe_events_cat", "b", 0);
        let before = facts(1, vec![category()], all());
        let changed = |now: &FactsSnapshot| now.changed_since(&before).into_iter().collect::<Vec<_>>();
        assert_eq!(changed(&before), []);
        let counted = facts(2, vec![category()], all());
        assert_eq!(
            changed(&counted),
            [(Kind::Event, 5)],
            "only the site knows its text"
        );
        let mut moved = all();
        moved[2].slug = "elsewhere".to_owned();
        let moved = facts(1, vec![category()], moved);
        assert_eq!(changed(&moved), [(Kind::Event, 1), (Kind::Venue, 4)]);
        let printed = |text: &str| Some(serde_json::from_str(text).unwrap());
        let at_random = |letter: &str, terms: [u64; 2]| {
            let mut organizer = linked(6, PostKind::Organizer);
            organizer.json_ld = printed(&format!(r#"{{"email":"{letter}"}}"#));
            let event = RecordFact {
                terms: terms.to_vec(),
                organizers: vec![6],
                ..event(1, "2027-01-01")
            };
            facts(1, vec![category()], vec![event, organizer])
        };
        let spelt = at_random("&#97;", [8, 9]);
        assert_eq!(at_random("a", [9, 8]).changed_since(&spelt), BTreeSet::new());
        let inside = |text: &str| TermRecord {
            inside: Some(serde_json::from_str(text).unwrap()),
            ..category()
        };
        let one = facts(1, vec![inside(r#"{"name":"b","count":1}"#)], all());
        let two = facts(1, vec![inside(r#"{"name":"b","count":2}"#)], all());
        let renamed = facts(1, vec![inside(r#"{"name":"c","count":1}"#)], all());
        assert_eq!(two.changed_since(&one), BTreeSet::from([(Kind::Category, 9)]));
        let expected = BTreeSet::from([(Kind::Category, 9), (Kind::Event, 2)]);
        assert_eq!(renamed.changed_since(&one), expected);
        let mut more = all();
        more.push(event(8, "2027-01-01"));
        assert_eq!(
            changed(&facts(1, vec![category()], more)),
            [(Kind::Event, 8)],
            "a new one"
        );
    }
}
