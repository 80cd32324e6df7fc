//! The arguments of `compare`.

use calendar_edge_core::migration::comparison::DifferenceClass;
use clap::Args;

use super::super::args::{OutputArgs, SiteArgs};

/// The arguments of `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The path with its query: /wp-json/calendar/events/v1/events?page=2
    #[arg(value_name = "TARGET")]
    pub(super) target: String,
    /// The method, GET unless given
    #[arg(short = 'X', long, value_name = "METHOD")]
    pub(super) method: Option<String>,
    /// The body
    #[arg(short, long, value_name = "BODY")]
    pub(super) data: Option<String>,
    /// The other backend; may be left out if there is only one
    #[arg(long, value_name = "NAME")]
    pub(super) to: Option<String>,
    #[command(flatten)]
    pub(super) judged: ComparingArgs,
}

/// The flags of commands that compare backends.
#[derive(Debug, Args)]
pub(super) struct ComparingArgs {
    #[command(flatten)]
    pub(super) site: SiteArgs,
    /// A header, 'Name: value'; may be repeated.
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub(super) header: Vec<String>,
    /// Send writes too, to both backends
    #[arg(long)]
    pub(super) writes: bool,
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
    pub(crate) accept: DifferenceClass,
}
