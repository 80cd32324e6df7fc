//! Problems of a configuration: each with its place, the expected value and a suggestion.

use std::fmt::{self, Display};
use std::ops::Range;

use super::excerpt::Excerpt;

/// A configuration that cannot be used, with all of its problems.
#[derive(Debug)]
pub struct ConfigError {
    /// The problems with their places, in the order of the file, then those of flags and variables; at least one.
    pub(super) problems: Vec<(Location, ConfigFinding)>,
}

/// The place of a typed value.
#[derive(Debug)]
pub enum Location {
    /// In a file.
    File {
        /// The file's name.
        name: String,
        /// Line and column.
        excerpt: Excerpt,
    },
    /// Nowhere in a file: it is missing, or there is no file.
    Whole {
        /// The file's name, if there is a file.
        name: Option<String>,
    },
    /// On the command line or in the environment.
    Argument {
        /// The flag or variable: `--listen`, `CALENDAR_EDGE_LISTEN`.
        name: String,
        /// Its value.
        text: String,
    },
}

/// Why a list that must have an item is impossible.
pub(super) const EMPTY_LIST: &str = "the list is empty";

/// The place of a typed value, without the text of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConfigPlace {
    /// Bytes of the file.
    Span(Range<usize>),
    /// A flag or variable and its value.
    Argument { name: String, text: String },
    /// Nowhere.
    Absent,
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(super) struct ConfigProblems(Vec<(ConfigPlace, ConfigFinding)>);

/// A problem, apart from its place.
#[derive(Debug)]
pub(super) struct ConfigFinding {
    /// The problem itself, in a sentence.
    message: String,
    /// A description of valid values.
    expected: Option<String>,
    /// A suggestion.
    help: Option<String>,
}

// === impl ConfigFinding ===

impl ConfigFinding {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            expected: None,
            help: None,
        }
    }

    /// A required key that is missing.
    pub(super) fn missing(key: &str) -> Self {
        Self::new(format!("`{key}` is missing"))
    }

    /// A value of another type, which is named with its article.
    pub(super) fn wrong_type(key: &str, found: &str) -> Self {
        Self::new(format!("wrong type for `{key}`: found {found}"))
    }

    /// A value of the right type that is out of bounds or malformed.
    pub(super) fn bad_value(key: &str) -> Self {
        Self::new(format!("invalid value for `{key}`"))
    }

    /// A well-formed value that the setting cannot have.
    pub(super) fn impossible(key: &str, reason: impl Display) -> Self {
        Self::new(format!("`{key}`: {reason}"))
    }

    /// Describes valid values.
    pub(super) fn expected(self, expected: impl Into<String>) -> Self {
        Self {
            expected: Some(expected.into()),
            ..self
        }
    }

    /// Adds a suggestion.
    pub(super) fn help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }
}

/// A value that stands in two places where each has its own.
pub(super) fn listed_twice(key: &str, value: &str) -> ConfigFinding {
    ConfigFinding::impossible(key, format!("`{value}` is listed twice"))
}

/// The reason of a setting that another one makes idle.
pub(super) fn no_effect_beside(key: &str) -> String {
    format!("it has no effect beside `{key}`")
}

// === impl ConfigProblems ===

impl ConfigProblems {
    /// Records a problem.
    pub(super) fn add(&mut self, place: &ConfigPlace, finding: ConfigFinding) {
        self.0.push((place.clone(), finding));
    }

    /// True if there is no problem so far.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The error, with line and column looked up in the file's text.
    pub(super) fn into_error(mut self, file: Option<(&str, &str)>) -> ConfigError {
        self.0.sort_by_key(|(place, _)| match place {
            ConfigPlace::Span(span) => (0, span.start),
            ConfigPlace::Argument { .. } => (1, 0),
            ConfigPlace::Absent => (2, 0),
        });
        let problems = self.0.into_iter();
        ConfigError {
            problems: problems
                .map(|(place, finding)| (Location::new(place, file), finding))
                .collect(),
        }
    }
}

// === impl Location ===

impl Location {
    fn new(place: ConfigPlace, file: Option<(&str, &str)>) -> Self {
        match (place, file) {
            (ConfigPlace::Span(span), Some((name, text))) => Self::File {
                name: name.to_owned(),
                excerpt: Excerpt::new(text, span),
            },
            (ConfigPlace::Argument { name, text }, _) => Self::Argument { name, text },
            (ConfigPlace::Absent | ConfigPlace::Span(_), _) => Self::Whole {
                name: file.map(|(name, _)| name.to_owned()),
            },
        }
    }
}

// === impl ConfigError ===

impl ConfigError {
    /// The places of the problems, in the order of the file, then those of flags and variables; at least one.
    pub fn places(&self) -> impl Iterator<Item = &Location> {
        self.problems.iter().map(|(place, _)| place)
    }

    /// An error about a file as a whole.
    pub(super) fn about_file(name: &str, message: String) -> Self {
        let mut problems = ConfigProblems::default();
        problems.add(&ConfigPlace::Absent, ConfigFinding::new(message));
        problems.into_error(Some((name, "")))
    }
}

impl Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (location, finding) in &self.problems {
            finding.render(location, out)?;
            writeln!(out)?;
        }
        match self.problems.len() {
            1 => write!(out, "1 problem in the configuration"),
            count => write!(out, "{count} problems in the configuration"),
        }
    }
}

impl std::error::Error for ConfigError {}

impl ConfigFinding {
    fn render(&self, location: &Location, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "error: {}", self.message)?;
        let margin = location.render(out)?;
        if let Some(expected) = &self.expected {
            writeln!(out, "{margin} = expected: {expected}")?;
        }
        if let Some(help) = &self.help {
            writeln!(out, "{margin} = help: {help}")?;
        }
        Ok(())
    }
}

impl Location {
    /// Writes the place and gives the margin for the lines below it.
    fn render(&self, out: &mut fmt::Formatter<'_>) -> Result<String, fmt::Error> {
        match self {
            Self::File { name, excerpt } => {
                let number = excerpt.line.to_string();
                let margin = " ".repeat(number.len());
                writeln!(out, "{margin}--> {name}:{number}:{}", excerpt.column)?;
                writeln!(out, "{margin} |")?;
                writeln!(out, "{number} | {}", excerpt.shown())?;
                writeln!(out, "{margin} | {}", excerpt.carets())?;
                Ok(margin)
            }
            Self::Whole { name } => {
                if let Some(name) = name {
                    writeln!(out, " --> {name}")?;
                }
                Ok(" ".to_owned())
            }
            Self::Argument { name, text } => {
                let excerpt = Excerpt::new(text, 0..text.len());
                writeln!(out, " --> {name}")?;
                writeln!(out, "  |")?;
                writeln!(out, "  | {}", excerpt.shown())?;
                writeln!(out, "  | {}", excerpt.carets())?;
                Ok(" ".to_owned())
            }
        }
    }
}
