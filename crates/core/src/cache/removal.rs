//! The stored responses that are removed at once, and the reason.

use strum::VariantArray as _;

use super::tag::Tag;

/// The responses that are to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// Every response that carries one of these tags.
    Tags(Vec<Tag>),
    /// Every response.
    All,
}

/// The reason for a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum RemovalCause {
    /// A write through the edge.
    Write,
    /// A message of the companion plugin.
    Message,
    /// The companion plugin's counter shows that a message was lost.
    Missed,
    /// An operator.
    Operator,
    /// Another backend responds from now on.
    Cutover,
    /// Messages of other edges were lost.
    FleetGap,
}

// === impl Removal ===

impl Removal {
    /// The same with the lists that it ends: a change of a record may change members and order of the lists of its kind.
    #[must_use]
    pub fn with_collections(&self) -> Self {
        let Self::Tags(tags) = self else {
            return Self::All;
        };
        let collections = tags.iter().filter_map(|tag| match tag {
            Tag::Record(kind, _) => Some(Tag::Collection(*kind)),
            Tag::Image(_) | Tag::Collection(_) | Tag::Relations => None,
        });
        Self::Tags(tags.iter().copied().chain(collections).collect())
    }
}

// === impl RemovalCause ===

impl RemovalCause {
    /// Every cause.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in logs and metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
