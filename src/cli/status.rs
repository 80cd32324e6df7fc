//! How the program ends: exit statuses and the words on standard error.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use calendar_edge::config::ConfigError;

/// An exit status, as `sysexits.h` numbers those above 63.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// All went well.
    Success,
    /// `check` found differences; any other command: something failed on the way.
    Failure,
    /// `check` could not do its work: the configuration is bad or the origin cannot be reached.
    Unusable,
    /// The command line is wrong.
    Usage,
    /// The configuration is wrong.
    Configuration,
}

/// A mistake on the command line that clap cannot see.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("{0}")]
pub(super) struct Misuse(pub(super) &'static str);

/// A broken pipe is the reader's wish to stop, a bad configuration has its own status.
pub(crate) fn complain(error: &anyhow::Error) -> Status {
    if is_broken_pipe(error) {
        return Status::Success;
    }
    let status = if error.is::<ConfigError>() {
        Status::Configuration
    } else if error.is::<Misuse>() {
        Status::Usage
    } else {
        Status::Failure
    };
    tell(&format!("{error:#}"));
    status
}

/// Writes to standard error; where even that fails, nobody can be told.
pub(super) fn tell(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

// === impl Status ===

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Success => 0,
            Status::Failure => 1,
            Status::Unusable => 2,
            Status::Usage => 64,
            Status::Configuration => 78,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_stops_is_no_failure() {
        let error = anyhow::Error::from(io::Error::from(ErrorKind::BrokenPipe)).context("writing");
        assert_eq!(complain(&error), Status::Success);
    }
}
