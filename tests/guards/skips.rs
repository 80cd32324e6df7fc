//! Tests that cannot run on this machine.

use std::io::Write as _;

/// Reports on standard error, past the harness's capture, that a test or a part of it did not run here.
pub fn skipped(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // Without standard error there is no place for it.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {reason}");
}
