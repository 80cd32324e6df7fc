//! `calendar-edge migration`: another backend compared with the site, and a running edge's state of it.

mod args;
mod report;
mod resume;
mod status;

use std::io::Write;

use super::comparing;
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
        MigrationCommand::Compare(args) => comparing::compare(args, environment, out),
        MigrationCommand::Verify(args) => comparing::verify(args, environment, out),
        MigrationCommand::Status { edge, output } => status::run(edge, output, out),
        MigrationCommand::Report(args) => report::run(args, out),
        MigrationCommand::Resume { rule, edge } => resume::run(rule, edge, out),
    }
}
