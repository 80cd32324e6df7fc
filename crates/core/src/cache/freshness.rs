//! The time for which a kept response is served, and the conditions.

use std::time::Duration;

use super::stated::StatedLife;
use super::storable::Storable;
use super::zone::{SiteZone, day_end};
use crate::settings::CacheSettings;
use crate::unix_time::UnixTime;
use calendar_edge_judge::wordpress::value::datetime::DateTurn;

/// The last signs of the companion plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompanionSigns {
    /// The first of an unbroken row of signs: changes since then are known.
    pub since: UnixTime,
    /// The last sign.
    pub last: UnixTime,
}

/// The facts about one kept response that its lifetime depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LifetimeFacts {
    /// The time of the request to the site.
    pub at: UnixTime,
    /// The time at which the response changes by itself; `None`: never.
    pub turns_at: Option<UnixTime>,
    /// True if it is a short-lived response: it changes by itself at every moment, or shows that nothing is there.
    pub is_brief: bool,
    /// True if another backend than the site gave it, whose changes the companion plugin does not report.
    pub is_of_backend: bool,
    /// The site's statement about its life.
    pub stated: StatedLife,
}

/// The way in which a kept response may be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Serving {
    /// Without a request to the site, for this time.
    Fresh(Duration),
    /// At once, while the site gets a request; stale for this time.
    Behind(Duration),
    /// Only if the site fails; stale for this time.
    OnError(Duration),
    /// Never again.
    Expired,
}

/// The rule that limits the time in which a response is served without a request to the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifetimeRule {
    /// `cache.fresh`: no companion plugin reports changes.
    Fresh,
    /// `cache.fresh_with_purge`: the companion plugin reports changes.
    FreshWithPurge,
    /// `cache.fresh`, because the response changes with every moment or shows that nothing is there.
    Brief,
    /// The end of the site's day.
    EndOfDay,
    /// The lifetime that the site states.
    Stated,
}

// === impl CompanionSigns ===

impl CompanionSigns {
    /// The signs after another one; `is_unbroken` is true if no change since the last one was missed.
    #[must_use]
    pub fn after(known: Option<Self>, at: UnixTime, is_unbroken: bool) -> Self {
        let since = known.filter(|_| is_unbroken).map_or(at, |known| known.since);
        let last = known.map_or(at, |known| known.last.max(at));
        Self { since, last }
    }
}

// === impl CacheSettings ===

impl CacheSettings {
    /// Decides how a response may be served at the time `now`.
    pub fn serving(
        &self,
        filled: &LifetimeFacts,
        companion: Option<CompanionSigns>,
        now: UnixTime,
    ) -> Serving {
        // A clock that was set back does not show the age of a response.
        let Some(age) = now.checked_since(filled.at) else {
            return filled.stale(Duration::ZERO);
        };
        let (fresh, _) = self.lifetime(filled, companion, now);
        let Some(stale) = age.checked_sub(fresh).filter(|_| age >= fresh) else {
            return Serving::Fresh(fresh.saturating_sub(age));
        };
        if filled.may_be_stale(now) && stale < self.stale_while_revalidate {
            return Serving::Behind(stale);
        }
        if stale < self.stale_on_error {
            return filled.stale(stale);
        }
        Serving::Expired
    }

    /// The time for which a response is served without a request to the site, from the moment it was filled, and the
    /// rule that ends it.
    pub fn lifetime(
        &self,
        filled: &LifetimeFacts,
        companion: Option<CompanionSigns>,
        now: UnixTime,
    ) -> (Duration, LifetimeRule) {
        let (length, rule) = if filled.is_brief {
            (self.fresh.min(self.fresh_with_purge), LifetimeRule::Brief)
        } else if !filled.is_of_backend && companion.is_some_and(|signs| self.vouches(signs, filled, now)) {
            (self.fresh_with_purge, LifetimeRule::FreshWithPurge)
        } else {
            (self.fresh, LifetimeRule::Fresh)
        };
        let turn = filled.turns_at.map(|end| end.saturating_since(filled.at));
        let limits = [
            (turn, LifetimeRule::EndOfDay),
            (filled.stated.fresh, LifetimeRule::Stated),
        ];
        limits
            .into_iter()
            .fold((length, rule), |shortest, (limit, rule)| match limit {
                Some(limit) if limit < shortest.0 => (limit, rule),
                _ => shortest,
            })
    }

    /// Returns true if the companion plugin responds, and did when the response was filled: every change since is known.
    fn vouches(&self, signs: CompanionSigns, filled: &LifetimeFacts, now: UnixTime) -> bool {
        now.saturating_since(signs.last) <= self.reconcile && signs.since <= filled.at
    }
}

// === impl LifetimeFacts ===

impl LifetimeFacts {
    /// A response whose request was sent at the time `at`.
    pub fn new(at: UnixTime, storable: Storable, turn: DateTurn, zone: Option<&SiteZone>) -> Self {
        Self {
            at,
            turns_at: (turn == DateTurn::Daily).then(|| day_end(zone, at)),
            is_brief: turn == DateTurn::Always || storable != Storable::Yes,
            is_of_backend: false,
            stated: StatedLife::default(),
        }
    }

    /// The facts about a response that is made of two: it lives no longer than either.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            at: self.at.min(other.at),
            turns_at: self.turns_at.into_iter().chain(other.turns_at).min(),
            is_brief: self.is_brief || other.is_brief,
            is_of_backend: self.is_of_backend || other.is_of_backend,
            stated: StatedLife {
                fresh: self.stated.fresh.into_iter().chain(other.stated.fresh).min(),
                must_revalidate: self.stated.must_revalidate || other.stated.must_revalidate,
            },
        }
    }

    /// Returns true if the response may be served at the time `now` although it is stale and the site works: time has
    /// made nothing in it wrong, and it lives as long as the site stated.
    pub fn may_be_stale(&self, now: UnixTime) -> bool {
        let has_turned = self.turns_at.is_some_and(|turns_at| turns_at <= now);
        let has_ended = self.stated.must_revalidate || self.stated.has_ended(now.saturating_since(self.at));
        !has_turned && !has_ended && !self.is_brief
    }

    /// The way in which the response may be served if only a failure of the site allows it.
    const fn stale(&self, stale: Duration) -> Serving {
        if self.stated.must_revalidate {
            return Serving::Expired;
        }
        Serving::OnError(stale)
    }
}

// === impl LifetimeRule ===

impl LifetimeRule {
    /// The rule in words, for `explain`.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Fresh => "`cache.fresh`, as long as no companion plugin responds",
            Self::FreshWithPurge => "`cache.fresh_with_purge`, as the companion plugin responds",
            Self::Brief => "`cache.fresh`, because the response changes with every moment",
            Self::EndOfDay => "the site's day ends",
            Self::Stated => "`Cache-Control` or `Expires` of the site",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOON: UnixTime = UnixTime::from_secs(500_000 * 3600);

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    fn lifetimes() -> CacheSettings {
        CacheSettings::default()
    }

    fn filled(turn: DateTurn) -> LifetimeFacts {
        LifetimeFacts::new(NOON, Storable::Yes, turn, None)
    }

    fn serving(filled: &LifetimeFacts, companion: impl Into<Option<CompanionSigns>>, after: u64) -> Serving {
        lifetimes().serving(filled, companion.into(), NOON.saturating_add(seconds(after)))
    }

    /// Signs from `since` to `last` seconds after the fill.
    fn signs(since: i64, last: u64) -> CompanionSigns {
        let since = NOON.as_secs().saturating_add_signed(since);
        CompanionSigns {
            since: UnixTime::from_secs(since),
            last: NOON.saturating_add(seconds(last)),
        }
    }

    #[test]
    fn without_a_companion_an_answer_is_fresh_for_a_second() {
        let filled = filled(DateTurn::Never);
        assert_eq!(serving(&filled, None, 0), Serving::Fresh(seconds(1)));
        assert_eq!(serving(&filled, None, 1), Serving::Behind(Duration::ZERO));
        assert_eq!(serving(&filled, None, 30), Serving::Behind(seconds(29)));
        assert_eq!(serving(&filled, None, 31), Serving::OnError(seconds(30)));
        assert_eq!(serving(&filled, None, 86_400), Serving::OnError(seconds(86_399)));
        assert_eq!(serving(&filled, None, 86_401), Serving::Expired);
    }

    #[test]
    fn a_companion_that_is_heard_makes_answers_last() {
        let filled = filled(DateTurn::Never);
        assert_eq!(
            serving(&filled, signs(-5, 3590), 3599),
            Serving::Fresh(seconds(1))
        );
        assert_eq!(
            serving(&filled, signs(-5, 3595), 3600),
            Serving::Behind(Duration::ZERO)
        );
    }

    #[test]
    fn a_silent_companion_vouches_for_nothing() {
        let filled = filled(DateTurn::Never);
        assert_eq!(serving(&filled, signs(-5, 0), 10), Serving::Fresh(seconds(3590)));
        assert_eq!(serving(&filled, signs(-5, 0), 11), Serving::Behind(seconds(10)));
        // It responds again after a gap: a response that was filled before the gap is read again.
        assert_eq!(
            serving(&filled, signs(60, 100), 100),
            Serving::OnError(seconds(99))
        );
    }

    #[test]
    fn what_turns_with_the_day_ends_with_it() {
        let filled = LifetimeFacts {
            turns_at: Some(NOON.saturating_add(seconds(60))),
            ..filled(DateTurn::Never)
        };
        let companion = signs(-5, 55);
        assert_eq!(serving(&filled, companion, 59), Serving::Fresh(seconds(1)));
        assert_eq!(serving(&filled, companion, 60), Serving::OnError(Duration::ZERO));
        // Neither is a stale response served past the turn.
        assert_eq!(serving(&filled, None, 20), Serving::Behind(seconds(19)));
        let soon = LifetimeFacts {
            turns_at: Some(NOON.saturating_add(seconds(5))),
            ..filled
        };
        assert_eq!(serving(&soon, None, 6), Serving::OnError(seconds(5)));
    }

    #[test]
    fn brief_answers_are_fresh_for_a_moment_only() {
        for brief in [
            filled(DateTurn::Always),
            LifetimeFacts::new(NOON, Storable::Briefly, DateTurn::Never, None),
        ] {
            assert_eq!(serving(&brief, signs(-5, 0), 0), Serving::Fresh(seconds(1)));
            assert_eq!(serving(&brief, signs(-5, 0), 1), Serving::OnError(Duration::ZERO));
        }
    }

    #[test]
    fn an_answer_lives_no_longer_than_the_site_states() {
        let stated = |fresh: Option<u64>, must_revalidate| LifetimeFacts {
            stated: StatedLife {
                fresh: fresh.map(seconds),
                must_revalidate,
            },
            ..filled(DateTurn::Never)
        };
        let (short, strict) = (stated(Some(5), false), stated(None, true));
        assert_eq!(serving(&short, signs(-5, 4), 4), Serving::Fresh(seconds(1)));
        assert_eq!(serving(&short, signs(-5, 5), 5), Serving::OnError(Duration::ZERO));
        assert_eq!(serving(&short, None, 4), Serving::Behind(seconds(3)));
        assert_eq!(serving(&strict, None, 0), Serving::Fresh(seconds(1)));
        assert_eq!(serving(&strict, None, 1), Serving::Expired);
        let early = lifetimes().serving(&strict, None, NOON.saturating_sub(seconds(1)));
        assert_eq!(early, Serving::Expired);
    }

    #[test]
    fn a_clock_set_back_makes_answers_stale() {
        let early = lifetimes().serving(&filled(DateTurn::Never), None, NOON.saturating_sub(seconds(1)));
        assert_eq!(early, Serving::OnError(Duration::ZERO));
    }

    #[test]
    fn signs_are_unbroken_until_a_change_was_missed() {
        let at = UnixTime::from_millis;
        let after = |known, millis, is_unbroken| {
            let signs = CompanionSigns::after(known, at(millis), is_unbroken);
            (signs.since.as_millis(), signs.last.as_millis(), signs)
        };
        let (since, last, first) = after(None, 20, true);
        assert_eq!((since, last), (20, 20));
        let (since, last, second) = after(Some(first), 30, true);
        assert_eq!((since, last), (20, 30));
        let (since, last, _) = after(Some(second), 25, false);
        assert_eq!((since, last), (25, 30));
    }

    proptest! {
        #[test]
        fn nothing_is_served_past_its_turn_unless_the_site_fails(
            age in 0_u64..200_000, turn in 0_u64..100_000, last in 0_u64..200_000, is_brief: bool,
        ) {
            let filled = LifetimeFacts { at: NOON, turns_at: Some(NOON.saturating_add(seconds(turn))), is_brief, is_of_backend: false, stated: StatedLife::default() };
            let found = serving(&filled, signs(-1, last), age);
            if age >= turn {
                prop_assert!(matches!(found, Serving::OnError(_) | Serving::Expired), "{:?}", found);
            }
            if let Serving::Fresh(left) = found {
                prop_assert!(age + left.as_secs() <= turn.min(3600));
            }
        }
    }
}
