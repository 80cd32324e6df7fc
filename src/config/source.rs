//! The source of settings, so that they can be reloaded.

use std::path::{Path, PathBuf};

use super::effective::EffectiveConfig;
use super::load::{load, load_explained, load_with};
use super::overrides::Overrides;
use super::problem::ConfigError;
use super::secret::SecretFiles;
use crate::settings::Settings;

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
        load(self.file(), &self.overrides)
    }

    /// Reads the same, and says where each value comes from.
    ///
    /// # Errors
    /// All problems at once.
    pub fn load_explained(&self) -> Result<(Settings, EffectiveConfig), ConfigError> {
        load_explained(self.file(), &self.overrides, SecretFiles::Read)
    }

    /// Reads the same without the files that hold secrets, for those who only look at the settings.
    ///
    /// # Errors
    /// Every problem at once.
    pub fn load_without_secrets(&self) -> Result<Settings, ConfigError> {
        load_with(self.file(), &self.overrides, SecretFiles::Leave)
    }
}
