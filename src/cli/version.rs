//! `calendar-edge version`.

use std::io::{self, Write};

/// Prints name and version.
pub(super) fn run(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "calendar-edge {}", env!("CARGO_PKG_VERSION"))
}
