//! The lines that `check` prints, and the count of what it found.

use std::io::{self, Write};

use super::super::colour::Colour;
use super::super::status::Status;

/// The report of one run.
pub(in crate::cli) struct Report<'a> {
    out: &'a mut dyn Write,
    colour: Colour,
    findings: usize,
    unusable: usize,
}

// === impl Report ===

impl<'a> Report<'a> {
    pub(in crate::cli) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            colour: Colour::Plain,
            findings: 0,
            unusable: 0,
        }
    }

    /// The same with or without colours.
    pub(in crate::cli) fn in_colour(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    /// Something is as it should be.
    pub(in crate::cli) fn ok(&mut self, text: &str) -> io::Result<()> {
        self.line("ok", text)
    }

    /// Something to know; nothing has to be done.
    pub(in crate::cli) fn note(&mut self, text: &str) -> io::Result<()> {
        self.line("note", text)
    }

    /// Something that an operator should look at before others find it; it is not counted.
    pub(in crate::cli) fn warning(&mut self, text: &str) -> io::Result<()> {
        self.line("warning", text)
    }

    /// The same, loudly.
    pub(in crate::cli) fn loud(&mut self, text: &str) -> io::Result<()> {
        self.line("WARNING", text)
    }

    /// A setting that has no effect, loudly; it is counted.
    pub(in crate::cli) fn void(&mut self, text: &str) -> io::Result<()> {
        self.findings += 1;
        self.line("WARNING", text)
    }

    /// The site differs from what the edge expects.
    pub(in crate::cli) fn differs(&mut self, text: &str) -> io::Result<()> {
        self.findings += 1;
        self.line("differs", text)
    }

    /// The companion plugin does not guard the site.
    pub(in crate::cli) fn open(&mut self, text: &str) -> io::Result<()> {
        self.findings += 1;
        self.line("open", text)
    }

    /// The edge cannot work with this.
    pub(in crate::cli) fn unusable(&mut self, text: &str) -> io::Result<()> {
        self.unusable += 1;
        self.line("unusable", text)
    }

    /// A line without a kind.
    pub(in crate::cli) fn plain(&mut self, text: &str) -> io::Result<()> {
        self.raw(text)
    }

    /// Lines for the configuration file that settle what the line above says.
    pub(in crate::cli) fn paste(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            self.raw(&format!("    {line}"))?;
        }
        Ok(())
    }

    /// The exit status of what was found.
    pub(in crate::cli) const fn status(&self) -> Status {
        match (self.findings, self.unusable) {
            (0, 0) => Status::Success,
            (_, 0) => Status::Failure,
            _ => Status::Unusable,
        }
    }

    fn line(&mut self, kind: &str, text: &str) -> io::Result<()> {
        if self.colour == Colour::Terminal {
            write!(self.out, "\u{1b}[{}m{kind}\u{1b}[0m", shade(kind))?;
            return self.raw(&format!(": {text}"));
        }
        self.raw(&format!("{kind}: {text}"))
    }

    /// Writes one line; line ends and control characters from an origin cannot reach the terminal.
    fn raw(&mut self, text: &str) -> io::Result<()> {
        let printable = |letter: char| if letter.is_control() { '\u{FFFD}' } else { letter };
        writeln!(self.out, "{}", text.chars().map(printable).collect::<String>())
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
