//! The arguments of `export`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;

use super::super::args::SiteArgs;

/// The arguments of `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The directory of the export: one that has no export yet
    #[arg(value_name = "DIRECTORY")]
    pub(super) directory: PathBuf,
    /// A former export: the new one holds what changed since, and names what is gone
    #[arg(long, value_name = "DIRECTORY")]
    pub(super) since: Option<PathBuf>,
    /// A header of the account that reads, 'Authorization: Basic …', or @FILE with a line for each header; may be
    /// repeated
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub(super) header: Vec<String>,
    /// Requests a second
    #[arg(long, value_name = "COUNT", default_value = "10")]
    pub(super) rate: NonZeroU32,
    #[command(flatten)]
    pub(super) site: SiteArgs,
}
