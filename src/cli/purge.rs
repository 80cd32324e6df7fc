//! `purge`: tells a running edge to remove kept answers.

use std::io::Write;

use anyhow::Context as _;
use calendar_edge_core::cache::{Removal, Tag};
use calendar_edge_core::companion::purge::PurgeRequest;
use clap::Args;

use super::admin_client::AdminClient;
use super::args::EdgeArgs;
use super::environment::Environment;
use super::status::Misuse;

/// The flags of `purge`.
#[derive(Debug, Args)]
pub(super) struct PurgeArgs {
    #[command(flatten)]
    pub(super) edge: EdgeArgs,
    /// What has changed: event:50, venue:7, image:33, events, ...; may be repeated
    #[arg(long, value_name = "TAG")]
    pub(super) tag: Vec<String>,
    /// Remove every answer
    #[arg(long, conflicts_with = "tag")]
    pub(super) all: bool,
}

/// Sends the order, and prints what the edge did.
pub(super) fn run(args: &PurgeArgs, environment: Environment<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let order = PurgeRequest {
        removal: removal(args, environment)?,
        changes: Vec::new(),
    };
    let client = AdminClient::new(&args.edge)?;
    let done = client.post("/purge", order.to_string())?;
    let number = |name: &str| {
        done.get(name)
            .and_then(serde_json::Value::as_u64)
            .unwrap_or_default()
    };
    let (removed, generation) = (number("removed"), number("generation"));
    writeln!(out, "removed {removed} answers, generation {generation}").context("standard output")
}

fn removal(args: &PurgeArgs, environment: Environment<'_>) -> anyhow::Result<Removal> {
    let listed = environment
        .get("CALENDAR_EDGE_TAG")
        .filter(|_| args.tag.is_empty() && !args.all);
    let listed = listed
        .map(|tags| tags.to_string_lossy().into_owned())
        .unwrap_or_default();
    let texts = args.tag.iter().map(String::as_str).chain(listed.split(','));
    let tags: Vec<&str> = texts.map(str::trim).filter(|text| !text.is_empty()).collect();
    let is_all = args.all || (tags.is_empty() && environment.is_on("CALENDAR_EDGE_ALL"));
    match (is_all, tags.is_empty()) {
        (true, true) => Ok(Removal::All),
        (false, false) => {
            let tags = tags
                .into_iter()
                .map(|text| text.parse::<Tag>().with_context(|| format!("--tag {text}")));
            Ok(Removal::Tags(tags.collect::<Result<_, _>>()?))
        }
        _ => Err(Misuse("say what to remove: --tag event:50, which may be repeated, or --all").into()),
    }
}
