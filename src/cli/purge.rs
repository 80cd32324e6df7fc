//! `purge`: makes a running edge remove stored responses.

use std::io::Write;

use anyhow::{Context as _, ensure};
use calendar_edge_core::cache::{Removal, Tag};
use calendar_edge_core::companion::purge::PurgeRequest;
use clap::Args;
use serde_json::Value;

use super::admin_client::AdminClient;
use super::args::EdgeArgs;
use super::status::Misuse;

/// The flags of `purge`.
#[derive(Debug, Args)]
pub(super) struct PurgeArgs {
    #[command(flatten)]
    pub(super) edge: EdgeArgs,
    /// The changed record or list: event:50, venue:7, image:33, events, ...; may be repeated
    #[arg(long, value_name = "TAG")]
    pub(super) tag: Vec<String>,
    /// Remove every response
    #[arg(long, conflicts_with = "tag")]
    pub(super) all: bool,
}

/// Sends the order, and prints the result.
pub(super) fn run(args: &PurgeArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let order = PurgeRequest::unnumbered(removal(args)?);
    let client = AdminClient::new(&args.edge)?;
    let done = client.post("/purge", order.to_json())?;
    let number = |name: &str| done.get(name).and_then(Value::as_u64).unwrap_or_default();
    let (removed, generation) = (number("removed"), number("generation"));
    writeln!(out, "removed {removed} responses, generation {generation}").context("standard output")
}

fn removal(args: &PurgeArgs) -> anyhow::Result<Removal> {
    if args.all {
        return Ok(Removal::All);
    }
    let nothing = Misuse("name what to remove: --tag event:50, which may be repeated, or --all");
    ensure!(!args.tag.is_empty(), nothing);
    let tags = args.tag.iter();
    let tags = tags.map(|text| text.parse::<Tag>().with_context(|| format!("--tag {text}")));
    Ok(Removal::Tags(tags.collect::<Result<_, _>>()?))
}
