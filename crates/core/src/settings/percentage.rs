//! A share of calls or clients: `5%`.

use std::fmt;

/// A share from nothing to all, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percentage(u32);

/// The number of points that a whole is divided into.
const WHOLE: u32 = 1_000_000;

/// The points of one per cent.
const PER_CENT: u32 = WHOLE / 100;

/// The natural logarithm of how rare must be what no chance explains.
const SURPRISE: f64 = 9.0;

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

    /// Returns true if so many of all are more than this share, and are not so by chance: with this share, as many would
    /// come about once in 8,000 times at most. Two of two are enough for 1%.
    pub fn is_surely_exceeded_by(self, some: u64, all: u64) -> bool {
        if !self.is_exceeded_by(some, all) {
            return false;
        }
        let float = |number: u64| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
        let (limit, all) = (f64::from(self.0) / f64::from(WHOLE), float(all));
        let share = float(some) / all;
        let part = |share: f64, limit: f64| {
            if share > 0.0 {
                share * (share / limit).ln()
            } else {
                0.0
            }
        };
        // The bound of Chernoff: the chance is at most e to the power of -all * divergence.
        all * (part(share, limit) + part(1.0 - share, 1.0 - limit)) > SURPRISE
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

    #[test]
    fn few_calls_are_sure_where_all_fail_and_many_where_few_do() {
        for (limit, some, all, is_sure) in [
            ("1%", 1, 1, false),
            ("1%", 2, 2, true),
            ("20%", 5, 5, false),
            ("20%", 6, 6, true),
            ("1%", 3, 100, false),
            ("1%", 8, 100, true),
            ("10%", 11, 100, false),
            ("10%", 9, 20, false),
            ("10%", 11, 20, true),
            ("10%", 110_000, 1_000_000, true),
            ("0%", 1, 1_000_000, true),
            ("0%", 0, 10, false),
            ("100%", 10, 10, false),
            ("1%", 0, 0, false),
        ] {
            let limit = Percentage::parse(limit).unwrap();
            assert_eq!(
                limit.is_surely_exceeded_by(some, all),
                is_sure,
                "{some}/{all} {limit}"
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
