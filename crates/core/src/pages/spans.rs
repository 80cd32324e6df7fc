//! Times of events, and which of them touch a time.

use crate::companion::facts::WallSpan;

/// The times of some events, ready to be searched.
#[derive(Debug, Clone, Default)]
pub(super) struct Spans {
    /// By their beginnings, each with the last end of all spans up to it.
    begun: Vec<(i64, i64)>,
    /// The ends, in order.
    ends: Vec<i64>,
}

// === impl Spans ===

impl Spans {
    pub(super) fn new(spans: impl IntoIterator<Item = WallSpan>) -> Self {
        let mut begun: Vec<(i64, i64)> = spans.into_iter().map(|span| (span.start, span.end)).collect();
        begun.sort_unstable();
        let mut ends: Vec<i64> = begun.iter().map(|(_, end)| *end).collect();
        ends.sort_unstable();
        let mut last = i64::MIN;
        for (_, end) in &mut begun {
            last = last.max(*end);
            *end = last;
        }
        Self { begun, ends }
    }

    /// True if one of them has begun at or before the end of a span and ends at or behind its start.
    pub(super) fn touch(&self, span: WallSpan) -> bool {
        let begun = self.begun.partition_point(|(start, _)| *start <= span.end);
        let last = begun.checked_sub(1).and_then(|last| self.begun.get(last));
        last.is_some_and(|(_, end)| *end >= span.start)
    }

    /// The number of them that end at or behind a time.
    pub(super) fn count_from(&self, time: i64) -> usize {
        self.ends.len() - self.ends.partition_point(|end| *end < time)
    }

    /// From the first beginning to the last end; none without any.
    pub(super) fn whole(&self) -> Option<WallSpan> {
        let start = self.begun.first()?.0;
        let end = *self.ends.last()?;
        Some(WallSpan { start, end })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(start: i64, end: i64) -> WallSpan {
        WallSpan { start, end }
    }

    proptest! {
        #[test]
        fn a_search_finds_what_a_look_at_each_finds(
            spans in proptest::collection::vec((-20i64..20, 0i64..15), 0..12),
            (start, length) in (-25i64..25, 0i64..10),
        ) {
            let spans: Vec<WallSpan> = spans.iter().map(|(start, length)| span(*start, start + length)).collect();
            let asked = span(start, start + length);
            let found = Spans::new(spans.iter().copied());
            let touch = |other: &&WallSpan| other.start <= asked.end && other.end >= asked.start;
            prop_assert_eq!(found.touch(asked), spans.iter().any(|other| touch(&other)));
            prop_assert_eq!(found.count_from(start), spans.iter().filter(|other| other.end >= start).count());
            let first = spans.iter().map(|other| other.start).min();
            prop_assert_eq!(found.whole().map(|whole| whole.start), first);
        }
    }
}
