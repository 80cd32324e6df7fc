//! `calendar-edge migration`: what a running edge knows about other backends, and the resumption of rules.

mod args;
mod report;
mod resume;
mod status;

use std::io::Write;

use super::environment::Environment;
use super::status::Status;

pub(super) use args::MigrationArgs;
use args::MigrationCommand;

/// Runs a subcommand of `migration`.
pub(super) fn run(
    args: &MigrationArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    match &args.command {
        MigrationCommand::Status(args) => status::run(args, environment, out),
        MigrationCommand::Report(args) => report::run(args, environment, out),
        MigrationCommand::Resume(args) => resume::run(args, environment, out),
    }
}
