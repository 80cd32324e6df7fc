//! `copy`: what a running edge answers without the site, and a drill without it.

use std::io::Write;
use std::time::Duration;

use clap::Subcommand;
use serde_json::Value;

use super::admin_client::AdminClient;
use super::args::{EdgeArgs, OutputArgs};
use super::examples;
use super::status::{Misuse, Status, could_not_run};

/// What a running edge is asked about its copy.
#[derive(Debug, Subcommand)]
pub(super) enum CopyCommand {
    /// Show which shapes of reads the edge answers without the site, and why it asks the site for others
    #[command(after_help = examples::COPY_STATUS)]
    Status {
        #[command(flatten)]
        edge: EdgeArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Count for a while which anonymous reads would have failed without the site; the site is still asked
    #[command(after_help = examples::COPY_DRILL)]
    Drill {
        /// How long: 90s, 10m, 1h
        #[arg(value_name = "DURATION")]
        length: String,
        #[command(flatten)]
        edge: EdgeArgs,
    },
}

/// Runs a subcommand. Statuses: 0 it was told, 2 the edge cannot be asked, or has no copy.
pub(super) fn run(command: &CopyCommand, out: &mut dyn Write) -> anyhow::Result<Status> {
    let told = match command {
        CopyCommand::Status { edge, .. } => could_not_run(status(edge))?,
        CopyCommand::Drill { length, edge } => could_not_run(drill(length, edge))?,
    };
    let Some(told) = told else {
        return Ok(Status::Unusable);
    };
    match command {
        CopyCommand::Status { output, .. } if !output.json => print_status(&told, out)?,
        CopyCommand::Status { .. } | CopyCommand::Drill { .. } => writeln!(out, "{told:#}")?,
    }
    Ok(Status::Success)
}

fn status(edge: &EdgeArgs) -> anyhow::Result<Value> {
    AdminClient::new(edge)?.get("/copy")
}

fn drill(length: &str, edge: &EdgeArgs) -> anyhow::Result<Value> {
    let length: Duration = calendar_edge_core::settings::duration(length)
        .ok_or(Misuse("the length of a drill is like 90s, 10m or 1h"))?;
    let client = AdminClient::new(edge)?;
    client.post(&format!("/copy/drill/{}", length.as_secs()), String::new())
}

fn print_status(told: &Value, out: &mut dyn Write) -> anyhow::Result<()> {
    match told["records"].as_u64() {
        Some(records) => writeln!(
            out,
            "{records} records, as far as change {} of the site",
            told["number"]
        )?,
        None => writeln!(out, "the records are not read yet")?,
    }
    let shapes = told["shapes"].as_object().into_iter().flatten();
    for (shape, proof) in shapes {
        let count = |name: &str| proof[name].as_u64().unwrap_or_default();
        writeln!(
            out,
            "{:<10} {shape}: answered {}, equal {} of {}, differences {}",
            proof["standing"].as_str().unwrap_or_default(),
            count("answered"),
            count("equal"),
            count("needed"),
            count("differences"),
        )?;
        for (reason, reads) in proof["asked"].as_object().into_iter().flatten() {
            writeln!(out, "           asked {reads} times: {reason}")?;
        }
        if let Some(example) = proof["example"].as_str() {
            writeln!(out, "           differed at {example}")?;
        }
    }
    if !told["drill"].is_null() {
        writeln!(out, "drill: {:#}", told["drill"])?;
    }
    Ok(())
}
