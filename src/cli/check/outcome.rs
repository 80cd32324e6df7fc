//! What `check` says about settings, for commands that have just made them.

use calendar_edge_core::settings::Settings;

use super::super::status::Status;
use super::check_command::{learn_namespace, origins};
use crate::survey::Report;

/// The result of a check that nobody has seen yet.
pub(crate) struct CheckOutcome {
    pub(crate) status: Status,
    pub(crate) lines: Vec<String>,
}

/// Checks these settings against the live origin.
///
/// # Errors
///
/// When no client can be made.
pub(crate) async fn outcome(settings: Settings) -> anyhow::Result<CheckOutcome> {
    let mut text = Vec::new();
    let mut report = Report::new(&mut text);
    let settings = learn_namespace(settings, &mut report).await?;
    origins(&settings, &mut report).await?;
    let status = report.worst().into();
    let text = String::from_utf8_lossy(&text);
    Ok(CheckOutcome {
        status,
        lines: text.lines().map(str::to_owned).collect(),
    })
}
