//! Prints the lines with the findings about a site.

use std::io::{self, Write};

use calendar_edge::telemetry::printable;
use calendar_edge_core::survey::{CheckLine, LineKind};

/// Prints lines, with what to paste below each, and returns the worst of their kinds. Line ends and hidden characters
/// from an origin cannot reach the terminal.
///
/// # Errors
/// When a line cannot be written.
pub(crate) fn print(lines: &[CheckLine], is_coloured: bool, out: &mut dyn Write) -> io::Result<LineKind> {
    for CheckLine { kind, text, paste } in lines {
        let ((word, colour), text) = (kind.word(), printable(text));
        if is_coloured {
            writeln!(out, "\u{1b}[{colour}m{word}\u{1b}[0m: {text}")?;
        } else {
            writeln!(out, "{word}: {text}")?;
        }
        for line in paste {
            writeln!(out, "    {}", printable(line))?;
        }
    }
    let worst = lines.iter().map(|line| line.kind).max();
    Ok(worst.unwrap_or(LineKind::Ok))
}
