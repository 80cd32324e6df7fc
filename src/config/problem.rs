//! Problems of a configuration: each with its place, the expected value and a suggestion.

use std::fmt::{self, Display};

use super::excerpt::Excerpt;
use calendar_edge_core::settings::{ConfigFinding, ConfigPlace, ConfigProblems};

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

    /// The error, with line and column looked up in the file's text.
    pub(super) fn of(problems: ConfigProblems, file: Option<(&str, &str)>) -> Self {
        let problems = problems.in_order().into_iter();
        Self {
            problems: problems
                .map(|(place, finding)| (Location::new(place, file), finding))
                .collect(),
        }
    }

    /// An error about a file as a whole.
    pub(super) fn about_file(name: &str, message: String) -> Self {
        let mut problems = ConfigProblems::default();
        problems.add(&ConfigPlace::Absent, ConfigFinding::new(message));
        Self::of(problems, Some((name, "")))
    }
}

impl Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (location, finding) in &self.problems {
            render(finding, location, out)?;
            writeln!(out)?;
        }
        match self.problems.len() {
            1 => write!(out, "1 problem in the configuration"),
            count => write!(out, "{count} problems in the configuration"),
        }
    }
}

impl std::error::Error for ConfigError {}

fn render(finding: &ConfigFinding, location: &Location, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(out, "error: {}", finding.message)?;
    let margin = location.render(out)?;
    if let Some(expected) = &finding.expected {
        writeln!(out, "{margin} = expected: {expected}")?;
    }
    if let Some(help) = &finding.help {
        writeln!(out, "{margin} = help: {help}")?;
    }
    Ok(())
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
                writeln!(out, "{number} | {}", excerpt.shown)?;
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
                writeln!(out, "  | {}", excerpt.shown)?;
                writeln!(out, "  | {}", excerpt.carets())?;
                Ok(" ".to_owned())
            }
        }
    }
}
