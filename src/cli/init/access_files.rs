//! The files by which a site lets the edge in: a private authority, credentials of its web server, and the secret of
//! its companion plugin.

use std::path::PathBuf;

use anyhow::Context as _;
use calendar_edge::config::{Overrides, parse};
use calendar_edge_core::settings::OriginSettings;

use super::init_args::InitArgs;

/// The lines of `[origin]` that name the files of the flags; the configuration may be used from another folder.
pub(super) fn access_lines(args: &InitArgs) -> anyhow::Result<String> {
    let line = |key: &str, flag: &'static str, file: &Option<PathBuf>| -> anyhow::Result<String> {
        let Some(file) = file else {
            return Ok(String::new());
        };
        let file = std::path::absolute(file).context(flag)?;
        let file = toml::Value::String(file.display().to_string());
        Ok(format!("{key} = {file}\n"))
    };
    Ok([
        line("ca_file", "--ca-file", &args.ca_file)?,
        line("basic_auth_file", "--basic-auth-file", &args.basic_auth_file)?,
        line("secret_file", "--secret-file", &args.secret_file)?,
    ]
    .concat())
}

/// Their content, read as `serve` reads it.
pub(super) fn access(lines: &str) -> anyhow::Result<OriginSettings> {
    let text = format!("[origin]\nurl = \"https://wp.example.org/wp-json\"\n{lines}");
    Ok(parse("the files of the flags", &text, &Overrides::default())?.origin)
}
