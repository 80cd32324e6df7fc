//! The sandbox's only source of time, so that tests can hold it still.

use jiff::Timestamp;

/// Where the sandbox reads the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A fixed time.
    Fixed(Timestamp),
}

// === impl Clock ===

impl Clock {
    /// The present moment.
    pub(super) fn now(self) -> Timestamp {
        match self {
            Self::System => Timestamp::now(),
            Self::Fixed(moment) => moment,
        }
    }
}
