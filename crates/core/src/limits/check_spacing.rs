//! Requests by which the edge checks its own responses: one at a time, and the site rests in between.

use std::time::Instant;

/// The permission to send such a request now.
///
/// A flood of requests must not become one of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckSpacing {
    /// The start of the check that waits for the site; none between two.
    asking: Option<Instant>,
    /// The site is left alone until then.
    rests_until: Option<Instant>,
}

// === impl CheckSpacing ===

impl CheckSpacing {
    /// The rest of the site after a check, in times of its duration.
    const REST: u32 = 4;

    /// True if no check waits for the site, and the rest after the last one is over.
    pub fn is_free(&self, now: Instant) -> bool {
        self.asking.is_none() && self.rests_until.is_none_or(|until| until <= now)
    }

    /// A check begins, until [`Self::ended`].
    pub const fn begins(&mut self, now: Instant) {
        self.asking = Some(now);
    }

    /// The check ended, whatever its result.
    pub fn ended(&mut self, now: Instant) {
        if let Some(asked) = self.asking.take() {
            self.rests_until = Some(now + now.saturating_duration_since(asked) * Self::REST);
        }
    }
}
