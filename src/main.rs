//! The binary: runs the command line and turns its result into an exit status.

mod cli;

use std::process::ExitCode;

/// Returns the memory of a burst of connections to the system, which glibc's allocator does not do.
#[cfg(all(target_os = "linux", feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match cli::run(std::env::args_os()) {
        Ok(status) => status.into(),
        Err(error) => cli::complain(&error).into(),
    }
}
