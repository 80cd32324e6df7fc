//! A post: an event, a venue or an organizer with the columns that WordPress stores.

use jiff::civil::DateTime;

use crate::cost::Cost;
use calendar_edge_judge::contract::Kind;

/// A record of one of the three kinds that WordPress stores as posts.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    /// The number; posts of all kinds share one sequence.
    pub(crate) id: u64,
    /// The account that owns it.
    pub(crate) author: u64,
    /// The status, which decides who may read it.
    pub(crate) status: PostStatus,
    /// Publication on the site's wall clock.
    pub(crate) date: DateTime,
    /// Publication in UTC; none before the first publication.
    pub(crate) date_utc: Option<DateTime>,
    /// Last change on the site's wall clock.
    pub(crate) modified: DateTime,
    /// Last change in UTC; none for a draft without a change.
    pub(crate) modified_utc: Option<DateTime>,
    /// Title or name, as it was sent.
    pub(crate) title: String,
    /// Description, as it was sent.
    pub(crate) description: String,
    /// Excerpt, as it was sent.
    pub(crate) excerpt: String,
    /// The last segment of its address; empty for a draft that never had one.
    pub(crate) slug: String,
    /// The password that unlocks it; empty: none.
    pub(crate) password: String,
    /// The featured image.
    pub(crate) image: Option<u64>,
    /// The part that depends on the kind.
    pub(crate) body: PostBody,
}

/// The part of a post that depends on its kind.
#[derive(Debug, Clone)]
pub(crate) enum PostBody {
    /// `tribe_events`
    Event(Box<Event>),
    /// `tribe_venue`
    Venue(Box<Venue>),
    /// `tribe_organizer`
    Organizer(Organizer),
}

/// The part of an event.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// Start on the event's own wall clock.
    pub(crate) start: DateTime,
    /// End on the event's own wall clock.
    pub(crate) end: DateTime,
    /// Start in UTC, computed when the dates were sent and not since.
    pub(crate) utc_start: DateTime,
    /// End in UTC, computed when the dates were sent and not since.
    pub(crate) utc_end: DateTime,
    /// The name of the event's time zone.
    pub(crate) timezone: String,
    /// Marks and switches.
    pub(crate) flags: Flags,
    /// The cost.
    pub(crate) cost: Cost,
    /// The event's own site; none shows the event's address instead.
    pub(crate) website: Option<String>,
    /// Categories.
    pub(crate) categories: Vec<u64>,
    /// Tags.
    pub(crate) tags: Vec<u64>,
    /// The venue.
    pub(crate) venue: Option<u64>,
    /// Organizers, in order.
    pub(crate) organizers: Vec<u64>,
}

/// The switches of an event; an update that does not send one turns it off (backend.md section 9).
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are six independent switches of the API"
)]
pub(crate) struct Flags {
    /// Lasts whole days.
    pub(crate) all_day: bool,
    /// Shows a map.
    pub(crate) show_map: bool,
    /// Links to a map.
    pub(crate) show_map_link: bool,
    /// Left out of lists.
    pub(crate) hide_from_listings: bool,
    /// Kept on top of calendar views.
    pub(crate) sticky: bool,
    /// Featured.
    pub(crate) featured: bool,
}

/// The part of a venue; empty texts are not shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Venue {
    /// Street address.
    pub(crate) address: String,
    /// City.
    pub(crate) city: String,
    /// Country.
    pub(crate) country: String,
    /// Province.
    pub(crate) province: String,
    /// State.
    pub(crate) state: String,
    /// Postal code.
    pub(crate) zip: String,
    /// Phone number.
    pub(crate) phone: String,
    /// Web address.
    pub(crate) website: String,
    /// State or province as sent under that name.
    pub(crate) stateprovince: String,
    /// Shows a map.
    pub(crate) show_map: bool,
    /// Links to a map.
    pub(crate) show_map_link: bool,
}

/// The part of an organizer; empty texts are not shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Organizer {
    /// Phone number.
    pub(crate) phone: String,
    /// Web address.
    pub(crate) website: String,
    /// E-mail address.
    pub(crate) email: String,
}

/// The statuses that the sandbox knows, which are WordPress's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PostStatus {
    /// Shown to everyone.
    Publish,
    /// Shown from its date on.
    Future,
    /// Not finished.
    Draft,
    /// Waiting for an editor.
    Pending,
    /// Shown to editors.
    Private,
    /// Deleted, can be brought back.
    Trash,
    /// A draft that was not saved.
    AutoDraft,
    /// As its parent, of which calendar records have none.
    Inherit,
    /// A status of WordPress's privacy requests, which a calendar record may have all the same.
    Request(RequestStage),
}

/// How far a privacy request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RequestStage {
    /// Not confirmed.
    Pending,
    /// Confirmed.
    Confirmed,
    /// Failed.
    Failed,
    /// Done.
    Completed,
}

// === impl PostStatus ===

impl PostStatus {
    const ALL: [Self; 12] = [
        Self::Publish,
        Self::Future,
        Self::Draft,
        Self::Pending,
        Self::Private,
        Self::Trash,
        Self::AutoDraft,
        Self::Inherit,
        Self::Request(RequestStage::Pending),
        Self::Request(RequestStage::Confirmed),
        Self::Request(RequestStage::Failed),
        Self::Request(RequestStage::Completed),
    ];

    /// The name in requests and responses.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Future => "future",
            Self::Draft => "draft",
            Self::Pending => "pending",
            Self::Private => "private",
            Self::Trash => "trash",
            Self::AutoDraft => "auto-draft",
            Self::Inherit => "inherit",
            Self::Request(RequestStage::Pending) => "request-pending",
            Self::Request(RequestStage::Confirmed) => "request-confirmed",
            Self::Request(RequestStage::Failed) => "request-failed",
            Self::Request(RequestStage::Completed) => "request-completed",
        }
    }

    /// The status of this name, letter by letter.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether a record of this status has no publication date yet.
    pub(crate) const fn is_undated(self) -> bool {
        matches!(self, Self::Draft | Self::Pending | Self::AutoDraft)
    }

    /// Whether its address is the pretty one.
    pub(crate) const fn has_permalink(self) -> bool {
        matches!(self, Self::Publish | Self::Private)
    }
}

// === impl Post ===

impl Post {
    /// The kind of record.
    pub(crate) fn kind(&self) -> Kind {
        match self.body {
            PostBody::Event(_) => Kind::Event,
            PostBody::Venue(_) => Kind::Venue,
            PostBody::Organizer(_) => Kind::Organizer,
        }
    }

    /// The event part.
    pub(crate) fn event(&self) -> Option<&Event> {
        match &self.body {
            PostBody::Event(event) => Some(event),
            PostBody::Venue(_) | PostBody::Organizer(_) => None,
        }
    }
}
