//! Exit statuses, and messages on standard error.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use calendar_edge::app::{InheritError, StartError};
use calendar_edge::config::ConfigError;
use calendar_edge::telemetry::LogError;
use calendar_edge_core::survey::LineKind;

use super::runtime::NoThreads;

/// An exit status; those above 63 have the numbers of `sysexits.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Success.
    Success,
    /// `check` or `migration` found differences, or another command failed.
    Failure,
    /// `check`, `migration` or `init` could not run: the service that they query cannot be used.
    Unusable,
    /// `explain` shows a refusal.
    Refused,
    /// The command line is invalid.
    Usage,
    /// The configuration is invalid, or a file that it names.
    Configuration,
}

/// A mistake on the command line that clap cannot detect.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("{0}")]
pub(super) struct Misuse(pub(super) &'static str);

/// Reports an error and returns its status. A broken pipe is a success: the reader has stopped reading.
pub(crate) fn complain(error: &anyhow::Error) -> Status {
    if is_broken_pipe(error) {
        return Status::Success;
    }
    let status = if is_about_configuration(error) {
        Status::Configuration
    } else if error.is::<Misuse>() {
        Status::Usage
    } else {
        Status::Failure
    };
    print_error(&format!("{error:#}"));
    status
}

/// The result of a command that has a status of its own for what it could not do; none after a reported failure.
///
/// # Errors
/// A mistake on the command line or in the configuration.
pub(super) fn could_not_run<T>(result: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
    match result {
        Ok(result) => Ok(Some(result)),
        Err(error) if error.is::<Misuse>() || is_about_configuration(&error) => Err(error),
        Err(error) => {
            print_error(&format!("{error:#}"));
            Ok(None)
        }
    }
}

/// Writes to standard error; a failure to write cannot be reported and is ignored.
pub(super) fn print_error(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// True if another start would fail as well until the configuration or a file that it names is changed.
fn is_about_configuration(error: &anyhow::Error) -> bool {
    error.is::<ConfigError>()
        || error.is::<InheritError>()
        || error.is::<NoThreads>()
        || matches!(error.downcast_ref(), Some(LogError::Filter(_)))
        || error
            .downcast_ref::<StartError>()
            .is_some_and(StartError::is_about_configuration)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

// === impl Status ===

impl From<LineKind> for Status {
    fn from(worst: LineKind) -> Self {
        match worst {
            LineKind::Ok | LineKind::Note | LineKind::Warning | LineKind::Loud => Self::Success,
            LineKind::Void | LineKind::Differs | LineKind::Open => Self::Failure,
            LineKind::Unusable => Self::Unusable,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Success => 0,
            Status::Failure => 1,
            Status::Unusable => 2,
            Status::Refused => 3,
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
