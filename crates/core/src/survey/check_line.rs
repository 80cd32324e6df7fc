//! The lines of `check` and `init`: each has a kind, which is also its gravity.

use std::borrow::Borrow;

/// The kind of a line; later ones are graver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineKind {
    /// Something is as it should be.
    Ok,
    /// A fact; nothing has to be done.
    Note,
    /// Something that an operator should look at before others find it; it is not counted.
    Warning,
    /// The same, loudly.
    Loud,
    /// A setting that has no effect, or something that could not be learnt: loudly, and counted.
    Void,
    /// The site differs from what the edge expects.
    Differs,
    /// The companion plugin does not guard the site.
    Open,
    /// The edge cannot work with this.
    Unusable,
}

/// One line, with lines for the configuration file that settle it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckLine {
    /// Its kind.
    pub kind: LineKind,
    /// Its sentence.
    pub text: String,
    /// Lines for a file.
    pub paste: Vec<String>,
}

// === impl LineKind ===

impl LineKind {
    /// A line of this kind.
    pub fn line(self, text: impl Into<String>) -> CheckLine {
        self.pasting(text, Vec::new())
    }

    /// A line with what to write into a file.
    pub fn pasting(self, text: impl Into<String>, paste: Vec<String>) -> CheckLine {
        let (kind, text) = (self, text.into());
        CheckLine { kind, text, paste }
    }

    /// Its word, and its colour by the parameter of an escape sequence.
    pub const fn word(self) -> (&'static str, u8) {
        match self {
            Self::Ok => ("ok", 32),
            Self::Note => ("note", 36),
            Self::Warning => ("warning", 33),
            Self::Loud | Self::Void => ("WARNING", 33),
            Self::Differs => ("differs", 33),
            Self::Open => ("open", 33),
            Self::Unusable => ("unusable", 31),
        }
    }
}

/// Names in words: all of up to `few`, and otherwise the first `shown` with the number of the others.
pub(super) fn shortened<S: Borrow<str>>(names: &[S], few: usize, shown: usize) -> String {
    match names.split_at_checked(shown) {
        Some((first, rest)) if names.len() > few => format!("{} and {} more", first.join(", "), rest.len()),
        _ => names.join(", "),
    }
}
