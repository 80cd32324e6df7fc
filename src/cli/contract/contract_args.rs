//! The arguments of `contract`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use calendar_edge_judge::contract::PluginVersion;
use clap::{Args, Subcommand};
use http::HeaderValue;

use super::super::args::OutputArgs;
use super::super::examples;
use super::super::pace::Pace;
use super::tested_api::ApiUnderTest;

/// The commands about the contract of the API.
#[derive(Debug, Subcommand)]
pub(crate) enum ContractCommand {
    /// Test that a backend keeps the contract of the API
    #[command(after_help = examples::CONTRACT_TEST)]
    Test(ContractTestArgs),
}

/// The flags of `contract test`.
#[derive(Debug, Args)]
pub(crate) struct ContractTestArgs {
    #[arg(
        value_name = "URL",
        help = "The API, with its namespace: https://wp.example.org/wp-json/tribe/events/v1"
    )]
    url: String,
    /// Create, change and delete records too; created records are deleted again
    #[arg(long, requires = "account_file")]
    pub(super) writes: bool,
    /// The file with the account for writes: its name, a colon, an application password
    #[arg(long, value_name = "FILE")]
    account_file: Option<PathBuf>,
    /// The version of the plugin whose contract is tested, 6.10 or spec; the one that the backend publishes unless it
    /// is given
    #[arg(long, value_name = "VERSION", value_parser = PluginVersion::chosen)]
    answers: Option<PluginVersion>,
    /// Requests a second
    #[arg(long, value_name = "N", default_value = "20")]
    rate: NonZeroU32,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

// === impl ContractTestArgs ===

impl ContractTestArgs {
    /// The API to test; opens no connection.
    pub(super) fn api(&self) -> anyhow::Result<ApiUnderTest> {
        ApiUnderTest::new(&self.url, self.account()?, Pace::new(self.rate), self.answers)
    }

    /// The value of `Authorization` for the account of the file.
    fn account(&self) -> anyhow::Result<Option<HeaderValue>> {
        let Some(file) = &self.account_file else {
            return Ok(None);
        };
        let name = file.display();
        let text = std::fs::read_to_string(file).with_context(|| format!("{name} cannot be read"))?;
        anyhow::ensure!(text.contains(':'), "{name} holds no name, colon and password");
        let value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(text.trim())));
        let mut value = value.with_context(|| format!("{name} holds no account"))?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}
