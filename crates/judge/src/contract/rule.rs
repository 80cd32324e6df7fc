//! The validate callbacks of the backend, by name.

use super::fatal::FatalShape;
use super::kind::Kind;

/// The backend's validate callback for an argument (backend.md section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Rule {
    /// No callback.
    Anything,
    /// An integral numeric value above zero.
    PositiveInt,
    /// A comma list or array of integral numeric values above zero.
    PositiveIntList,
    /// A string that PHP does not call empty: not `""`, not `"0"`.
    NonEmptyString,
    /// A string, or any value that PHP calls empty.
    StringOrEmpty,
    /// A text that PHP's `strtotime` reads, or a numeric value; never the epoch itself.
    Time,
    /// A zone name, abbreviation or offset that PHP has, or an empty value.
    TimezoneOrEmpty,
    /// A text that PHP's URL filter accepts, or an empty value.
    UrlOrEmpty,
    /// The number of an image attachment, or a URL that the origin fetches.
    Image,
    /// As [`Rule::Image`], or an empty value.
    ImageOrEmpty,
    /// The number of a user.
    UserId,
    /// The number of an event of any status.
    EventId,
    /// The number in the path of a single event: of an event, or of any number, by the version of the plugin.
    EventNumber,
    /// The number of a venue.
    VenueId,
    /// The number of an organizer.
    OrganizerId,
    /// Numbers of venues, as a comma list or array.
    VenueIdList,
    /// Numbers of organizers, as a comma list or array.
    OrganizerIdList,
    /// Ids, slugs or names of terms, as a comma list or array.
    TermList,
    /// The slug of an event.
    EventSlug,
    /// The slug of a venue.
    VenueSlug,
    /// The slug of an organizer.
    OrganizerSlug,
    /// A registered post status (writes).
    PostStatus,
    /// A list of statuses that the caller may read (lists).
    StatusFilter,
    /// Refused unless Event Tickets is active.
    Ticketed,
    /// A venue by id, a venue to create, or an empty value.
    VenueEntry,
    /// Organizers by id or to create, or an empty value.
    OrganizerEntry,
}

// === impl Rule ===

impl Rule {
    /// The stable name of the rule in findings and metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns true if the value is an image, by number or by URL.
    pub const fn is_image(self) -> bool {
        matches!(self, Self::Image | Self::ImageOrEmpty)
    }

    /// The kind of record that a value may create.
    pub const fn creates(self) -> Option<Kind> {
        match self {
            Self::VenueEntry => Some(Kind::Venue),
            Self::OrganizerEntry => Some(Kind::Organizer),
            _ => None,
        }
    }

    /// The shape of a value that crashes the callback itself.
    pub(super) const fn crashes_on(self) -> Option<FatalShape> {
        match self {
            Self::TermList => Some(FatalShape::NestedArray),
            Self::EventSlug | Self::VenueSlug | Self::OrganizerSlug => Some(FatalShape::NonEmptyArray),
            _ => None,
        }
    }
}
