//! The facts that may be different at the site after a message.

use crate::cache::Tag;
use calendar_edge_judge::contract::Kind;

/// The facts that the tags of a message name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NamedFacts {
    /// Events, and other records where they are wanted.
    pub(super) ids: Vec<u64>,
    /// The way in which pages are made, or terms.
    pub(super) is_site: bool,
    /// A list without any of its records: code of the site may report that records have changed, and not which.
    pub(super) are_unknown: bool,
}

// === impl NamedFacts ===

impl NamedFacts {
    /// The facts that tags name, where the names of all records are wanted or not.
    pub(super) fn of(tags: &[Tag], are_records_wanted: bool) -> Self {
        let mut named = Self::default();
        let (mut kinds, mut lists) = (Vec::new(), Vec::new());
        let is_record = |kind| match kind {
            Kind::Event => true,
            Kind::Venue | Kind::Organizer => are_records_wanted,
            Kind::Category | Kind::Tag => false,
        };
        for tag in tags {
            match tag {
                Tag::Record(kind, id) if is_record(*kind) => {
                    kinds.push(*kind);
                    named.ids.push(*id);
                }
                Tag::Collection(kind) if is_record(*kind) => lists.push(*kind),
                // No fact depends on the content of a record.
                Tag::Image(_) | Tag::Relations => {}
                Tag::Record(kind, _) | Tag::Collection(kind) => {
                    named.is_site |= matches!(kind, Kind::Category | Kind::Tag);
                }
            }
        }
        named.are_unknown = lists.iter().any(|kind| !kinds.contains(kind));
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_name_what_may_be_different() {
        let named = |tags: &str, are_wanted: bool| {
            let tags: Vec<Tag> = tags.split(' ').map(|tag| tag.parse().unwrap()).collect();
            let named = NamedFacts::of(&tags, are_wanted);
            (named.ids, named.is_site, named.are_unknown)
        };
        for are_wanted in [false, true] {
            assert_eq!(named("event:5 events", are_wanted), (vec![5], false, false));
            assert_eq!(named("events", are_wanted), (vec![], false, true));
            assert_eq!(named("category:7 categories", are_wanted), (vec![], true, false));
        }
        assert_eq!(named("venue:6 venues organizers", false), (vec![], false, false));
        assert_eq!(named("venue:6 venues", true), (vec![6], false, false));
        assert_eq!(named("event:5 venues", true), (vec![5], false, true));
        assert_eq!(named("relations", true), (vec![], false, false));
    }
}
