//! Findings about a configuration: each with its place, the expected value and a suggestion.

use std::fmt::Display;
use std::ops::Range;

/// The fault of a list that must have an item.
pub const EMPTY_LIST: &str = "the list is empty";

/// The place of a typed value, without the text of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigPlace {
    /// Bytes of the file.
    Span(Range<usize>),
    /// A flag or variable and its value.
    Argument {
        /// The flag or variable: `--listen`, `CALENDAR_EDGE_LISTEN`.
        name: String,
        /// The value.
        text: String,
    },
    /// Nowhere.
    Absent,
}

/// The problems found so far.
#[derive(Debug, Default)]
pub struct ConfigProblems(Vec<(ConfigPlace, ConfigFinding)>);

/// A problem, apart from its place.
#[derive(Debug)]
pub struct ConfigFinding {
    /// The problem itself, in a sentence.
    pub message: String,
    /// A description of valid values.
    pub expected: Option<String>,
    /// A suggestion.
    pub help: Option<String>,
}

// === impl ConfigFinding ===

impl ConfigFinding {
    /// A problem in a sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            expected: None,
            help: None,
        }
    }

    /// A required key that is missing.
    pub fn missing(key: &str) -> Self {
        Self::new(format!("`{key}` is missing"))
    }

    /// A value of another type, which is named with its article.
    pub fn wrong_type(key: &str, found: &str) -> Self {
        Self::new(format!("wrong type for `{key}`: found {found}"))
    }

    /// A value of the right type that is out of bounds or malformed.
    pub fn bad_value(key: &str) -> Self {
        Self::new(format!("invalid value for `{key}`"))
    }

    /// A well-formed value that the setting cannot have.
    pub fn impossible(key: &str, reason: impl Display) -> Self {
        Self::new(format!("`{key}`: {reason}"))
    }

    /// Describes valid values.
    #[must_use]
    pub fn expected(self, expected: impl Into<String>) -> Self {
        Self {
            expected: Some(expected.into()),
            ..self
        }
    }

    /// Adds a suggestion.
    #[must_use]
    pub fn help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }
}

/// A value that stands in two places where each has its own.
pub fn listed_twice(key: &str, value: &str) -> ConfigFinding {
    ConfigFinding::impossible(key, format!("`{value}` is listed twice"))
}

/// The reason of a setting that another one makes idle.
pub fn no_effect_beside(key: &str) -> String {
    format!("it has no effect beside `{key}`")
}

// === impl ConfigProblems ===

impl ConfigProblems {
    /// Records a problem.
    pub fn add(&mut self, place: &ConfigPlace, finding: ConfigFinding) {
        self.0.push((place.clone(), finding));
    }

    /// True if there is no problem so far.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The problems, in the order of the file, then those of flags and variables.
    pub fn in_order(mut self) -> Vec<(ConfigPlace, ConfigFinding)> {
        self.0.sort_by_key(|(place, _)| match place {
            ConfigPlace::Span(span) => (0, span.start),
            ConfigPlace::Argument { .. } => (1, 0),
            ConfigPlace::Absent => (2, 0),
        });
        self.0
    }

    /// The subjects of the problems, without their places.
    #[cfg(test)]
    pub(crate) fn messages(self) -> Vec<String> {
        let problems = self.in_order().into_iter();
        problems.map(|(_, finding)| finding.message).collect()
    }
}
