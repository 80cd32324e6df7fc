//! The silence of a companion plugin that the settings expect, although clients call.

use std::time::Duration;

use crate::unix_time::UnixTime;

/// The state of the companion plugin's silence; none at first.
#[derive(Debug, Default)]
pub struct CompanionSilence {
    /// Since when clients have called without a sign of the plugin.
    since: Option<UnixTime>,
    is_reported: bool,
}

// === impl CompanionSilence ===

impl CompanionSilence {
    /// The time after which silence is reported: far more than the time between the edge's requests, 5 min by default.
    pub fn long(reconcile: Duration) -> Duration {
        reconcile.saturating_mul(30)
    }

    /// Takes whether the settings expect the plugin, whether clients called of late, and its last sign. Returns whether
    /// it is silent for long, if that has changed.
    ///
    /// While no client calls, the edge sends the plugin no request: that time does not count.
    pub fn look(
        &mut self,
        is_expected: bool,
        is_called: bool,
        last: Option<UnixTime>,
        (long, now): (Duration, UnixTime),
    ) -> Option<bool> {
        let since = match self.since {
            Some(since) if is_called || self.is_reported => since,
            Some(_) | None => now,
        };
        let since = last.map_or(since, |last| since.max(last));
        self.since = is_expected.then_some(since);
        let is_silent = is_expected && now.saturating_since(since) >= long;
        let was_silent = std::mem::replace(&mut self.is_reported, is_silent);
        (is_silent != was_silent).then_some(is_silent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> UnixTime {
        UnixTime::from_secs(1_000_000 + seconds)
    }

    /// Silence is long after 300 s.
    fn after(seconds: u64) -> (Duration, UnixTime) {
        (CompanionSilence::long(Duration::from_secs(10)), at(seconds))
    }

    #[test]
    fn silence_is_told_once_and_ends_with_a_sign() {
        let mut silence = CompanionSilence::default();
        assert_eq!(silence.look(true, true, None, after(0)), None);
        assert_eq!(silence.look(true, true, None, after(299)), None);
        assert_eq!(silence.look(true, true, None, after(300)), Some(true));
        // Reported silence does not end because the clients leave.
        assert_eq!(silence.look(true, false, None, after(400)), None);
        assert_eq!(silence.look(true, true, Some(at(401)), after(402)), Some(false));
        assert_eq!(silence.look(true, true, Some(at(401)), after(701)), Some(true));
        assert_eq!(silence.look(false, true, Some(at(401)), after(702)), Some(false));
    }

    #[test]
    fn without_calls_or_without_a_secret_nothing_is_missed() {
        let mut silence = CompanionSilence::default();
        for now in [0, 300, 9000] {
            assert_eq!(silence.look(false, true, None, after(now)), None);
        }
        assert_eq!(silence.look(true, true, Some(at(0)), after(9000)), None);
        for now in [9400, 20_000] {
            assert_eq!(silence.look(true, false, Some(at(0)), after(now)), None);
        }
        assert_eq!(silence.look(true, true, Some(at(0)), after(20_299)), None);
        assert_eq!(silence.look(true, true, Some(at(0)), after(20_300)), Some(true));
    }
}
