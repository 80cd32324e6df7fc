//! The command line door: one result becomes one exit status.

mod cli;

use std::process::ExitCode;

/// Memory that a crowd of connections took goes back to the system once they are gone, which glibc does not do.
#[cfg(all(target_os = "linux", feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match cli::run(std::env::args_os()) {
        Ok(status) => status.into(),
        Err(error) => cli::complain(&error).into(),
    }
}
