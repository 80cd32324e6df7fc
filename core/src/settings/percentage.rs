//! A share of calls or clients: `5%`.

use std::fmt;

/// A share from nothing to all, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percentage(u32);

/// The number of points that a whole is divided into.
const WHOLE: u32 = 1_000_000;

/// The points of one per cent.
const PER_CENT: u32 = WHOLE / 100;

/// The most digits behind the point: one millionth is 0.0001%.
const DECIMALS: usize = 4;

// === impl Percentage ===

impl Percentage {
    /// Nothing.
    pub const NONE: Self = Self(0);

    /// Everything.
    pub const ALL: Self = Self(WHOLE);

    /// Reads a percentage: `5%`, `0.1 %`, `100%`; none if it is more than 100 or has more than four decimals.
    ///
    /// # Example
    ///
    /// ```
    /// use calendar_edge_core::settings::Percentage;
    ///
    /// assert_eq!(Percentage::parse("0.1%").unwrap().to_string(), "0.1%");
    /// assert_eq!(Percentage::parse("101%"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let number = text.strip_suffix('%')?.trim_end_matches(' ');
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_short = (1..=3).contains(&whole.len()) && decimals.len() <= DECIMALS;
        if !is_short || !is_number(whole) || !is_number(decimals) || number.ends_with('.') {
            return None;
        }
        let points = whole.parse::<u32>().ok()? * PER_CENT + format!("{decimals:0<4}").parse::<u32>().ok()?;
        (points <= WHOLE).then_some(Self(points))
    }

    /// The share with this number of millionths; more than a million is everything.
    pub fn of_millionths(points: u32) -> Self {
        Self(points.min(WHOLE))
    }

    /// The share in millionths.
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// Returns true if a place belongs to the share; the remainder by a million counts. A larger share has every place
    /// of a smaller one.
    pub fn covers(self, place: u64) -> bool {
        place % u64::from(WHOLE) < u64::from(self.0)
    }

    /// Returns true if so many of all are more than this share.
    pub fn is_exceeded_by(self, some: u64, all: u64) -> bool {
        u128::from(some) * u128::from(WHOLE) > u128::from(all) * u128::from(self.0)
    }
}

impl fmt::Display for Percentage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / PER_CENT, self.0 % PER_CENT);
        if rest == 0 {
            return write!(f, "{whole}%");
        }
        let decimals = format!("{rest:04}");
        write!(f, "{whole}.{}%", decimals.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn percentages_are_exact() {
        for (text, points) in [
            ("5%", Some(50_000)),
            ("5 %", Some(50_000)),
            ("0.1%", Some(1_000)),
            ("12.5%", Some(125_000)),
            ("0.0001%", Some(1)),
            ("100%", Some(1_000_000)),
            ("0%", Some(0)),
            ("100.1%", None),
            ("5", None),
            ("%", None),
            (".5%", None),
            ("5.%", None),
            ("0.00001%", None),
            ("-1%", None),
            ("+1%", None),
            ("1e1%", None),
            ("99999999999%", None),
        ] {
            assert_eq!(
                Percentage::parse(text).map(Percentage::millionths),
                points,
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn shares_print_as_they_are_read(points in 0_u32..=WHOLE) {
            let share = Percentage::of_millionths(points);
            prop_assert_eq!(Percentage::parse(&share.to_string()), Some(share));
        }

        #[test]
        fn a_growing_share_keeps_its_places(place: u64, one in 0_u32..=WHOLE, more in 0_u32..=WHOLE) {
            let (small, large) = (Percentage(one.min(more)), Percentage(one.max(more)));
            prop_assert!(!small.covers(place) || large.covers(place));
            prop_assert!(Percentage::ALL.covers(place) && !Percentage::NONE.covers(place));
        }
    }
}
