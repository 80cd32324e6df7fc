//! What is wrong with a configuration: every problem with its place, what was expected and what was meant.

use std::fmt;
use std::io;
use std::ops::Range;

use thiserror::Error;

use super::excerpt::Excerpt;

/// A configuration that cannot be used; all of its problems at once.
#[derive(Debug)]
pub struct ConfigError {
    /// The problems in the order of the file, then those of flags and environment; at least one.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Debug)]
pub struct Problem {
    /// Where it was typed.
    pub location: Location,
    /// What is wrong.
    pub complaint: Complaint,
    /// What would have been right.
    pub expected: Option<String>,
    /// What was probably meant.
    pub help: Option<String>,
}

/// Where something was typed.
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

/// What is wrong, without the place.
#[derive(Debug, Error)]
pub enum Complaint {
    /// The file is no TOML.
    #[error("{0}")]
    Syntax(String),
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// The file is no text.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// No such setting.
    #[error("unknown key `{0}`")]
    UnknownKey(String),
    /// No such operation.
    #[error("unknown operation `{0}`")]
    UnknownOperation(String),
    /// Text where a number is due, and the like.
    #[error("wrong type for `{key}`: {found}")]
    WrongType {
        /// The full name of the key.
        key: String,
        /// The kind of value found, with its article.
        found: &'static str,
    },
    /// The right type, but no value that the setting can have.
    #[error("`{0}` cannot have this value")]
    BadValue(String),
    /// A value that means something, but not something that is possible.
    #[error("`{key}`: {reason}")]
    Impossible {
        /// The full name of the key.
        key: String,
        /// Why not.
        reason: Impossible,
    },
    /// A setting without which nothing works.
    #[error("`{0}` is missing")]
    Missing(&'static str),
}

/// Why a well-formed value cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Impossible {
    /// A user name or password in a URL ends in logs.
    #[error("an address must not carry a user name or password")]
    Credentials,
    /// A REST root is a path; plain permalinks (`?rest_route=`) are none.
    #[error("an address must not have a query or a fragment")]
    QueryOrFragment,
    /// Roots have their own paths.
    #[error("only scheme, host and port belong here, no path")]
    Path,
    /// Twice the same.
    #[error("`{0}` is listed twice")]
    Duplicate(String),
    /// The list is empty.
    #[error("the list is empty")]
    Empty,
    /// Two listeners on one address.
    #[error("{0} is in use by another listener")]
    ListenerOverlap(String),
    /// The edge would talk to itself.
    #[error("the origin is the edge's own listener {0}")]
    OriginIsEdge(String),
    /// Every connection would be refused.
    #[error("`trusted_proxies` is empty")]
    NobodyTrusted,
    /// Clients would be served in clear text by an operator who asked for TLS.
    #[error("no listener speaks TLS")]
    NoTlsListener,
    /// The public host would be answered with 421.
    #[error("the host of `public_url`, `{0}`, is not listed")]
    PublicHostMissing(String),
    /// One public path would mean two things.
    #[error("`{0}` and `{1}` cannot be told apart")]
    Ambiguous(String, String),
    /// The part cannot be larger than the whole.
    #[error("it is larger than `{0}`")]
    LargerThan(&'static str),
    /// The parameter is forwarded anyway.
    #[error("`{0}` is a parameter of the API already")]
    Declared(String),
    /// The parameter would change what a request means.
    #[error("`{0}` is never forwarded as a parameter")]
    NeverForwarded(String),
}

/// Where something was typed, before the text is at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Bytes of the file.
    Span(Range<usize>),
    /// A flag or variable and its value.
    Argument { name: String, text: String },
    /// Nowhere.
    Absent,
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<(Place, Finding)>);

/// A problem without its place.
#[derive(Debug)]
pub(super) struct Finding {
    complaint: Complaint,
    expected: Option<String>,
    help: Option<String>,
}

// === impl Finding ===

impl From<Complaint> for Finding {
    fn from(complaint: Complaint) -> Self {
        Self {
            complaint,
            expected: None,
            help: None,
        }
    }
}

impl Finding {
    /// A well-formed value that cannot be.
    pub(super) fn impossible(key: impl Into<String>, reason: Impossible) -> Self {
        let key = key.into();
        Complaint::Impossible { key, reason }.into()
    }

    /// Says what would have been right.
    pub(super) fn expected(self, expected: impl Into<String>) -> Self {
        Self {
            expected: Some(expected.into()),
            ..self
        }
    }

    /// Says what was probably meant.
    pub(super) fn help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }
}

// === impl Problems ===

impl Problems {
    /// Notes a problem.
    pub(super) fn add(&mut self, place: &Place, finding: impl Into<Finding>) {
        self.0.push((place.clone(), finding.into()));
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The error, with places looked up in the file's text.
    pub(super) fn into_error(mut self, file: Option<(&str, &str)>) -> ConfigError {
        self.0.sort_by_key(|(place, _)| match place {
            Place::Span(span) => (0, span.start),
            Place::Argument { .. } => (1, 0),
            Place::Absent => (2, 0),
        });
        let problem = |(place, finding): (Place, Finding)| Problem {
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
    fn new(place: Place, file: Option<(&str, &str)>) -> Self {
        match (place, file) {
            (Place::Span(span), Some((name, text))) => Self::File {
                name: name.to_owned(),
                excerpt: Excerpt::new(text, span),
            },
            (Place::Argument { name, text }, _) => Self::Argument { name, text },
            (Place::Absent | Place::Span(_), _) => Self::Whole {
                name: file.map(|(name, _)| name.to_owned()),
            },
        }
    }
}

// === impl ConfigError ===

impl ConfigError {
    /// An error about a file as a whole.
    pub(super) fn about_file(name: &str, complaint: Complaint) -> Self {
        let mut problems = Problems::default();
        problems.add(&Place::Absent, complaint);
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

impl fmt::Display for Problem {
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
