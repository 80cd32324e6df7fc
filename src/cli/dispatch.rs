//! Selects and runs the subcommand.

use std::ffi::OsString;
use std::io;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use super::command_line::{Cli, Command};
#[cfg(feature = "demo")]
use super::demo;
use super::environment::Environment;
use super::status::Status;
use super::{check, explain, healthcheck, init, migration, print, purge, serve};

/// Runs the subcommand of the arguments.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> anyhow::Result<Status> {
    let cli = match Cli::try_parse_from(args) {
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
        Command::Explain(args) => explain::run(&args, environment, &mut out),
        Command::Purge(args) => purge::run(&args, &mut out).map(|()| Status::Success),
        Command::Migration(command) => migration::run(&command, environment, &mut out),
        Command::Print(command) => print::run(&command, Cli::command(), &mut out).map(|()| Status::Success),
    }
}

/// Prints help and version to standard output with status 0. Mistakes get 64: clap's own status, 2, is used by `check`.
fn usage(message: &clap::Error) -> anyhow::Result<Status> {
    message.print()?;
    match message.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Status::Success),
        _ => Ok(Status::Usage),
    }
}
