//! The arguments of `migration`.

use calendar_edge_core::migration::comparison::DifferenceClass;
use calendar_edge_core::settings::OperationPattern;
use clap::{Args, Subcommand};

use super::super::args::{EdgeArgs, OutputArgs};
use super::super::examples;
use super::verify::VerifyArgs;

/// Comparisons, and queries to a running edge.
#[derive(Debug, Subcommand)]
pub(crate) enum MigrationCommand {
    /// Compare every record of the site with another backend, and list those that are not equal
    #[command(after_help = examples::VERIFY)]
    Verify(VerifyArgs),
    /// Show the rules with their shares and guards, and the verdict about each operation
    #[command(after_help = examples::MIGRATION_STATUS)]
    Status {
        #[command(flatten)]
        edge: EdgeArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Show how the responses of a backend differ from those of the origin
    #[command(after_help = examples::MIGRATION_REPORT)]
    Report(ReportArgs),
    /// Let a rule take clients again whose calls its guard has returned
    #[command(after_help = examples::MIGRATION_RESUME)]
    Resume {
        /// The name of the rule
        #[arg(value_name = "RULE")]
        rule: String,
        #[command(flatten)]
        edge: EdgeArgs,
    },
}

/// The flags of `migration report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(super) edge: EdgeArgs,
    /// The backend; may be left out if there is only one
    #[arg(long, value_name = "NAME")]
    pub(super) backend: Option<String>,
    /// The operations to show, events.list or events.*; all unless given
    #[arg(long, value_name = "NAME", value_parser = pattern)]
    pub(super) operation: Option<OperationPattern>,
    #[command(flatten)]
    pub(super) accept: AcceptArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The differences that are a success.
#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// The worst class that is a success: identical, order, representation, volatile, host or different
    #[arg(long, value_name = "CLASS", default_value = "representation")]
    pub(super) accept: DifferenceClass,
}

fn pattern(text: &str) -> Result<OperationPattern, &'static str> {
    OperationPattern::parse(text)
        .ok_or("expected a name that `calendar-edge print openapi` has as `x-operation`, KIND.* or *")
}
