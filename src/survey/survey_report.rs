//! The lines that tell what is found out about a site, and the worst of them.

use std::fmt::Display;
use std::io::{self, Write};

use calendar_edge::telemetry::printable;

/// The worst that a report tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WorstFinding {
    /// The site is as the edge expects.
    Nothing,
    /// The site differs, and the edge works with it.
    Difference,
    /// The edge cannot work with the site.
    Unusable,
}

/// The report of one run. What cannot be written is told at its end.
pub(crate) struct Report<'a> {
    out: &'a mut dyn Write,
    /// Whether the first word of a line has a colour.
    is_coloured: bool,
    worst: WorstFinding,
    written: io::Result<()>,
}

// === impl Report ===

impl<'a> Report<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            is_coloured: false,
            worst: WorstFinding::Nothing,
            written: Ok(()),
        }
    }

    /// The same with or without colours.
    pub(crate) fn in_colour(self, is_coloured: bool) -> Self {
        Self { is_coloured, ..self }
    }

    /// Something is as it should be.
    pub(crate) fn ok(&mut self, text: impl Display) {
        self.line("ok", 32, text);
    }

    /// Something to know; nothing has to be done.
    pub(crate) fn note(&mut self, text: impl Display) {
        self.line("note", 36, text);
    }

    /// Something that an operator should look at before others find it; it is not counted.
    pub(crate) fn warning(&mut self, text: impl Display) {
        self.line("warning", 33, text);
    }

    /// The same, loudly.
    pub(crate) fn loud(&mut self, text: impl Display) {
        self.line("WARNING", 33, text);
    }

    /// A setting that has no effect, loudly; it is counted.
    pub(crate) fn void(&mut self, text: impl Display) {
        self.count(WorstFinding::Difference);
        self.loud(text);
    }

    /// The site differs from what the edge expects.
    pub(crate) fn differs(&mut self, text: impl Display) {
        self.count(WorstFinding::Difference);
        self.line("differs", 33, text);
    }

    /// The companion plugin does not guard the site.
    pub(crate) fn open(&mut self, text: impl Display) {
        self.count(WorstFinding::Difference);
        self.line("open", 33, text);
    }

    /// The edge cannot work with this.
    pub(crate) fn unusable(&mut self, text: impl Display) {
        self.count(WorstFinding::Unusable);
        self.line("unusable", 31, text);
    }

    /// A line without a kind.
    pub(crate) fn plain(&mut self, text: impl Display) {
        self.raw(&text.to_string());
    }

    /// Lines for the configuration file that settle what the line above says.
    pub(crate) fn paste(&mut self, lines: &[String]) {
        for line in lines {
            self.raw(&format!("    {line}"));
        }
    }

    /// The worst of what was found.
    ///
    /// # Errors
    /// When a line could not be written.
    pub(crate) fn end(self) -> io::Result<WorstFinding> {
        self.written.map(|()| self.worst)
    }

    fn count(&mut self, finding: WorstFinding) {
        self.worst = self.worst.max(finding);
    }

    /// A line whose first word has a colour, by the parameter of its escape sequence.
    fn line(&mut self, kind: &str, colour: u8, text: impl Display) {
        if self.is_coloured && self.written.is_ok() {
            self.written = write!(self.out, "\u{1b}[{colour}m{kind}\u{1b}[0m");
            return self.raw(&format!(": {text}"));
        }
        self.raw(&format!("{kind}: {text}"));
    }

    /// Writes one line; line ends and hidden characters from an origin cannot reach the terminal.
    fn raw(&mut self, text: &str) {
        if self.written.is_ok() {
            self.written = writeln!(self.out, "{}", printable(text));
        }
    }
}
