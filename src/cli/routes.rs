//! `calendar-edge routes`: the route table as text or JSON.

use std::io::{self, Write};

use calendar_edge_core::describe::{routes_json, routes_text};
use clap::Args;

use super::args::OutputArgs;
use super::environment::Environment;

/// The flags of `routes`.
#[derive(Debug, Args)]
pub(super) struct RoutesArgs {
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// Prints the route table.
pub(super) fn run(args: &RoutesArgs, environment: Environment<'_>, out: &mut dyn Write) -> io::Result<()> {
    if args.output.is_json(environment) {
        return writeln!(out, "{:#}", routes_json());
    }
    out.write_all(routes_text().as_bytes())
}
