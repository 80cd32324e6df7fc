//! Pages of a list.

use crate::site_call::Call;

/// The largest page; more is silently cut down to it.
const LARGEST: u64 = 50;

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page {
    /// The number, from 1.
    pub(super) number: u64,
    /// Items on a full page.
    pub(super) size: u64,
}

// === impl Page ===

impl Page {
    /// The page that a call asks for.
    pub(super) fn of(call: &Call) -> Self {
        Self {
            number: call.number("page").unwrap_or(1),
            size: call.number("per_page").unwrap_or(10).min(LARGEST),
        }
    }

    /// The items of this page among all items.
    pub(super) fn cut<T>(self, items: Vec<T>) -> Vec<T> {
        let before = self.size.saturating_mul(self.number - 1);
        let skip = usize::try_from(before).unwrap_or(usize::MAX);
        let take = usize::try_from(self.size).unwrap_or(usize::MAX);
        items.into_iter().skip(skip).take(take).collect()
    }

    /// How many pages there are for that many items.
    pub(super) fn count(self, items: usize) -> u64 {
        u64::try_from(items).unwrap_or(u64::MAX).div_ceil(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_pages_and_survives_absurd_ones() {
        let page = |number| Page { number, size: 3 };
        assert_eq!(page(2).cut((0..7).collect()), [3, 4, 5]);
        assert_eq!(page(3).cut((0..7).collect()), [6]);
        assert!(page(u64::MAX).cut((0..7).collect()).is_empty());
        assert_eq!((page(1).count(7), page(1).count(0)), (3, 0));
    }
}
