//! The charges of a bucket, as edges send them to each other.

use std::time::Duration;

use super::gcra;
use crate::settings::Rate;

/// An amount that was taken from a bucket, or given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// The time in which the bucket regains it, in nanoseconds; negative if it was given back.
    pub(super) nanos: i64,
    /// The time in which the bucket regains everything.
    pub period: Duration,
}

/// A bucket, and what the store has not received of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settlement {
    /// The keyed hash of the bucket.
    pub bucket: u64,
    /// The amount that was taken from it.
    pub taken: Taken,
}

// === impl Taken ===

impl Taken {
    /// One call of a rate.
    pub(super) fn of(rate: &Rate) -> Self {
        Self {
            nanos: signed(gcra::share(rate).as_nanos()),
            period: rate.period,
        }
    }

    /// Nothing, of a bucket with this rate.
    pub(super) const fn nothing(rate: &Rate) -> Self {
        Self {
            nanos: 0,
            period: rate.period,
        }
    }

    /// This much of it, given back.
    pub(super) fn given_back(self, back: Duration) -> Self {
        Self {
            nanos: signed(back.as_nanos()).min(self.nanos).saturating_neg(),
            ..self
        }
    }

    /// The time in which the bucket regains it, in microseconds; negative if it was given back.
    pub const fn micros(self) -> i64 {
        self.nanos / 1000
    }

    /// The most that several edges may have allowed beyond an empty bucket: as much again as it holds. The excess is
    /// forgiven.
    pub const fn debt(self) -> Duration {
        self.period
    }

    /// Adds another share of the same bucket, whose period holds from now on.
    pub(super) const fn add(&mut self, other: Self) {
        self.nanos = self.nanos.saturating_add(other.nanos);
        self.period = other.period;
    }

    /// The part of it within what a bucket still owes.
    pub(super) fn within(self, owed: Duration) -> Self {
        Self {
            nanos: self.nanos.min(signed(owed.as_nanos())),
            ..self
        }
    }

    /// A level of the store with this share in it, which the store has not received.
    pub(super) fn over(self, level: Duration) -> Duration {
        let nanos = signed(level.as_nanos()).saturating_add(self.nanos);
        let most = self.period.saturating_add(self.debt());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(0)).min(most)
    }
}

fn signed(nanos: u128) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}

// === impl Settlement ===

impl Settlement {
    /// The amount that undoes it.
    #[must_use]
    pub const fn undone(self) -> Self {
        Self {
            taken: Taken {
                nanos: self.taken.nanos.saturating_neg(),
                ..self.taken
            },
            ..self
        }
    }
}
