//! `calendar-edge migration`: another backend compared with the site, and a running edge's state of it.

mod args;
mod printed;
mod report;
mod resume;
mod status;
mod verify;

use std::io::Write;

use super::environment::Environment;
use super::status::Status;

pub(super) use args::MigrationCommand;

/// Runs a subcommand of `migration`.
pub(super) fn run(
    command: &MigrationCommand,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    match command {
        MigrationCommand::Verify(args) => verify::run(args, environment, out),
        MigrationCommand::Status { edge, output } => status::run(edge, output, out),
        MigrationCommand::Report(args) => report::run(args, out),
        MigrationCommand::Resume { rule, edge } => resume::run(rule, edge, out),
    }
}
