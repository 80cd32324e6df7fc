//! The source of settings, so that they can be reloaded.

use std::path::{Path, PathBuf};

use super::effective::EffectiveConfig;
use super::load::settings;
use super::overrides::Overrides;
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
        self.load_explained().map(|(settings, _)| settings)
    }

    /// Reads the same, and returns the place that each value comes from.
    ///
    /// # Errors
    /// All problems at once.
    pub fn load_explained(&self) -> Result<(Settings, EffectiveConfig), ConfigError> {
        self.read(true)
    }

    /// Reads the same without the files that hold secrets, for commands that only look at the settings.
    ///
    /// # Errors
    /// Every problem at once.
    pub fn load_without_secrets(&self) -> Result<Settings, ConfigError> {
        self.read(false).map(|(settings, _)| settings)
    }

    fn read(&self, reads_files: bool) -> Result<(Settings, EffectiveConfig), ConfigError> {
        let text = self.file().map(text_of).transpose()?;
        let name = self.file().map(|path| path.display().to_string());
        let settings = settings(name.as_deref().zip(text.as_deref()), &self.overrides, reads_files)?;
        let file = self.file().zip(text.as_deref());
        Ok((settings, EffectiveConfig::of(file, &self.overrides)))
    }
}

fn text_of(path: &Path) -> Result<String, ConfigError> {
    let problem = |message: String| ConfigError::about_file(&path.display().to_string(), message);
    let bytes = std::fs::read(path).map_err(|error| problem(format!("the file cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| problem("the file is not UTF-8 text".to_owned()))
}
