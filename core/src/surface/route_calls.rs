//! The calls of one route: reads and writes, with and without credentials, by their outcome.

use std::ops::AddAssign;

use http::StatusCode;
use serde::{Deserialize, Serialize};

/// What is counted of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallKind {
    /// Its method may change something.
    pub is_write: bool,
    /// It has credentials, which the site may refuse.
    pub has_credentials: bool,
    /// How it was answered.
    pub outcome: CallOutcome,
}

/// How a call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// With 1xx, 2xx or 3xx.
    Answered,
    /// With 401 or 403.
    Denied,
    /// With another 4xx.
    Refused,
    /// With 5xx.
    Failed,
}

/// The calls of one route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Calls {
    /// Those with credentials.
    pub with: CallerCalls,
    /// Those without.
    pub without: CallerCalls,
}

/// The calls of one kind of callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CallerCalls {
    /// GET, HEAD and OPTIONS.
    pub reads: Outcomes,
    /// All others.
    pub writes: Outcomes,
}

/// Calls by their outcome. No count exceeds [`u32::MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outcomes {
    /// As [`CallOutcome::Answered`].
    pub answered: u32,
    /// As [`CallOutcome::Denied`].
    pub denied: u32,
    /// As [`CallOutcome::Refused`].
    pub refused: u32,
    /// As [`CallOutcome::Failed`].
    pub failed: u32,
}

// === impl CallOutcome ===

impl From<StatusCode> for CallOutcome {
    fn from(status: StatusCode) -> Self {
        match status.as_u16() {
            401 | 403 => Self::Denied,
            400..500 => Self::Refused,
            500.. => Self::Failed,
            _ => Self::Answered,
        }
    }
}

// === impl Calls ===

impl Calls {
    /// Counts one call.
    pub(super) const fn count(&mut self, kind: CallKind) {
        let caller = if kind.has_credentials {
            &mut self.with
        } else {
            &mut self.without
        };
        let outcomes = if kind.is_write {
            &mut caller.writes
        } else {
            &mut caller.reads
        };
        let count = match kind.outcome {
            CallOutcome::Answered => &mut outcomes.answered,
            CallOutcome::Denied => &mut outcomes.denied,
            CallOutcome::Refused => &mut outcomes.refused,
            CallOutcome::Failed => &mut outcomes.failed,
        };
        *count = count.saturating_add(1);
    }

    /// All of them.
    pub const fn total(&self) -> u64 {
        self.with.total() + self.without.total()
    }
}

impl AddAssign for Calls {
    fn add_assign(&mut self, other: Self) {
        for (own, more) in [(&mut self.with, other.with), (&mut self.without, other.without)] {
            own.reads += more.reads;
            own.writes += more.writes;
        }
    }
}

// === impl CallerCalls ===

impl CallerCalls {
    /// Reads and writes together.
    pub fn outcomes(&self) -> Outcomes {
        let mut all = self.reads;
        all += self.writes;
        all
    }

    /// All of them.
    pub const fn total(&self) -> u64 {
        self.reads.total() + self.writes.total()
    }
}

// === impl Outcomes ===

impl Outcomes {
    const fn total(&self) -> u64 {
        self.answered as u64 + self.denied as u64 + self.refused as u64 + self.failed as u64
    }
}

impl AddAssign for Outcomes {
    fn add_assign(&mut self, other: Self) {
        for (own, more) in [
            (&mut self.answered, other.answered),
            (&mut self.denied, other.denied),
            (&mut self.refused, other.refused),
            (&mut self.failed, other.failed),
        ] {
            *own = own.saturating_add(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_has_one_place() {
        let mut calls = Calls::default();
        for (status, is_write, has_credentials) in [
            (200, false, false),
            (301, false, false),
            (401, false, false),
            (403, true, false),
            (404, true, true),
            (503, true, true),
        ] {
            calls.count(CallKind {
                is_write,
                has_credentials,
                outcome: StatusCode::from_u16(status).expect("a status").into(),
            });
        }
        let outcomes = |answered, denied, refused, failed| Outcomes {
            answered,
            denied,
            refused,
            failed,
        };
        assert_eq!(calls.without.reads, outcomes(2, 1, 0, 0));
        assert_eq!(calls.without.writes, outcomes(0, 1, 0, 0));
        assert_eq!(calls.with.outcomes(), outcomes(0, 0, 1, 1));
        assert_eq!((calls.total(), calls.with.total()), (6, 2));
        let mut twice = calls;
        twice += calls;
        assert_eq!(twice.total(), 12);
    }
}
