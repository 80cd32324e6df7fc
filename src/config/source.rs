//! The source of settings, so that they can be reloaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::load::settings;
use super::overrides::{OverrideSource, Overrides};
use super::problem::ConfigError;
use calendar_edge_core::settings::Settings;

/// A file, if there is one, and the flags and variables of the program's start.
#[derive(Debug, Clone, Default)]
pub struct ConfigSource {
    file: Option<PathBuf>,
    overrides: Overrides,
}

// === impl ConfigSource ===

impl ConfigSource {
    /// A source with a file and its overrides.
    pub fn new(file: Option<PathBuf>, overrides: Overrides) -> Self {
        Self { file, overrides }
    }

    /// The file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Reads the present file, overridden by flags and environment.
    ///
    /// # Errors
    /// All problems at once.
    pub fn load(&self) -> Result<Settings, ConfigError> {
        self.read(true)
    }

    /// Reads the same without the files that hold secrets, for commands that only look at the settings.
    ///
    /// # Errors
    /// Every problem at once.
    pub fn load_without_secrets(&self) -> Result<Settings, ConfigError> {
        self.read(false)
    }

    fn read(&self, reads_files: bool) -> Result<Settings, ConfigError> {
        let text = self.file().map(text_of).transpose()?;
        let name = self.file().map(|path| path.display().to_string());
        settings(name.as_deref().zip(text.as_deref()), &self.overrides, reads_files)
    }

    /// Logs each key of the present file whose value has no effect, because a flag or a variable has another.
    pub fn warn_of_hidden(&self) {
        let text = self.file().and_then(|file| text_of(file).ok());
        let table: Value = toml::from_str(&text.unwrap_or_default()).unwrap_or_default();
        // The last one of a key counts.
        let strongest: BTreeMap<_, _> = self
            .overrides
            .entries()
            .map(|(key, source, text)| (key, (source, text)))
            .collect();
        for (key, (source, stronger)) in strongest {
            let (OverrideSource::Flag(by) | OverrideSource::Environment(by)) = source;
            let value = Value::from(stronger);
            let in_file = table.pointer(&format!("/{}", key.replace('.', "/")));
            if let Some(file) = in_file.filter(|in_file| **in_file != value) {
                tracing::warn!(
                    key,
                    %file,
                    by,
                    %value,
                    "a key of the file has no effect: a flag or a variable is stronger"
                );
            }
        }
    }
}

fn text_of(path: &Path) -> Result<String, ConfigError> {
    let problem = |message: String| ConfigError::about_file(&path.display().to_string(), message);
    let bytes = std::fs::read(path).map_err(|error| problem(format!("the file cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| problem("the file is not UTF-8 text".to_owned()))
}
