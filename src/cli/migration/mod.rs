//! `calendar-edge migration`: what a running edge knows about other backends, and the resumption of rules.

mod args;
mod report;
mod resume;
mod status;

use std::io::Write;

use super::status::Status;

pub(super) use args::MigrationArgs;
use args::MigrationCommand;

/// Runs a subcommand of `migration`.
pub(super) fn run(args: &MigrationArgs, out: &mut dyn Write) -> anyhow::Result<Status> {
    match &args.command {
        MigrationCommand::Status(args) => status::run(args, out),
        MigrationCommand::Report(args) => report::run(args, out),
        MigrationCommand::Resume(args) => resume::run(args, out),
    }
}
