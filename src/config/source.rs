//! The source of settings, so that they can be reloaded.

use std::path::{Path, PathBuf};

use super::load::{load, load_with};
use super::overrides::Overrides;
use super::problem::ConfigError;
use super::secret::SecretFiles;
use crate::settings::Settings;

/// A file, if there is one, and the flags and variables that the program was started with.
#[derive(Debug, Clone, Default)]
pub struct ConfigSource {
    file: Option<PathBuf>,
    overrides: Overrides,
}

// === impl ConfigSource ===

impl ConfigSource {
    /// The file, and the overrides of it.
    pub fn new(file: Option<PathBuf>, overrides: Overrides) -> Self {
        Self { file, overrides }
    }

    /// The file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Reads the file as it is now, with flags and environment on top.
    ///
    /// # Errors
    /// Every problem at once.
    pub fn load(&self) -> Result<Settings, ConfigError> {
        load(self.file(), &self.overrides)
    }

    /// Reads the same without the files that hold secrets, for those who only look at the settings.
    ///
    /// # Errors
    /// Every problem at once.
    pub fn load_without_secrets(&self) -> Result<Settings, ConfigError> {
        load_with(self.file(), &self.overrides, SecretFiles::Leave)
    }
}
