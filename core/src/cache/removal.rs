//! What is removed at once, and why.

use strum::VariantArray as _;

use super::tag::Tag;

/// The answers that are to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// Every answer that carries one of these tags.
    Tags(Vec<Tag>),
    /// Every answer.
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
    /// Another backend answers from now on.
    Cutover,
    /// Messages of other edges were lost.
    FleetGap,
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
