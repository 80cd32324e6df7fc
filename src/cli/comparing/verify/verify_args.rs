//! The arguments of `verify`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;

use super::super::super::args::{OutputArgs, SiteArgs};
use super::super::super::pace;
use super::super::compare_args::AcceptArgs;

/// Calls a second to each backend, unless typed.
const RATE: NonZeroU32 = NonZeroU32::new(20).expect("not zero");

/// The file of the manifest, unless typed.
const MANIFEST: &str = "verify.jsonl";

/// The arguments of `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The other backend; may be left out if there is only one
    #[arg(long, value_name = "NAME")]
    pub(super) to: Option<String>,
    /// The file that names each record with a hash, verify.jsonl unless given; with an unfinished one the walk goes on
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// The most calls a second to each backend, 20 unless given
    #[arg(long, value_name = "COUNT")]
    rate: Option<String>,
    /// A header of the account that reads, 'Authorization: Basic …', or @FILE with a line for each header; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub(super) header: Vec<String>,
    #[command(flatten)]
    pub(super) site: SiteArgs,
    #[command(flatten)]
    pub(super) accept: AcceptArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

// === impl VerifyArgs ===

impl VerifyArgs {
    pub(super) fn manifest(&self) -> PathBuf {
        self.manifest.clone().unwrap_or_else(|| MANIFEST.into())
    }

    pub(super) fn rate(&self) -> anyhow::Result<NonZeroU32> {
        pace::rate(self.rate.as_deref(), RATE)
    }
}
