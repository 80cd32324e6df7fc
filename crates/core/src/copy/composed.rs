//! Bodies of records put together from their parts.

use super::ask::Ask;
use super::record_copy::RecordCopy;
use crate::facts::{PostKind, PrintedBody, RecordFact, TermRecord};

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
        let (Some(body), PostKind::Event) = (&record.body, record.kind) else {
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
        let mut written = 0;
        for (at, gap) in gaps.places.iter().flatten() {
            body.extend_from_slice(printed.get(written..*at).unwrap_or_default().as_bytes());
            self.print_inside(record, *gap, detail, body)?;
            written = at + NULL.len();
        }
        if detail == Detail::Single && record.json_ld.is_some() {
            let (before, is_last) = match &record.before {
                Some(name) => (printed.find(&["\"", name, "\":"].concat()), false),
                None => (printed.len().checked_sub(1), true),
            };
            let before = before.ok_or(Ask::Printed)?;
            body.extend_from_slice(printed.get(written..before).ok_or(Ask::Printed)?.as_bytes());
            written = before;
            body.extend_from_slice(if is_last {
                b",\"json_ld\":"
            } else {
                b"\"json_ld\":"
            });
            self.print_json_ld(record, body)?;
            body.extend_from_slice(if is_last { b"" } else { b"," });
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
        let of_taxonomy = event.terms.iter().map(|id| self.term(*id).ok_or(Ask::Missing));
        let mut terms: Vec<&TermRecord> = of_taxonomy.collect::<Result<_, _>>()?;
        terms.retain(|term| term.taxonomy == taxonomy);
        // A new name of a term changes the order in events that nothing else names.
        terms.sort_unstable_by_key(|term| term.sort.first());
        if !terms.is_sorted_by(|one, other| one.sort.first() != other.sort.first()) {
            return Err(Ask::EqualTerms);
        }
        let mut is_first = true;
        body.push(b'[');
        for term in terms {
            separate(&mut is_first, body);
            body.extend_from_slice(term.inside.as_ref().ok_or(Ask::Printed)?.as_str().as_bytes());
        }
        body.push(b']');
        Ok(())
    }

    /// The only venue stands without a list around it; an organizer always has one. Those that were deleted are left out.
    fn print_linked(&self, ids: &[u64], bare: bool, detail: Detail, body: &mut Vec<u8>) -> Result<(), Ask> {
        let places: Vec<usize> = ids.iter().filter_map(|id| self.place(*id)).collect();
        let is_bare = bare && places.len() == 1;
        let mut is_first = true;
        body.extend_from_slice(if is_bare { b"" } else { b"[" });
        for place in places {
            separate(&mut is_first, body);
            self.print(place, detail, body)?;
        }
        body.extend_from_slice(if is_bare { b"" } else { b"]" });
        Ok(())
    }

    /// Prints the linked data of a record. In that of an event stands that of its first venue and organizer.
    fn print_json_ld(&self, record: &RecordFact, body: &mut Vec<u8>) -> Result<(), Ask> {
        let printed = record.json_ld.as_ref().ok_or(Ask::Printed)?.as_str();
        let parts: [(&[u8], &[u64]); 2] = [
            (b"\"location\":null", &record.venues),
            (b"\"organizer\":null", &record.organizers),
        ];
        let mut written = 0;
        for (name, ids) in parts.iter().filter(|_| record.kind == PostKind::Event) {
            let mut found = memchr::memmem::find_iter(printed.as_bytes(), name);
            let Some(at) = found.next() else { continue };
            let place = at + name.len() - NULL.len();
            if found.next().is_some() || place < written {
                return Err(Ask::Printed);
            }
            body.extend_from_slice(printed.get(written..place).unwrap_or_default().as_bytes());
            let first = ids.first().and_then(|id| self.record(*id)).ok_or(Ask::Missing)?;
            let inner = first.json_ld.as_ref().map_or("false", PrintedBody::as_str);
            body.extend_from_slice(inner.as_bytes());
            written = place + NULL.len();
        }
        body.extend_from_slice(printed.get(written..).unwrap_or_default().as_bytes());
        Ok(())
    }
}

/// The taxonomy of categories.
pub(super) const CATEGORY: &str = "tribe_events_cat";

/// The taxonomy of tags.
pub(super) const TAG: &str = "post_tag";

/// Writes the comma before all but the first.
pub(super) fn separate(is_first: &mut bool, body: &mut Vec<u8>) {
    if !*is_first {
        body.push(b',');
    }
    *is_first = false;
}
