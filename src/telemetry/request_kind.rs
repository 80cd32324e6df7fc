//! The kinds of requests: the label of histograms, of which one for each operation would be most of a scrape.

use calendar_edge_judge::contract::{Action, table};

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(super) enum RequestKind {
    /// Lists of a collection.
    List,
    /// Reads of one record or of a description.
    Read,
    /// Creates, updates and deletes.
    Write,
    /// The rest of the site.
    Site,
    /// Requests that lead to no operation, and the edge's own requests to a backend.
    None,
}

/// The operations beside those of the table: the rest of the site, and requests that lead to no operation.
pub(super) const BESIDE: [&str; 2] = [RequestKind::Site.name(), RequestKind::None.name()];

// === impl RequestKind ===

impl RequestKind {
    /// All kinds.
    pub(super) const ALL: [Self; 5] = [Self::List, Self::Read, Self::Write, Self::Site, Self::None];

    /// All that a backend beside the site can get.
    pub(super) const OF_CALLS: [Self; 4] = [Self::List, Self::Read, Self::Write, Self::None];

    /// Its stable name.
    pub(super) const fn name(self) -> &'static str {
        self.into_str()
    }

    /// Every operation with its kind, those beside the table last.
    pub(super) fn of_operations() -> impl Iterator<Item = (&'static str, Self)> {
        let operations = table().operations().iter();
        let of_table = operations.map(|operation| (operation.name.as_str(), Self::of(operation.id.action)));
        of_table.chain([Self::Site, Self::None].map(|kind| (kind.name(), kind)))
    }

    const fn of(action: Action) -> Self {
        match action {
            Action::List => Self::List,
            Action::Read | Action::Describe => Self::Read,
            Action::Create | Action::Update | Action::Delete => Self::Write,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_kind_and_every_kind_an_operation() {
        let known: Vec<_> = RequestKind::of_operations().collect();
        assert!(known.contains(&("events.by-slug.update", RequestKind::Write)));
        assert!(known.contains(&("index", RequestKind::Read)));
        for kind in RequestKind::ALL {
            assert!(known.iter().any(|(_, of)| *of == kind), "{kind:?}");
        }
        for operation in BESIDE {
            let is_named_so =
                |(name, kind): &(&str, RequestKind)| *name == operation && kind.name() == operation;
            assert!(known.iter().any(is_named_so), "{operation}");
        }
    }
}
