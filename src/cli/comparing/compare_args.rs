//! The arguments of `migration compare`.

use calendar_edge_core::migration::comparison::DifferenceClass;
use clap::Args;

use super::super::args::{OutputArgs, SiteArgs};
use super::super::typed_request::RequestArgs;

/// The arguments of `migration compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The path with its query: /wp-json/calendar/events/v1/events?page=2
    #[arg(value_name = "TARGET")]
    pub(super) target: String,
    #[command(flatten)]
    pub(super) request: RequestArgs,
    /// The other backend; may be left out if there is only one
    #[arg(long, value_name = "NAME")]
    pub(super) to: Option<String>,
    #[command(flatten)]
    pub(super) site: SiteArgs,
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
