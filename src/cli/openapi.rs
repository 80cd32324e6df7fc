//! `calendar-edge openapi`: the route table as `OpenAPI` 3.1.

use std::io::{self, Write};

use calendar_edge_core::describe::{OpenApiOptions, openapi};

/// Prints the document for the default root and namespace.
pub(super) fn run(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:#}", openapi(&OpenApiOptions::default()))
}
