//! The command line door: one result becomes one exit status.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(std::env::args_os()) {
        Ok(status) => status.into(),
        Err(error) => cli::complain(&error).into(),
    }
}
