//! `calendar-edge man`: the manual page of the program or of one command.

use std::io::{self, Write};

use clap::Args;
use clap_mangen::Man;

use super::args::Cli;
use super::status::Misuse;

/// The arguments of `man`.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The command, like `serve`; the page of the program unless given
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

/// Prints the page.
///
/// # Errors
/// When there is no such command, or the page cannot be written.
pub(super) fn run(args: &ManArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let page = page(&args.command)?;
    page.render(out)
        .map_err(|error: io::Error| anyhow::Error::from(error).context("standard output"))
}

fn page(names: &[String]) -> Result<Man, Misuse> {
    let mut command = Cli::definition().disable_help_subcommand(true);
    command.build();
    for name in names {
        let inner = command.find_subcommand(name).cloned();
        command = inner.ok_or(Misuse("there is no such command; calendar-edge --help lists all"))?;
    }
    Ok(Man::new(command))
}
