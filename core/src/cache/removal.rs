//! What is removed at once, and why.

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
}

// === impl RemovalCause ===

impl RemovalCause {
    /// Every cause.
    pub const ALL: [Self; 5] = [
        Self::Write,
        Self::Message,
        Self::Missed,
        Self::Operator,
        Self::Cutover,
    ];

    /// The name in logs and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Message => "message",
            Self::Missed => "missed",
            Self::Operator => "operator",
            Self::Cutover => "cutover",
        }
    }
}
