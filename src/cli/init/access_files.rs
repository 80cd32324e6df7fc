//! The files by which a site lets the edge in: a private authority, credentials of its web server, and the secret of its
//! companion plugin.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use calendar_edge::config::{Overrides, parse};
use calendar_edge_core::settings::OriginSettings;

use super::init_args::InitArgs;

/// The files that flags name, as the configuration names them.
#[derive(Debug, Default)]
pub(super) struct AccessFiles {
    pub(super) ca: Option<PathBuf>,
    pub(super) basic_auth: Option<PathBuf>,
    pub(super) secret: Option<PathBuf>,
}

// === impl AccessFiles ===

impl AccessFiles {
    /// The files of the flags; the configuration may be used from another folder.
    pub(super) fn of(args: &InitArgs) -> anyhow::Result<Self> {
        let absolute = |file: &Option<PathBuf>| file.as_deref().map(std::path::absolute).transpose();
        Ok(Self {
            ca: absolute(&args.ca_file).context("--ca-file")?,
            basic_auth: absolute(&args.basic_auth_file).context("--basic-auth-file")?,
            secret: absolute(&args.secret_file).context("--secret-file")?,
        })
    }

    /// What they hold, read as `serve` reads it.
    pub(super) fn read(&self) -> anyhow::Result<OriginSettings> {
        let mut text = "[origin]\nurl = \"https://wp.example.org/wp-json\"\n".to_owned();
        text.extend(self.lines());
        Ok(parse("the files of the flags", &text, &Overrides::default())?.origin)
    }

    /// The lines of `[origin]` that name them.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let line = |key: &str, file: &Path| {
            let file = toml::Value::String(file.display().to_string());
            format!("{key} = {file}\n")
        };
        let of = |key: &'static str, file: &Option<PathBuf>| file.as_deref().map(|file| line(key, file));
        let lines = [
            of("ca_file", &self.ca),
            of("basic_auth_file", &self.basic_auth),
            of("secret_file", &self.secret),
        ];
        lines.into_iter().flatten()
    }
}
