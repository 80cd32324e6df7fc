//! The arguments of `explain`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::super::admin_client::AdminClient;
use super::super::args::{EdgeArgs, OutputArgs, SiteArgs};
use super::super::environment::Environment;
use super::super::typed_request::RequestArgs;

/// The arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(in crate::cli) struct ExplainArgs {
    /// A path with its query or a URL, with or without the method before it; or the id of a refused request
    #[arg(value_name = "[METHOD] TARGET | ID", num_args = 1..=2, required = true)]
    pub(super) target: Vec<String>,
    #[command(flatten)]
    pub(super) request: RequestArgs,
    /// The client's address
    #[arg(long = "client", value_name = "ADDR", default_value = "127.0.0.1")]
    pub(super) client_address: IpAddr,
    #[command(flatten)]
    edge: EdgeArgs,
    /// The configuration file of the running edge, instead of --admin
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  calendar-edge explain '/wp-json/calendar/events/v1/events?page=0'
  calendar-edge explain -X POST -u editor:x -d @event.json /wp-json/calendar/events/v1/events --config edge.toml
  calendar-edge explain 0199f1c2-… --admin http://127.0.0.1:9787

The running edge at --admin, or at admin.listen of the file, explains a request by its settings and state. \
CALENDAR_EDGE_MODE tries another mode.

Exit statuses: 0 the request is forwarded, or the edge responds; 3 it is refused; 1 no running edge responds; 64 invalid command line; \
78 invalid configuration.";

// === impl ExplainArgs ===

impl ExplainArgs {
    /// The running edge: at `--admin`, or of the file that is named or found, or at the usual address.
    pub(super) fn client(&self, environment: Environment<'_>) -> anyhow::Result<AdminClient> {
        let site = SiteArgs {
            config: self.config.clone(),
            ..SiteArgs::default()
        };
        if self.edge.admin.is_some() || !site.names_a_site(environment) {
            return AdminClient::new(&self.edge);
        }
        AdminClient::of_settings(
            &site.load_without_secrets(environment)?,
            self.edge.token_file.clone(),
        )
    }
}
