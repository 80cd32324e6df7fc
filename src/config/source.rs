//! Where settings come from, so that they can be read again.

use std::path::{Path, PathBuf};

use super::load::load;
use super::overrides::Overrides;
use super::problem::ConfigError;
use super::settings::Settings;

/// A file, if there is one, under flags and environment as they were when the program began.
#[derive(Debug, Clone, Default)]
pub struct Source {
    file: Option<PathBuf>,
    overrides: Overrides,
}

// === impl Source ===

impl Source {
    /// The file, and what is stronger than it.
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
}
