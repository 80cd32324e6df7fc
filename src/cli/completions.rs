//! `calendar-edge completions`: what a shell needs to complete the command line.

use std::io::{self, Write};

use clap::Args;
use clap_complete::Shell;

use super::args::Cli;

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(args: &CompletionsArgs, out: &mut dyn Write) -> io::Result<()> {
    let mut command = Cli::definition();
    let name = command.get_name().to_owned();
    // The generator panics where a reader stops early.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    out.write_all(repaired(&String::from_utf8_lossy(&script)).as_bytes())
}

/// The generator for bash looks for subcommands under another label than it gives them if the program's name has a
/// hyphen, so that none of their flags is completed.
fn repaired(script: &str) -> String {
    script.replace("calendar__subcmd__edge__", "calendar__edge__")
}
