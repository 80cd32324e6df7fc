//! Operations by name: one, all of a kind, or all.

use std::fmt;

use calendar_edge_judge::contract::table;

/// Names of operations: `events.list`, `venues.*`, `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationPattern(String);

// === impl OperationPattern ===

impl OperationPattern {
    /// Reads a pattern; none if it matches no operation of the table.
    pub fn parse(text: &str) -> Option<Self> {
        let pattern = Self(text.to_owned());
        let mut rows = table().operations().iter();
        rows.any(|row| pattern.matches(&row.name)).then_some(pattern)
    }

    /// Returns true for an operation with this name.
    pub fn matches(&self, name: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some("") => true,
            Some(beginning) => beginning.ends_with('.') && name.starts_with(beginning),
            None => self.0 == name,
        }
    }
}

impl fmt::Display for OperationPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_operations_that_exist() {
        for (text, matched) in [
            ("events.list", Some("events.list")),
            ("events.*", Some("events.by-slug.read")),
            ("events.by-slug.*", Some("events.by-slug.read")),
            ("*", Some("index")),
            ("event*", None),
            ("events", None),
            ("nope.*", None),
            ("", None),
        ] {
            let pattern = OperationPattern::parse(text);
            assert_eq!(pattern.is_some(), matched.is_some(), "{text}");
            if let (Some(pattern), Some(name)) = (pattern, matched) {
                assert!(pattern.matches(name), "{text}");
            }
        }
        assert!(
            !OperationPattern::parse("events.*")
                .unwrap()
                .matches("venues.list")
        );
    }
}
