//! Selects and runs the subcommand.

use std::ffi::OsString;
use std::io::{self, Write as _};

use anyhow::Context as _;
use calendar_edge::config::schema;
use calendar_edge_core::describe::{OpenApiOptions, openapi};
use clap::FromArgMatches;
use clap::error::ErrorKind;

use super::args::{Cli, Command};
#[cfg(feature = "demo")]
use super::demo;
use super::environment::Environment;
use super::status::Status;
use super::{check, completions, explain, healthcheck, init, man, purge, routes, serve};

use super::{comparing, contract, exporting, migration};

/// Runs the subcommand of the arguments.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> anyhow::Result<Status> {
    let matches = Cli::definition().try_get_matches_from(args);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(message) => return usage(&message),
    };
    let lookup = |variable: &str| std::env::var_os(variable);
    let environment = Environment::new(&lookup);
    // Not locked: the log may write there as well.
    let mut out = io::stdout();
    match cli.command {
        Command::Serve(args) => serve::run(&args, environment),
        #[cfg(feature = "demo")]
        Command::Demo(args) => demo::run(&args, environment, &mut out),
        Command::Init(args) => init::run(&args, environment, &mut out),
        Command::Check(args) => check::run(&args, environment, &mut out),
        Command::Healthcheck(args) => healthcheck::run(&args, environment, &mut out),
        Command::Routes(args) => done(routes::run(&args, &mut out)),
        Command::Openapi => done(writeln!(out, "{:#}", openapi(&OpenApiOptions::default()))),
        Command::Schema => done(writeln!(out, "{:#}", schema())),
        Command::Explain(args) => explain::run(&args, environment, &mut out),
        Command::Purge(args) => {
            purge::run(&args, environment, &mut out)?;
            Ok(Status::Success)
        }
        Command::Compare(args) => comparing::compare(&args, environment, &mut out),
        Command::Verify(args) => comparing::verify(&args, environment, &mut out),
        Command::Export(args) => exporting::run(&args, environment, &mut out),
        Command::Contract(args) => contract::run(&args, &mut out),
        Command::Migration(args) => migration::run(&args, &mut out),
        Command::Completions(args) => done(completions::run(&args, &mut out)),
        Command::Man(args) => {
            man::run(&args, &mut out)?;
            Ok(Status::Success)
        }
    }
}

fn done(printed: io::Result<()>) -> anyhow::Result<Status> {
    printed.context("standard output")?;
    Ok(Status::Success)
}

/// Prints help and version to standard output with status 0. Mistakes get 64: clap's own status, 2, is used by `check`.
fn usage(message: &clap::Error) -> anyhow::Result<Status> {
    message.print()?;
    match message.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Status::Success),
        _ => Ok(Status::Usage),
    }
}
