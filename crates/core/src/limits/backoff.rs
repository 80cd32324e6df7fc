//! Pauses between attempts that fail.

use std::time::Duration;

/// Pauses that double with each failure, between two bounds.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    shortest: Duration,
    longest: Duration,
}

// === impl Backoff ===

impl Backoff {
    /// Pauses from `shortest` on, up to `longest`.
    pub const fn new(shortest: Duration, longest: Duration) -> Self {
        Self { shortest, longest }
    }

    /// The pause after so many failures in a row before the last one.
    pub fn after(self, earlier: u32) -> Duration {
        let doubled = self.shortest.saturating_mul(2_u32.saturating_pow(earlier));
        doubled.min(self.longest)
    }

    /// The same, made shorter by chance, to half of it at most: many edges do not come at once.
    pub fn spread_after(self, earlier: u32, chance: u8) -> Duration {
        spread(self.after(earlier), chance)
    }
}

/// A time between half of this one and the whole, by chance.
pub fn spread(time: Duration, chance: u8) -> Duration {
    time.mul_f64(0.5 + f64::from(chance) / 510.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_are_spread() {
        let backoff = Backoff::new(Duration::from_secs(1), Duration::from_mins(5));
        let pauses = [0, 1, 2, 8, 9, 40, u32::MAX].map(|earlier| backoff.after(earlier).as_secs());
        assert_eq!(pauses, [1, 2, 4, 256, 300, 300, 300]);
        for earlier in 0..40 {
            let whole = backoff.after(earlier);
            assert_eq!(backoff.spread_after(earlier, 0), whole / 2);
            assert_eq!(backoff.spread_after(earlier, u8::MAX), whole);
        }
    }
}
