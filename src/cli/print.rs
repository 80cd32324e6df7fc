//! `calendar-edge print`: the API and the command line, as other programs read them.

use std::io::{self, Write};

use anyhow::Context as _;
use calendar_edge_core::describe::{OpenApiOptions, openapi};
use clap::Subcommand;
use clap_complete::Shell;
use clap_mangen::Man;

use super::status::Misuse;

/// The text to print.
#[derive(Debug, Subcommand)]
pub(super) enum PrintCommand {
    /// The OpenAPI 3.1 document of the routes
    Openapi,
    /// The script by which a shell completes commands and flags
    Completions {
        /// The shell
        shell: Shell,
    },
    /// The manual page, of the program or of one command
    Man {
        /// The command, like `serve`; the page of the program unless given
        command: Vec<String>,
    },
}

/// Prints it; `program` is the command line that is described.
///
/// # Errors
/// When there is no command of the name, or standard output fails.
pub(super) fn run(command: &PrintCommand, program: clap::Command, out: &mut dyn Write) -> anyhow::Result<()> {
    match command {
        PrintCommand::Openapi => writeln!(out, "{:#}", openapi(&OpenApiOptions::default())),
        PrintCommand::Completions { shell } => completions(*shell, program, out),
        PrintCommand::Man { command } => page(command, program)?.render(out),
    }
    .context("standard output")
}

fn completions(shell: Shell, mut command: clap::Command, out: &mut dyn Write) -> io::Result<()> {
    let name = command.get_name().to_owned();
    // The generator panics where a reader stops early.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    out.write_all(repaired(&String::from_utf8_lossy(&script)).as_bytes())
}

/// The generator for bash looks for subcommands under another label than it gives them if the program's name has a
/// hyphen, so that none of their flags is completed.
fn repaired(script: &str) -> String {
    script.replace("calendar__subcmd__edge__", "calendar__edge__")
}

fn page(names: &[String], program: clap::Command) -> Result<Man, Misuse> {
    let mut command = program.disable_help_subcommand(true);
    command.build();
    for name in names {
        let inner = command.find_subcommand(name).cloned();
        command = inner.ok_or(Misuse("there is no such command; calendar-edge --help lists all"))?;
    }
    Ok(Man::new(command))
}
