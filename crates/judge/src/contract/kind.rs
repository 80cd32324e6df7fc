//! The five kinds of record and the fifteen paths that address them.

/// The name of a record's id, in the path and in the records inside a body.
pub const RECORD_NUMBER: &str = "id";

/// A kind of record the service manages (specification, "What the service does").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A calendar entry.
    Event,
    /// A location of events.
    Venue,
    /// A person or group that runs events.
    Organizer,
    /// A term in a hierarchy that groups events.
    Category,
    /// A term without a hierarchy that labels events.
    Tag,
}

/// One of the paths of the API, relative to the namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Route {
    /// The namespace index: the empty path.
    Index,
    /// The plugin's own documentation.
    Doc,
    /// `/{kind}`: list and create.
    Collection(Kind),
    /// `/{kind}/{id}`: one record by number.
    Item(Kind),
    /// `/{kind}/by-slug/{slug}`: one post by slug; terms have no such route.
    BySlug(Kind),
}

// === impl Kind ===

impl Kind {
    /// Every kind, in the order of the specification.
    pub const ALL: [Self; 5] = [
        Self::Event,
        Self::Venue,
        Self::Organizer,
        Self::Category,
        Self::Tag,
    ];

    /// The path segment of the collection, which is also the name of the list in its responses.
    pub const fn collection(self) -> &'static str {
        match self {
            Self::Event => "events",
            Self::Venue => "venues",
            Self::Organizer => "organizers",
            Self::Category => "categories",
            Self::Tag => "tags",
        }
    }

    /// The query with which the list of the collection has every record that is not in the trash, on the largest pages
    /// that the API has. Without dates a list of events has those of the next two years, and without `hide_empty` a
    /// list of terms has those that an event has. A site whose day ends after midnight, or whose clock is behind UTC,
    /// takes the last day of 9999 for one of the year 10000, which the database puts before most events.
    pub const fn whole_list(self) -> &'static str {
        match self {
            Self::Event => "start_date=1000-01-01&end_date=9999-12-01&per_page=50",
            Self::Venue | Self::Organizer => "per_page=50",
            Self::Category | Self::Tag => "hide_empty=0&per_page=50",
        }
    }

    /// The name of one record.
    pub const fn singular(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Venue => "venue",
            Self::Organizer => "organizer",
            Self::Category => "category",
            Self::Tag => "tag",
        }
    }

    /// The kind with this collection segment, without regard to ASCII case (backend.md section 6).
    pub fn from_segment(segment: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.collection().as_bytes().eq_ignore_ascii_case(segment))
    }

    /// Returns true if records of this kind are taxonomy terms rather than posts.
    pub const fn is_term(self) -> bool {
        matches!(self, Self::Category | Self::Tag)
    }
}

// === impl Route ===

impl Route {
    /// All fifteen routes, in the order of the specification's endpoint table.
    pub fn all() -> impl Iterator<Item = Self> {
        let of_kind = |kind: Kind| {
            let by_slug = (!kind.is_term()).then_some(Self::BySlug(kind));
            [Self::Collection(kind), Self::Item(kind)]
                .into_iter()
                .chain(by_slug)
        };
        [Self::Index, Self::Doc]
            .into_iter()
            .chain(Kind::ALL.into_iter().flat_map(of_kind))
    }

    /// The parts of the path below the namespace, with this value of the placeholder.
    pub(crate) const fn parts(self, parameter: &str) -> [&str; 4] {
        match self {
            Self::Index => [""; 4],
            Self::Doc => ["/doc", "", "", ""],
            Self::Collection(kind) => ["/", kind.collection(), "", ""],
            Self::Item(kind) => ["/", kind.collection(), "/", parameter],
            Self::BySlug(kind) => ["/", kind.collection(), "/by-slug/", parameter],
        }
    }

    /// The path as a template: empty, `/doc`, `/events/{id}`, `/events/by-slug/{slug}`.
    pub fn template(self) -> String {
        self.parts(match self {
            Self::BySlug(_) => "{slug}",
            _ => "{id}",
        })
        .concat()
    }

    /// The path below the namespace, which is `/` for the index, because a path must not be empty.
    pub fn path(self) -> String {
        match self {
            Self::Index => "/".to_owned(),
            Self::Doc | Self::Collection(_) | Self::Item(_) | Self::BySlug(_) => self.template(),
        }
    }

    /// The key of the route in the index of WordPress: a path with named groups.
    pub fn pattern(self, namespace: &str) -> String {
        let group = match self {
            Self::BySlug(_) => "(?P<slug>[^/]+)",
            _ => r"(?P<id>\d+)",
        };
        format!("/{namespace}{}", self.parts(group).concat())
    }

    /// The name of the path parameter; none if the route has no parameter.
    pub const fn path_parameter(self) -> Option<&'static str> {
        match self {
            Self::Index | Self::Doc | Self::Collection(_) => None,
            Self::Item(_) => Some(RECORD_NUMBER),
            Self::BySlug(_) => Some("slug"),
        }
    }

    /// The kind of record the route addresses; none for the two informational routes.
    pub const fn kind(self) -> Option<Kind> {
        match self {
            Self::Index | Self::Doc => None,
            Self::Collection(kind) | Self::Item(kind) | Self::BySlug(kind) => Some(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;
    use jiff::civil::Date;

    use super::*;

    #[test]
    fn a_whole_list_ends_before_the_last_day_in_every_zone_and_with_every_end_of_the_day() {
        let (_, end) = Kind::Event.whole_list().split_once("end_date=").unwrap();
        let end: Date = end.split_once('&').unwrap().0.parse().unwrap();
        assert!(end.checked_add(2.days()).is_ok(), "{end}");
    }
}
