//! The place up to which an edge has read the log, and the signs that it missed a message.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use strum::VariantArray as _;

/// The place of an entry in the log: milliseconds of the store's clock, and a number among those of one millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct EntryId {
    milliseconds: u64,
    place: u64,
}

/// The end of the log, as the store states it on a new connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogEnd {
    /// The process of the store and its history of replication: another one may lack the last messages.
    pub server: String,
    /// The random number that an edge set in an empty store.
    pub boot: String,
    /// The number of the last message.
    pub number: u64,
    /// The place of the last entry.
    pub last: EntryId,
}

/// The response of the store between two exchanges. Its counter is read before its entries.
#[derive(Debug, Clone, Default)]
pub struct ReadLog {
    /// The random number in the store.
    pub boot: Option<String>,
    /// The counter.
    pub number: u64,
    /// Place, random number and number of each entry after the cursor.
    pub entries: Vec<(EntryId, String, u64)>,
}

/// The sign that messages were lost. Then everything has to be removed once, after the new end is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum GapCause {
    /// The store lost its memory.
    Boot,
    /// Numbers are missing, or come again.
    Number,
    /// Another server responds, which may lack the last messages of the one before.
    Server,
    /// The edge has served alone before it first reached the store.
    Join,
}

// === impl EntryId ===

impl EntryId {
    /// The time of the store's clock at which the entry was written, since 1970.
    pub const fn time(self) -> Duration {
        Duration::from_millis(self.milliseconds)
    }
}

impl FromStr for EntryId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (milliseconds, place) = text.split_once('-').unwrap_or((text, "0"));
        Ok(Self {
            milliseconds: milliseconds.parse()?,
            place: place.parse()?,
        })
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.milliseconds, self.place)
    }
}

// === impl LogEnd ===

impl LogEnd {
    /// Compares the place with the end of the log on a new connection.
    ///
    /// # Errors
    ///
    /// The sign that messages were lost; this place is of no use any more.
    pub(super) fn resume(&self, end: &LogEnd) -> Result<(), GapCause> {
        if end.boot != self.boot {
            return Err(GapCause::Boot);
        }
        if end.server != self.server {
            return Err(GapCause::Server);
        }
        if end.number < self.number || end.last < self.last {
            return Err(GapCause::Number);
        }
        Ok(())
    }

    /// Moves over the entries that were read.
    ///
    /// # Errors
    ///
    /// The sign that messages were lost; this place is of no use any more.
    pub(super) fn advance(&mut self, read: &ReadLog) -> Result<(), GapCause> {
        if read.boot.as_ref() != Some(&self.boot) {
            return Err(GapCause::Boot);
        }
        if read.number < self.number {
            return Err(GapCause::Number);
        }
        for (place, boot, number) in &read.entries {
            if *boot != self.boot {
                return Err(GapCause::Boot);
            }
            if *number != self.number.saturating_add(1) {
                return Err(GapCause::Number);
            }
            self.number = *number;
            self.last = *place;
        }
        // The counter was read first: whatever it counted had to be among the entries.
        if self.number < read.number {
            return Err(GapCause::Number);
        }
        Ok(())
    }
}

// === impl GapCause ===

impl GapCause {
    /// Every cause.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in logs and metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
