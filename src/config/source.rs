//! The source of settings, so that they can be reloaded.

use std::path::{Path, PathBuf};

use super::effective::EffectiveConfig;
use super::load::{load, load_explained, load_with, parse};
use super::overrides::Overrides;
use super::problem::ConfigError;
use super::secret::SecretFiles;
use calendar_edge_core::settings::Settings;

/// A file, if there is one, and the flags and variables of the program's start.
#[derive(Debug, Clone, Default)]
pub struct ConfigSource {
    file: Option<PathBuf>,
    /// Read instead of a file.
    text: Option<NamedText>,
    overrides: Overrides,
}

/// A configuration in memory, and the name by which its problems are shown.
#[derive(Debug, Clone)]
struct NamedText {
    name: String,
    text: String,
}

// === impl ConfigSource ===

impl ConfigSource {
    /// A source with a file and its overrides.
    pub fn new(file: Option<PathBuf>, overrides: Overrides) -> Self {
        Self {
            file,
            text: None,
            overrides,
        }
    }

    /// The same overrides over a text in memory instead of a file; `name` shows where it is from.
    #[must_use]
    pub fn with_text(self, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = NamedText {
            name: name.into(),
            text: text.into(),
        };
        Self {
            file: None,
            text: Some(text),
            ..self
        }
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
        match &self.text {
            Some(text) => parse(&text.name, &text.text, &self.overrides),
            None => load(self.file(), &self.overrides),
        }
    }

    /// Reads the same, and says where each value comes from.
    ///
    /// # Errors
    /// All problems at once.
    pub fn load_explained(&self) -> Result<(Settings, EffectiveConfig), ConfigError> {
        match &self.text {
            Some(text) => {
                let settings = parse(&text.name, &text.text, &self.overrides)?;
                let place = (Path::new(&text.name), text.text.as_str());
                Ok((settings, EffectiveConfig::of(Some(place), &self.overrides)))
            }
            None => load_explained(self.file(), &self.overrides, SecretFiles::Read),
        }
    }

    /// Reads the same without the files that hold secrets, for those who only look at the settings. A text in memory
    /// has none.
    ///
    /// # Errors
    /// Every problem at once.
    pub fn load_without_secrets(&self) -> Result<Settings, ConfigError> {
        if self.text.is_some() {
            return self.load();
        }
        load_with(self.file(), &self.overrides, SecretFiles::Leave)
    }
}
