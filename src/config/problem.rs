//! Problems of a configuration: each with its place, the expected value and a suggestion.

use std::fmt;
use std::io;
use std::ops::Range;

use thiserror::Error;

use super::excerpt::Excerpt;
use calendar_edge_core::settings::HeaderLineFault;
use calendar_edge_core::settings::{NoBasicAuth, NoStorePassword, ShortSecret};

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
        reason: Impossible,
    },
    /// A required key is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
}

/// The reason why a setting cannot have a well-formed value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Impossible {
    /// A user name or password in a URL would appear in logs.
    #[error("a URL must not contain a user name or a password")]
    Credentials,
    /// A REST root is a path; plain permalinks (`?rest_route=`) are not supported.
    #[error("a URL must not contain a query or a fragment")]
    QueryOrFragment,
    /// Roots have their own paths.
    #[error("this URL must not contain a path")]
    Path,
    /// The same item occurs twice.
    #[error("`{0}` is listed twice")]
    Duplicate(String),
    /// The list is empty.
    #[error("the list is empty")]
    Empty,
    /// Two listeners share an address.
    #[error("another listener uses {0}")]
    ListenerOverlap(String),
    /// The edge would forward requests to itself.
    #[error("this URL leads to the edge's own listener {0}")]
    OriginIsEdge(String),
    /// Every connection would be refused.
    #[error("`trusted_proxies` is empty")]
    NobodyTrusted,
    /// The operator configured TLS, but clients would connect without it.
    #[error("no listener uses TLS")]
    NoTlsListener,
    /// Requests for the public host would get 421.
    #[error("the list does not contain `{0}`, the host of `public_url`")]
    PublicHostMissing(String),
    /// One public path would have two meanings.
    #[error("`{0}` and `{1}` match the same paths")]
    Ambiguous(String, String),
    /// The name of a backend is taken, or is no name.
    #[error("`{0}` cannot be the name of a backend")]
    BackendName(String),
    /// A rule names a backend that is not configured.
    #[error("there is no [backends.{0}]")]
    UnknownBackend(String),
    /// Steps that do not grow.
    #[error("each step must be larger than the one before")]
    StepsShrink,
    /// Nothing would stop the steps.
    #[error("steps need a guard")]
    StepsWithoutGuard,
    /// Two settings of one thing.
    #[error("it has no effect beside `{0}`")]
    Beside(&'static str),
    /// No preset has the name.
    #[error("there is no preset {0}")]
    UnknownPreset(String),
    /// A rule for the rest of the site names the calendar.
    #[error("`{0}` is the calendar, to which no rule of the rest of the site applies")]
    CalendarRoute(String),
    /// Nothing is kept that the feed could ask.
    #[error("the feed needs the cache: `cache.enabled` is false")]
    FeedWithoutCache,
    /// Records would be written to one store and read from another.
    #[error("the rule splits records between two stores: {0}")]
    SplitStores(String),
    /// The parameter is forwarded in any case.
    #[error("`{0}` is already a parameter of the API")]
    Declared(String),
    /// PATCH is a method of updates.
    #[error("`{0}` is not an update, so nobody sends it a PATCH")]
    NoUpdate(String),
    /// The setting names a file that cannot be read.
    #[error("the file cannot be read: {0}")]
    UnreadableFile(String),
    /// The file holds too little.
    #[error(transparent)]
    ShortSecret(ShortSecret),
    /// The file holds the secret of another setting.
    #[error("the file holds the secret of the site, of the fleet or of another backend")]
    SharedSecret,
    /// Credentials become identities, which nothing would sign.
    #[error("identities need `identity_secret_file`")]
    IdentityWithoutSecret,
    /// The file holds no headers.
    #[error(transparent)]
    HeaderLine(HeaderLineFault),
    /// The file holds no credentials.
    #[error(transparent)]
    NoBasicAuth(NoBasicAuth),
    /// The file holds no password.
    #[error(transparent)]
    NoStorePassword(NoStorePassword),
    /// The file holds no private key.
    #[error("the file holds no private key in PEM form")]
    NoPrivateKey,
    /// Addresses of different kinds, or several of one server.
    #[error("several addresses are Sentinels, or nodes of a cluster with `fleet.cluster`")]
    SeveralStores,
    /// A cluster has one database.
    #[error("a cluster has no database but 0")]
    ClusterDatabase,
    /// The file holds no certificates.
    #[error("the file holds no certificates in PEM form")]
    NoCertificates,
    /// The program was built without the feature that the setting needs.
    #[error("this program was built without the feature `{0}`")]
    NotBuiltIn(&'static str),
    /// With https a connection to another address needs a name to check the certificate by.
    #[error("with https the host must be a name, because connections go to {0}")]
    AddressForName(String),
    /// The parameter would change the meaning of a request.
    #[error("`{0}` is never forwarded as a parameter")]
    NeverForwarded(String),
}

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
    pub(super) fn impossible(key: impl Into<String>, reason: Impossible) -> Self {
        let key = key.into();
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
