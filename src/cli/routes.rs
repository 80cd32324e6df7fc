//! `calendar-edge routes`: the route table as text or JSON.

use std::io::{self, Write};

use calendar_edge_core::describe::{routes_json, routes_text};
use clap::Args;

use super::args::OutputArgs;

/// The flags of `routes`.
#[derive(Debug, Args)]
pub(super) struct RoutesArgs {
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// Prints the route table.
pub(super) fn run(args: &RoutesArgs, out: &mut dyn Write) -> io::Result<()> {
    if args.output.json {
        return writeln!(out, "{:#}", routes_json());
    }
    out.write_all(routes_text().as_bytes())
}
