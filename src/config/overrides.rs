//! Flags and environment variables, which override the file.

/// Values of flags and environment variables, by key.
#[derive(Debug, Clone, Default)]
pub struct Overrides(Vec<(&'static str, OverrideSource, String)>);

/// The source of an override.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverrideSource {
    /// A flag, `--listen`.
    Flag(&'static str),
    /// An environment variable, `CALENDAR_EDGE_LISTEN`.
    Environment(&'static str),
}

// === impl Overrides ===

impl Overrides {
    /// Sets the key with this full name, `listen` or `origin.url`. An unknown name has no effect.
    #[must_use]
    pub fn with(mut self, key: &'static str, source: OverrideSource, text: impl Into<String>) -> Self {
        self.0.push((key, source, text.into()));
        self
    }

    /// The key, the source and the text of each. The last one of a key counts.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'static str, OverrideSource, &str)> {
        let entries = self.0.iter();
        entries.map(|(key, source, text)| (*key, *source, text.as_str()))
    }
}
