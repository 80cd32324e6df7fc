//! Bodies of records put together from their parts.

use super::ask::Ask;
use super::record_copy::RecordCopy;
use crate::facts::{RecordFact, RecordKind};

/// How much of a record is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// As in a list.
    Listed,
    /// As alone.
    Single,
}

/// The places in the body of an event at which records are printed, in the order of the body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gaps {
    /// Behind the colon, and which members.
    places: [Option<(usize, Gap)>; 4],
    /// A member stands there twice, so that it is not known which one is meant.
    is_unsure: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    Categories,
    Tags,
    Venue,
    Organizer,
}

const NULL: &str = "null";

// === impl Gaps ===

impl Gaps {
    /// A quote within a text is escaped, so that a name in quotes is always that of a member.
    pub(super) fn of(record: &RecordFact) -> Self {
        let mut gaps = Self::default();
        let (Some(body), RecordKind::Event) = (&record.body, record.kind) else {
            return gaps;
        };
        let names: [(&[u8], Gap); 4] = [
            (b"\"categories\":null", Gap::Categories),
            (b"\"tags\":null", Gap::Tags),
            (b"\"venue\":null", Gap::Venue),
            (b"\"organizer\":null", Gap::Organizer),
        ];
        for (slot, (name, gap)) in gaps.places.iter_mut().zip(names) {
            let mut found = memchr::memmem::find_iter(body.as_str().as_bytes(), name);
            *slot = found.next().map(|at| (at + name.len() - NULL.len(), gap));
            gaps.is_unsure |= found.next().is_some();
        }
        gaps.places
            .sort_unstable_by_key(|place| place.map_or(usize::MAX, |(at, _)| at));
        gaps
    }
}

// === impl RecordCopy ===

impl RecordCopy {
    /// Prints the record at a place.
    pub(super) fn print(&self, place: usize, detail: Detail, body: &mut Vec<u8>) -> Result<(), Ask> {
        let record = self.records.get(place).ok_or(Ask::Missing)?;
        if record.ask.is_some() {
            return Err(Ask::Printed);
        }
        let printed = record.body.as_ref().ok_or(Ask::Printed)?.as_str();
        let gaps = self.gaps.get(place).ok_or(Ask::Missing)?;
        if gaps.is_unsure {
            return Err(Ask::Printed);
        }
        let json_ld = record.json_ld.as_ref().filter(|_| detail == Detail::Single);
        let mut written = 0;
        for (at, gap) in gaps.places.iter().flatten() {
            body.extend_from_slice(printed.get(written..*at).unwrap_or_default().as_bytes());
            self.print_inside(record, *gap, detail, body)?;
            written = at + NULL.len();
        }
        if let Some(json_ld) = json_ld {
            let before = json_ld_place(record.kind, printed).ok_or(Ask::Printed)?;
            body.extend_from_slice(printed.get(written..before).ok_or(Ask::Printed)?.as_bytes());
            written = before;
            let parts = match record.kind {
                RecordKind::Event => [",\"json_ld\":", json_ld.as_str(), ""],
                RecordKind::Venue | RecordKind::Organizer => ["\"json_ld\":", json_ld.as_str(), ","],
            };
            parts
                .iter()
                .for_each(|part| body.extend_from_slice(part.as_bytes()));
        }
        body.extend_from_slice(printed.get(written..).unwrap_or_default().as_bytes());
        Ok(())
    }

    /// Prints the records that stand within an event.
    fn print_inside(
        &self,
        event: &RecordFact,
        gap: Gap,
        detail: Detail,
        body: &mut Vec<u8>,
    ) -> Result<(), Ask> {
        let taxonomy = match gap {
            Gap::Venue => return self.print_linked(&event.venues, true, detail, body),
            Gap::Organizer => return self.print_linked(&event.organizers, false, detail, body),
            Gap::Categories => CATEGORY,
            Gap::Tags => TAG,
        };
        let mut is_first = true;
        body.push(b'[');
        for id in &event.terms {
            let term = self.term(*id).ok_or(Ask::Missing)?;
            if term.taxonomy == taxonomy {
                separate(&mut is_first, body);
                body.extend_from_slice(term.inside.as_str().as_bytes());
            }
        }
        body.push(b']');
        Ok(())
    }

    /// The only venue stands without a list around it; an organizer always has one.
    fn print_linked(&self, ids: &[u64], bare: bool, detail: Detail, body: &mut Vec<u8>) -> Result<(), Ask> {
        let is_bare = bare && ids.len() == 1;
        let mut is_first = true;
        if !is_bare {
            body.push(b'[');
        }
        for id in ids {
            separate(&mut is_first, body);
            self.print(self.place(*id).ok_or(Ask::Missing)?, detail, body)?;
        }
        if !is_bare {
            body.push(b']');
        }
        Ok(())
    }
}

/// The taxonomy of categories.
pub(super) const CATEGORY: &str = "tribe_events_cat";

/// The taxonomy of tags.
pub(super) const TAG: &str = "post_tag";

/// The place of `json_ld`: behind all members of an event, before those that a venue or organizer always has.
fn json_ld_place(kind: RecordKind, printed: &str) -> Option<usize> {
    match kind {
        RecordKind::Event => printed.len().checked_sub(1),
        RecordKind::Venue => printed.find("\"show_map\":"),
        RecordKind::Organizer => printed.find("\"global_id\":"),
    }
}

/// Writes the comma before all but the first.
pub(super) fn separate(is_first: &mut bool, body: &mut Vec<u8>) {
    if !*is_first {
        body.push(b',');
    }
    *is_first = false;
}
