//! Generations of the plugin: versions in which verdicts on the same request changed.

use super::event_ids::EventIds;
use super::published::PublishedIndex;
use super::table::table;

/// A version of the plugin that changed verdicts, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// 5.16.4: the argument `ticketed` of event lists.
    V5_16_4,
    /// 6.0.2: the arguments `starts_before`, `starts_after`, `ends_before`, `ends_after` and `strict_dates`.
    V6_0_2,
    /// 6.5.0.1: the argument `password` of single events.
    V6_5_0_1,
    /// 6.17.2: the id of a single event needs only the form of a number. Before, it must be the id of an event.
    V6_17_2,
}

/// The generations that a site may belong to, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Generations {
    /// The site's plugin is of this version or later; none: not known.
    pub from: Option<Generation>,
    /// The site's plugin is older than this version; none: not known.
    pub before: Option<Generation>,
}

/// Arguments that not every version has: the version that brought them, their operation, their name. Their
/// publication tells the generation.
const YOUNGER: [(Generation, &str, &str); 9] = [
    (Generation::V5_16_4, "events.list", "ticketed"),
    (Generation::V6_0_2, "events.list", "starts_before"),
    (Generation::V6_0_2, "events.list", "starts_after"),
    (Generation::V6_0_2, "events.list", "ends_before"),
    (Generation::V6_0_2, "events.list", "ends_after"),
    (Generation::V6_0_2, "events.list", "strict_dates"),
    (Generation::V6_5_0_1, "events.read", "password"),
    (Generation::V6_5_0_1, "events.update", "password"),
    (Generation::V6_5_0_1, "events.delete", "password"),
];

/// Returns true for an argument that some versions of the plugin do not have.
pub(super) fn is_younger(operation: &str, argument: &str) -> bool {
    let mut younger = YOUNGER.iter();
    younger.any(|(_, known, name)| *known == operation && *name == argument)
}

// === impl Generation ===

impl Generation {
    /// The version that begins this generation: `6.0.2`.
    pub const fn version(self) -> &'static str {
        match self {
            Self::V5_16_4 => "5.16.4",
            Self::V6_0_2 => "6.0.2",
            Self::V6_5_0_1 => "6.5.0.1",
            Self::V6_17_2 => "6.17.2",
        }
    }
}

// === impl Generations ===

impl Generations {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self {
        from: None,
        before: None,
    };

    /// What an index tells. Contradicting signs, as another plugin may leave them, tell nothing.
    pub(super) fn of(index: &PublishedIndex) -> Self {
        let mut known = Self::UNKNOWN;
        for (generation, operation, argument) in YOUNGER {
            let operation = table().named(operation);
            match operation.and_then(|operation| index.publishes(operation, argument)) {
                Some(true) => known.from = known.from.max(Some(generation)),
                Some(false) => {
                    known.before = Some(known.before.map_or(generation, |old| old.min(generation)));
                }
                None => {}
            }
        }
        if known.contradicts() {
            known = Self::UNKNOWN;
        }
        match index.event_ids() {
            Some(EventIds::Numeric) => Self {
                from: Some(Generation::V6_17_2),
                before: None,
            },
            Some(EventIds::Existing) => Self {
                before: Some(known.before.unwrap_or(Generation::V6_17_2)),
                ..known
            },
            None => known,
        }
    }

    /// Returns true if the site's plugin has what this version brought; none: not known.
    pub fn have(self, generation: Generation) -> Option<bool> {
        if self.from >= Some(generation) {
            return Some(true);
        }
        self.before.filter(|before| *before <= generation).map(|_| false)
    }

    /// How the site checks the ids of single events; none: not known.
    pub fn event_ids(self) -> Option<EventIds> {
        self.have(Generation::V6_17_2).map(|is_new| {
            if is_new {
                EventIds::Numeric
            } else {
                EventIds::Existing
            }
        })
    }

    fn contradicts(self) -> bool {
        matches!((self.from, self.before), (Some(from), Some(before)) if from >= before)
    }
}

impl std::fmt::Display for Generations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (from, before) = (
            self.from.map(Generation::version),
            self.before.map(Generation::version),
        );
        match (from, before) {
            (None, None) => f.write_str("unknown"),
            (Some(from), None) => write!(f, "{from} or later"),
            (None, Some(before)) => write!(f, "before {before}"),
            (Some(from), Some(before)) => write!(f, "{from} or later, before {before}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_shown_in_words() {
        let show = |from, before| Generations { from, before }.to_string();
        let (old, new) = (Some(Generation::V6_0_2), Some(Generation::V6_17_2));
        assert_eq!(show(None, None), "unknown");
        assert_eq!(show(old, None), "6.0.2 or later");
        assert_eq!(show(None, old), "before 6.0.2");
        assert_eq!(show(old, new), "6.0.2 or later, before 6.17.2");
    }
}
