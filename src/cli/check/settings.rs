//! The settings that are checked: those that `serve` would use.

use calendar_edge_core::settings::Settings;

use super::super::args::CheckArgs;
use super::super::environment::Environment;
use super::super::status::{Status, tell};
use crate::survey::{Obstacle, Report};

/// Reads the settings, or asks the site for them; the inner error is the status after a reported problem.
///
/// # Errors
/// A mistake on the command line.
pub(super) fn settings(
    args: &CheckArgs,
    environment: Environment<'_>,
    report: &mut Report<'_>,
) -> anyhow::Result<Result<Settings, Status>> {
    let source = args.site.source(environment);
    let source = match args.asked.over(source, &args.site, environment, report) {
        Ok(source) => source,
        Err(error) => {
            let obstacle = error.downcast::<Obstacle>()?;
            report.unusable(&obstacle.to_string())?;
            return Ok(Err(Status::Unusable));
        }
    };
    Ok(source.load().map_err(|error| {
        tell(&error.to_string());
        Status::Configuration
    }))
}
