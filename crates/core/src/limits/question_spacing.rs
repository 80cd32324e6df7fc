//! Questions by which the edge checks its own responses: one at a time, and the site rests in between.

use std::time::Instant;

/// Whether such a question may be asked now.
///
/// A flood of requests must not become one of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuestionSpacing {
    /// Since when the site is asked; none while it is not.
    asking: Option<Instant>,
    /// The site is left alone until then.
    rests_until: Option<Instant>,
}

// === impl QuestionSpacing ===

impl QuestionSpacing {
    /// How many times as long as a question took the site is left alone afterwards.
    const REST: u32 = 4;

    /// Whether the site is neither asked nor left alone.
    pub fn is_free(&self, now: Instant) -> bool {
        self.asking.is_none() && self.rests_until.is_none_or(|until| until <= now)
    }

    /// A question begins, until [`Self::ended`].
    pub const fn begins(&mut self, now: Instant) {
        self.asking = Some(now);
    }

    /// The question ended, whatever it told.
    pub fn ended(&mut self, now: Instant) {
        if let Some(asked) = self.asking.take() {
            self.rests_until = Some(now + now.saturating_duration_since(asked) * Self::REST);
        }
    }
}
