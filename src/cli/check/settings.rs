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
    let settings = match source.load() {
        Ok(settings) => settings,
        Err(error) => {
            tell(&error.to_string());
            return Ok(Err(Status::Configuration));
        }
    };
    let file = source.file().map(|file| format!(" {}", file.display()));
    report.ok(&format!("the configuration{}", file.unwrap_or_default()))?;
    Ok(Ok(settings))
}
