//! The arguments of `migration verify`.

use std::num::NonZeroU32;

use clap::Args;

use super::super::super::args::{OutputArgs, SiteArgs};
use super::super::args::AcceptArgs;

/// The arguments of `migration verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The other backend; may be left out if there is only one
    #[arg(long, value_name = "NAME")]
    pub(super) to: Option<String>,
    /// The most calls a second to each backend
    #[arg(long, value_name = "COUNT", default_value = "20")]
    pub(super) rate: NonZeroU32,
    /// A header of the account that reads, 'Authorization: Basic …', or @FILE with a line for each header; may be
    /// repeated
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub(super) header: Vec<String>,
    #[command(flatten)]
    pub(super) site: SiteArgs,
    #[command(flatten)]
    pub(super) accept: AcceptArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}
