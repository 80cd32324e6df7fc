//! `calendar-edge healthcheck`: for containers and scripts, true if the running edge takes traffic.

use std::io::Write;
use std::time::Duration;

use anyhow::Context as _;
use calendar_edge::config::{ConfigError, ConfigSource};
use calendar_edge_core::settings::Settings;
use clap::Args;
use serde_json::Value;

use super::admin_client::{AdminClient, NO_LISTENER};
use super::args::{EdgeArgs, SiteArgs};
use super::environment::{ADMIN_LISTEN, Environment, ORIGIN, overrides};
use super::status::Status;

/// Maximum wait for the response.
const PATIENCE: Duration = Duration::from_secs(3);

/// The flags of `healthcheck`.
#[derive(Debug, Args)]
pub(super) struct HealthcheckArgs {
    #[command(flatten)]
    site: SiteArgs,
    /// The listener for operators, instead of the configured one
    #[arg(long, value_name = "URL")]
    admin: Option<String>,
}

/// Prints one line, and ends with 0 if the edge responds that it is ready, and otherwise with 1.
pub(super) fn run(
    args: &HealthcheckArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let (code, text) = client(args, environment)?.read("/readyz", PATIENCE)?;
    let page: Value = serde_json::from_str(&text).unwrap_or_default();
    let status = page.get("status").and_then(Value::as_str);
    let shown = status.unwrap_or("no response of an edge").escape_debug();
    writeln!(out, "{shown} ({})", code.as_u16()).context("standard output")?;
    Ok(if code == 200 && status.is_some() {
        Status::Success
    } else {
        Status::Failure
    })
}

fn client(args: &HealthcheckArgs, environment: Environment<'_>) -> anyhow::Result<AdminClient> {
    if args.admin.is_some() {
        let admin = args.admin.clone();
        return AdminClient::new(&EdgeArgs {
            admin,
            token_file: None,
        });
    }
    let listen = settings(args, environment)?.admin.listen;
    AdminClient::own(&listen.context(NO_LISTENER)?)
}

/// The settings. If a variable names the listener, the file is not read: a running edge is not ill because its file was
/// broken, which it refuses to reload.
fn settings(args: &HealthcheckArgs, environment: Environment<'_>) -> Result<Settings, ConfigError> {
    if environment.get(ADMIN_LISTEN.variable).is_none() {
        return args.site.load_without_secrets(environment);
    }
    let placeholder = [(ORIGIN, Some("http://localhost/wp-json")), (ADMIN_LISTEN, None)];
    ConfigSource::new(None, overrides(placeholder, environment)).load()
}
