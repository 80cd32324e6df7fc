//! The records that everybody may read by their numbers, as far as the site itself decides that.

use super::copy_site::TermRecord;
use super::fact_records::CopyFacts;
use super::record_fact::{PostKind, RecordFact};
use crate::companion::feed::RecordName;

// === impl CopyFacts ===

impl CopyFacts {
    /// Their names. Events that lists leave out are among them, and terms that no event has. Another plugin may hide a
    /// record all the same: only a read of it tells.
    pub fn readable(&self) -> Vec<RecordName> {
        let posts = self.records.iter().filter_map(|record| post(record));
        posts.chain(self.site.terms.iter().filter_map(term)).collect()
    }
}

/// The name of a post that is published. Of events alone the site asks for their password.
fn post(record: &RecordFact) -> Option<RecordName> {
    let is_locked = record.kind == PostKind::Event && record.password;
    let name = RecordName {
        kind: record.kind.into(),
        id: record.id,
    };
    (record.is_public() && !is_locked).then_some(name)
}

fn term(term: &TermRecord) -> Option<RecordName> {
    let (kind, id) = (term.kind()?, term.id);
    Some(RecordName { kind, id })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use calendar_edge_judge::contract::Kind;

    use super::*;
    use crate::facts::record_examples::{event, linked, site, term};

    #[test]
    fn what_everybody_may_read_by_number_is_named_and_nothing_else() {
        let statuses = ["publish", "publish", "publish", "private", "draft"];
        let events = (1..).zip(statuses).map(|(id, status)| {
            let mut event = event(id, "2026-01-01");
            event.hidden = id == 2;
            event.password = id == 3;
            event.status = status.to_owned();
            event
        });
        let mut venue = linked(6, PostKind::Venue);
        venue.password = true;
        let mut site = site();
        site.terms = vec![
            term(8, "post_tag", "loud", 0),
            term(9, "tribe_events_cat", "jazz", 0),
            term(10, "post_format", "aside", 0),
        ];
        let records = events.chain([venue, linked(7, PostKind::Organizer)]);
        let facts = CopyFacts {
            site: Arc::new(site),
            records: records.map(Arc::new).collect(),
        };
        let expected = [
            (Kind::Event, 1),
            (Kind::Event, 2),
            (Kind::Venue, 6),
            (Kind::Organizer, 7),
            (Kind::Tag, 8),
            (Kind::Category, 9),
        ];
        assert_eq!(
            facts.readable(),
            expected.map(|(kind, id)| RecordName { kind, id })
        );
    }
}
