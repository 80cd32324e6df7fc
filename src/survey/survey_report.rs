//! The lines that tell what is found out about a site, and the count of what an operator has to decide.

use std::io::{self, Write};

use calendar_edge::telemetry::printable;

/// The look of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Text alone.
    Plain,
    /// The first word has a colour.
    Terminal,
}

/// The worst that a report tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorstFinding {
    /// The site is as the edge expects.
    Nothing,
    /// The site differs, and the edge works with it.
    Difference,
    /// The edge cannot work with the site.
    Unusable,
}

/// The report of one run.
pub(crate) struct Report<'a> {
    out: &'a mut dyn Write,
    colour: Colour,
    findings: usize,
    unusable: usize,
}

// === impl Report ===

impl<'a> Report<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            colour: Colour::Plain,
            findings: 0,
            unusable: 0,
        }
    }

    /// The same with or without colours.
    pub(crate) fn in_colour(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    /// Something is as it should be.
    pub(crate) fn ok(&mut self, text: &str) -> io::Result<()> {
        self.line("ok", text)
    }

    /// Something to know; nothing has to be done.
    pub(crate) fn note(&mut self, text: &str) -> io::Result<()> {
        self.line("note", text)
    }

    /// Something that an operator should look at before others find it; it is not counted.
    pub(crate) fn warning(&mut self, text: &str) -> io::Result<()> {
        self.line("warning", text)
    }

    /// The same, loudly.
    pub(crate) fn loud(&mut self, text: &str) -> io::Result<()> {
        self.line("WARNING", text)
    }

    /// A setting that has no effect, loudly; it is counted.
    pub(crate) fn void(&mut self, text: &str) -> io::Result<()> {
        self.findings += 1;
        self.line("WARNING", text)
    }

    /// The site differs from what the edge expects.
    pub(crate) fn differs(&mut self, text: &str) -> io::Result<()> {
        self.findings += 1;
        self.line("differs", text)
    }

    /// The companion plugin does not guard the site.
    pub(crate) fn open(&mut self, text: &str) -> io::Result<()> {
        self.findings += 1;
        self.line("open", text)
    }

    /// The edge cannot work with this.
    pub(crate) fn unusable(&mut self, text: &str) -> io::Result<()> {
        self.unusable += 1;
        self.line("unusable", text)
    }

    /// A line without a kind.
    pub(crate) fn plain(&mut self, text: &str) -> io::Result<()> {
        self.raw(text)
    }

    /// Lines for the configuration file that settle what the line above says.
    pub(crate) fn paste(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            self.raw(&format!("    {line}"))?;
        }
        Ok(())
    }

    /// The worst of what was found.
    pub(crate) const fn worst(&self) -> WorstFinding {
        match (self.findings, self.unusable) {
            (0, 0) => WorstFinding::Nothing,
            (_, 0) => WorstFinding::Difference,
            _ => WorstFinding::Unusable,
        }
    }

    fn line(&mut self, kind: &str, text: &str) -> io::Result<()> {
        if self.colour == Colour::Terminal {
            write!(self.out, "\u{1b}[{}m{kind}\u{1b}[0m", shade(kind))?;
            return self.raw(&format!(": {text}"));
        }
        self.raw(&format!("{kind}: {text}"))
    }

    /// Writes one line; line ends and hidden characters from an origin cannot reach the terminal.
    fn raw(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", printable(text))
    }
}

/// The parameter of the escape sequence for a kind: green, cyan, yellow or red.
fn shade(kind: &str) -> u8 {
    match kind {
        "ok" => 32,
        "note" => 36,
        "unusable" => 31,
        _ => 33,
    }
}
