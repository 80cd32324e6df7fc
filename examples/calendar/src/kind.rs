//! The kinds of records.

/// The names of a kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    pub(crate) collection: &'static str,
    pub(crate) singular: &'static str,
}

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Event,
    Venue,
    Organizer,
    Category,
    Tag,
}

// === impl Kind ===

impl Kind {
    pub(crate) fn of_collection(name: &str) -> Option<Self> {
        let all = [
            Self::Event,
            Self::Venue,
            Self::Organizer,
            Self::Category,
            Self::Tag,
        ];
        all.into_iter().find(|kind| kind.names().collection == name)
    }

    pub(crate) const fn names(self) -> Names {
        let (collection, singular) = match self {
            Self::Event => ("events", "event"),
            Self::Venue => ("venues", "venue"),
            Self::Organizer => ("organizers", "organizer"),
            Self::Category => ("categories", "category"),
            Self::Tag => ("tags", "tag"),
        };
        Names { collection, singular }
    }

    pub(crate) const fn taxonomy(self) -> &'static str {
        match self {
            Self::Tag => "post_tag",
            _ => "tribe_events_cat",
        }
    }

    pub(crate) const fn has_slugs(self) -> bool {
        !matches!(self, Self::Category | Self::Tag)
    }
}
