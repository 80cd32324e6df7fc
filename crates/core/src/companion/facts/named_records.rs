//! The records that facts name.

use std::collections::BTreeMap;

use super::facts_snapshot::FactsSnapshot;
use super::record_fact::{PostKind, RecordFact};
use super::site_facts::TermFact;
use crate::companion::feed::RecordName;
use calendar_edge_judge::contract::Kind;

/// A record with the kind and number by which a reader requests it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedRecord<'f> {
    /// Its kind.
    pub kind: Kind,
    /// Its number.
    pub id: u64,
    /// The name in its address, as the database has it; empty where it has none.
    pub slug: &'f str,
    /// True if it is published: without other plugins every client may read it, an event with a password by that.
    pub is_public: bool,
}

// === impl FactsSnapshot ===

impl FactsSnapshot {
    /// All records in the order of kinds and numbers: those that no list shows as well, but not those in the trash, and
    /// those that an editor has not saved. None at all where no records were requested.
    pub fn named_records(&self) -> impl Iterator<Item = NamedRecord<'_>> {
        let posts = self.posts().filter(|record| record.is_named());
        let posts = posts.map(|record| NamedRecord {
            kind: record.kind.into(),
            id: record.id,
            slug: &record.slug,
            is_public: record.is_public(),
        });
        let terms = self.terms().map(|(kind, term)| NamedRecord {
            kind,
            id: term.id,
            slug: &term.slug,
            is_public: true,
        });
        let named: BTreeMap<_, _> = posts
            .chain(terms)
            .map(|named| ((named.kind, named.id), named))
            .collect();
        named.into_values()
    }

    /// The names of those that every client may read as far as the site itself decides that, in the order of posts and
    /// terms; none where no records were requested. Another plugin may hide a record all the same: the site decides at
    /// each read.
    pub fn readable_records(&self) -> Option<Vec<RecordName>> {
        self.records.as_ref()?;
        // The site requires the password of events only.
        let is_locked = |record: &RecordFact| record.kind == PostKind::Event && record.password;
        let posts = self
            .posts()
            .filter(|record| record.is_public() && !is_locked(record));
        let posts = posts.map(|record| (record.kind.into(), record.id));
        let all = posts.chain(self.terms().map(|(kind, term)| (kind, term.id)));
        Some(all.map(|(kind, id)| RecordName { kind, id }).collect())
    }

    fn posts(&self) -> impl Iterator<Item = &RecordFact> {
        self.records.iter().flatten().map(|record| &**record)
    }

    /// Categories and tags. They are named where the other records are.
    fn terms(&self) -> impl Iterator<Item = (Kind, &TermFact)> {
        let terms = self.records.iter().flat_map(|_| &self.site.terms);
        terms.filter_map(|term| Some((term.kind()?, term)))
    }
}

// === impl RecordFact ===

impl RecordFact {
    fn is_named(&self) -> bool {
        !matches!(self.status.as_str(), "trash" | "auto-draft")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::companion::facts::SiteFacts;

    fn record(id: u64, kind: PostKind, status: &str) -> RecordFact {
        RecordFact {
            id,
            kind,
            status: status.to_owned(),
            password: false,
            slug: format!("slug-{id}"),
            sum: 1,
        }
    }

    fn term(id: u64, taxonomy: &str) -> TermFact {
        TermFact {
            id,
            taxonomy: taxonomy.to_owned(),
            slug: "a".to_owned(),
            parent: 0,
            sum: 1,
        }
    }

    fn facts(terms: &[TermFact], records: &[RecordFact]) -> FactsSnapshot {
        let site = serde_json::from_str(
            r#"{"home":"","plugin":"","structure":"","rules":[],"front_page":false,"languages":false,"views":true,
            "filters":[],"default_view":"","enabled_views":[],"per_page":1,"cutoff":"","week_starts":1,"language":"",
            "calendar":"","words":{"none":"","calendar":""},"terms":[]}"#,
        );
        let site: SiteFacts = site.unwrap();
        FactsSnapshot {
            site: SiteFacts {
                terms: terms.to_vec(),
                ..site
            },
            events: Vec::new(),
            records: Some(records.iter().cloned().map(Arc::new).collect()),
        }
    }

    #[test]
    fn all_but_the_trash_is_named() {
        let records = [
            record(3, PostKind::Event, "publish"),
            record(4, PostKind::Venue, "publish"),
            record(5, PostKind::Event, "private"),
            record(6, PostKind::Event, "trash"),
            record(7, PostKind::Event, "auto-draft"),
        ];
        let terms = [
            term(3, "post_tag"),
            term(9, "tribe_events_cat"),
            term(10, "other"),
        ];
        let facts = facts(&terms, &records);
        let named: Vec<_> = facts
            .named_records()
            .map(|named| (named.kind, named.id, named.slug, named.is_public))
            .collect();
        let expected = [
            (Kind::Event, 3, "slug-3", true),
            (Kind::Event, 5, "slug-5", false),
            (Kind::Venue, 4, "slug-4", true),
            (Kind::Category, 9, "a", true),
            (Kind::Tag, 3, "a", true),
        ];
        assert_eq!(named, expected);
        let without = FactsSnapshot {
            records: None,
            ..facts
        };
        assert_eq!(without.named_records().count(), 0);
    }

    #[test]
    fn what_everybody_may_read_by_number_is_readable_and_nothing_else() {
        let statuses = ["publish", "publish", "publish", "private", "draft"];
        let mut records: Vec<_> = (1..)
            .zip(statuses)
            .map(|(id, status)| record(id, PostKind::Event, status))
            .collect();
        records.extend([
            record(6, PostKind::Venue, "publish"),
            record(7, PostKind::Organizer, "publish"),
        ]);
        for id in [3, 6] {
            records[id - 1].password = true;
        }
        let terms = [
            term(8, "post_tag"),
            term(9, "tribe_events_cat"),
            term(10, "post_format"),
        ];
        let expected = [
            (Kind::Event, 1),
            (Kind::Event, 2),
            (Kind::Venue, 6),
            (Kind::Organizer, 7),
            (Kind::Tag, 8),
            (Kind::Category, 9),
        ];
        let expected = expected.map(|(kind, id)| RecordName { kind, id });
        let facts = facts(&terms, &records);
        assert_eq!(facts.readable_records().as_deref(), Some(expected.as_slice()));
        let without = FactsSnapshot {
            records: None,
            ..facts
        };
        assert_eq!(without.readable_records(), None);
    }
}
