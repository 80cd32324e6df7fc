//! The arguments of `explain`.

use std::net::IpAddr;

use calendar_edge::config::ConfigError;
use calendar_edge_core::settings::Settings;
use clap::Args;

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
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    pub(super) client: IpAddr,
    #[command(flatten)]
    pub(super) edge: EdgeArgs,
    #[command(flatten)]
    pub(super) site: SiteArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  calendar-edge explain '/wp-json/calendar/events/v1/events?page=0'
  calendar-edge explain -X POST -u editor:x -d @event.json /wp-json/calendar/events/v1/events --config edge.toml
  calendar-edge explain 0199f1c2-… --admin http://127.0.0.1:9787

The running edge at --admin, or at admin.listen of the file, explains a request by its settings and state. Where none \
responds at admin.listen, the file decides, with the edge's index file, or else the site's index. CALENDAR_EDGE_MODE tries \
another mode.

Exit statuses: 0 the request is forwarded, or the edge responds; 3 it is refused; 1 the edge at --admin does not respond; 64 invalid \
command line; 78 invalid configuration.";

// === impl ExplainArgs ===

impl ExplainArgs {
    /// The settings of `serve`; without a file, named or found, and an origin those of a placeholder site.
    pub(super) fn load(&self, environment: Environment<'_>) -> Result<Settings, ConfigError> {
        let mut site = self.site.clone();
        if !site.names_a_site(environment) {
            site.origin = Some("https://wp.example.org/wp-json".to_owned());
        }
        site.load_without_secrets(environment)
    }
}
