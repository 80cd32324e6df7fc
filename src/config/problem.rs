//! Problems of a configuration: each with its place, the expected value and a suggestion.

use std::fmt;
use std::io;
use std::ops::Range;

use thiserror::Error;

use super::excerpt::Excerpt;

/// A configuration that cannot be used, with all of its problems.
#[derive(Debug)]
pub struct ConfigError {
    /// The problems in the order of the file, then those of flags and variables; at least one.
    pub problems: Vec<ConfigProblem>,
}

/// One problem.
#[derive(Debug)]
pub struct ConfigProblem {
    /// Its place.
    pub location: Location,
    /// The problem itself.
    pub complaint: Complaint,
    /// A description of valid values.
    pub expected: Option<String>,
    /// A suggestion.
    pub help: Option<String>,
}

/// The place of a typed value.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// A problem without its place.
#[derive(Debug, Error)]
pub enum Complaint {
    /// The file is not TOML.
    #[error("{0}")]
    Syntax(String),
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// The file is not text.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// A text names an environment variable that is not set, or empty.
    #[error("the variable `{0}` is not set")]
    UnsetVariable(String),
    /// A text begins a reference to an environment variable that does not end, or names none.
    #[error("`${{` without the name of a variable and `}}`")]
    NoVariable,
    /// There is no such key.
    #[error("unknown key `{0}`")]
    UnknownKey(String),
    /// There is no such operation.
    #[error("unknown operation `{0}`")]
    UnknownOperation(String),
    /// A string instead of a number, for example.
    #[error("wrong type for `{key}`: found {found}")]
    WrongType {
        /// The full name of the key.
        key: String,
        /// The type of the value, with its article.
        found: &'static str,
    },
    /// The type is right, but the value is out of bounds or malformed.
    #[error("invalid value for `{0}`")]
    BadValue(String),
    /// The value is well formed, but the setting cannot have it.
    #[error("`{key}`: {reason}")]
    Impossible {
        /// The full name of the key.
        key: String,
        /// The reason.
        reason: String,
    },
    /// A required key is missing.
    #[error("`{0}` is missing")]
    Missing(String),
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

/// A problem before its place is looked up.
#[derive(Debug)]
pub(super) struct ConfigFinding {
    complaint: Complaint,
    expected: Option<String>,
    help: Option<String>,
}

// === impl Complaint ===

impl Complaint {
    pub(super) fn missing(key: &str) -> Self {
        Self::Missing(key.to_owned())
    }
}

// === impl ConfigFinding ===

impl From<Complaint> for ConfigFinding {
    fn from(complaint: Complaint) -> Self {
        Self {
            complaint,
            expected: None,
            help: None,
        }
    }
}

impl ConfigFinding {
    /// A well-formed value that the setting cannot have.
    pub(super) fn impossible(key: &str, reason: impl Into<String>) -> Self {
        let (key, reason) = (key.to_owned(), reason.into());
        Complaint::Impossible { key, reason }.into()
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
    pub(super) fn add(&mut self, place: &ConfigPlace, finding: impl Into<ConfigFinding>) {
        self.0.push((place.clone(), finding.into()));
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
        let problem = |(place, finding): (ConfigPlace, ConfigFinding)| ConfigProblem {
            location: Location::new(place, file),
            complaint: finding.complaint,
            expected: finding.expected,
            help: finding.help,
        };
        ConfigError {
            problems: self.0.into_iter().map(problem).collect(),
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
    /// An error about a file as a whole.
    pub(super) fn about_file(name: &str, complaint: Complaint) -> Self {
        let mut problems = ConfigProblems::default();
        problems.add(&ConfigPlace::Absent, complaint);
        problems.into_error(Some((name, "")))
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(out, "{problem}")?;
        }
        match self.problems.len() {
            1 => write!(out, "1 problem in the configuration"),
            count => write!(out, "{count} problems in the configuration"),
        }
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "error: {}", self.complaint)?;
        let margin = self.location.render(out)?;
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
