//! The command line: subcommands and flags.

use std::net::IpAddr;
use std::path::PathBuf;

use super::environment::{
    ADMIN_LISTEN, CONFIG, Environment, LISTEN, MODE, NAMESPACE, ORIGIN, ORIGIN_NAMESPACE, PUBLIC_URL,
    overrides,
};
use super::examples;
use super::init::AskedSiteArgs;
use super::typed_request::RequestArgs;
use calendar_edge::config::{ConfigError, ConfigSource};
use calendar_edge_core::settings::Settings;
use clap::{Args, Parser, Subcommand};

/// A hardened reverse proxy for the calendar REST API of a WordPress site.
#[derive(Debug, Parser)]
#[command(name = "calendar-edge", version, after_help = EXIT_STATUSES)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXIT_STATUSES: &str = "\
Exit statuses: 0 success, or nothing to decide; 1 failure, or `check` found differences, open doors or settings without \
effect, or `contract test` or `migration` found differences or returned calls; 2 these three cannot use a backend or a \
running edge, or `init` or `export` the site; 3 `explain` shows a refusal; 64 invalid command line; 78 invalid \
configuration, or a certificate or another file that it names.

A flag takes precedence over its environment variable.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the edge until SIGTERM or SIGINT
    #[command(after_help = examples::SERVE)]
    Serve(ServeArgs),
    /// Run the edge in front of a built-in calendar, without a site
    #[cfg(feature = "demo")]
    #[command(after_help = examples::DEMO)]
    Demo(super::demo::DemoArgs),
    /// Ask a site for its REST root, namespace and languages, and write a configuration for it
    #[command(after_help = examples::INIT)]
    Init(super::init::InitArgs),
    /// Check the configuration, then the live origin: connection, namespace, published index
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Ask the running edge of this configuration whether it takes traffic: one line, status 0 or 1
    #[command(after_help = examples::HEALTHCHECK)]
    Healthcheck(super::healthcheck::HealthcheckArgs),
    /// Show the edge's decision about one request or about a request that it refused, with its reasons
    Explain(ExplainArgs),
    /// Remove answers from the cache of a running edge
    #[command(after_help = examples::PURGE)]
    Purge(super::purge::PurgeArgs),
    /// Write all records that an account can read into files, for another service
    #[command(after_help = examples::EXPORT)]
    Export(super::exporting::ExportArgs),
    /// Test a backend against the contract of the API
    #[command(subcommand)]
    Contract(super::contract::ContractCommand),
    /// Compare another backend with the site, and ask a running edge about other backends: rules, guards, differences
    #[command(subcommand)]
    Migration(super::migration::MigrationCommand),
    /// Print routes, OpenAPI document, schema of the configuration, completions for shells, manual pages
    #[command(subcommand, after_help = examples::PRINT)]
    Print(super::print::PrintCommand),
}

/// The flags of `serve`.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    pub(super) asked: AskedSiteArgs,
    #[command(flatten)]
    pub(super) site: SiteArgs,
    #[arg(
        long,
        value_name = "ADDR",
        help = "Address for clients, 127.0.0.1:8787 or unix:/run/edge.sock [env: CALENDAR_EDGE_LISTEN]"
    )]
    listen: Option<String>,
    /// Address for operators [env: CALENDAR_EDGE_ADMIN_LISTEN]
    #[arg(long, value_name = "ADDR")]
    admin_listen: Option<String>,
    /// Treatment of requests that violate a rule [env: CALENDAR_EDGE_MODE]
    #[arg(long, value_name = "MODE", value_parser = ["enforce", "report", "off"])]
    mode: Option<String>,
}

/// The flags of `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) asked: AskedSiteArgs,
    #[command(flatten)]
    pub(super) site: SiteArgs,
    /// Check only the configuration, not the origin
    #[arg(long)]
    pub(super) offline: bool,
}

/// The arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(super) struct ExplainArgs {
    /// A path with its query or a URL, with or without the method before it; or the id of a refused request
    #[arg(value_name = "[METHOD] TARGET | ID", num_args = 1..=2, required = true)]
    pub(super) asked: Vec<String>,
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

A request is decided by what the running edge (--admin, or admin.listen of the file) knows of the site, or else by its \
index file, or else by the site's index.

Exit statuses: 0 the request is forwarded or answered; 3 it is refused; 1 the running edge does not answer; 64 invalid \
command line; 78 invalid configuration.";

/// The form of what a command prints.
#[derive(Debug, Default, Args)]
pub(super) struct OutputArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The running edge that a command asks.
#[derive(Debug, Default, Args)]
pub(super) struct EdgeArgs {
    #[arg(
        long,
        value_name = "URL",
        help = "The admin listener of the edge, http://127.0.0.1:9787 unless given"
    )]
    pub(super) admin: Option<String>,
    /// The file with the token that the edge asks of other machines
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
}

/// The configuration file, and the site.
#[derive(Debug, Default, Clone, Args)]
pub(super) struct SiteArgs {
    /// The configuration file, TOML; ./edge.toml or /etc/calendar-edge/edge.toml unless this or --origin is given
    /// [env: CALENDAR_EDGE_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    #[arg(
        long,
        value_name = "URL",
        help = "The REST root of the site, https://wp.example.org/wp-json [env: CALENDAR_EDGE_ORIGIN]"
    )]
    pub(super) origin: Option<String>,
    /// The namespace that the plugin registers at the site [env: CALENDAR_EDGE_ORIGIN_NAMESPACE]
    #[arg(long, value_name = "NS")]
    pub(super) origin_namespace: Option<String>,
    #[arg(
        long,
        value_name = "URL",
        help = "Scheme and host that clients use, https://events.example.org [env: CALENDAR_EDGE_PUBLIC_URL]"
    )]
    pub(super) public_url: Option<String>,
    /// The public namespace of the API, besides the plugin's own [env: CALENDAR_EDGE_NAMESPACE]
    #[arg(long, value_name = "NS")]
    pub(super) namespace: Option<String>,
}

/// Where a file is looked for that no flag or variable names, in this order.
const PLACES: [&str; 2] = ["edge.toml", "/etc/calendar-edge/edge.toml"];

// === impl ServeArgs ===

impl ServeArgs {
    /// File, environment and flags, as a source that can be read again.
    pub(super) fn source(&self, environment: Environment<'_>) -> ConfigSource {
        let typed = [&self.listen, &self.admin_listen, &self.mode].map(Option::as_deref);
        self.site.source_with(typed, environment)
    }
}

// === impl SiteArgs ===

impl SiteArgs {
    /// The settings from file, environment and the flags about the site. The variables of the other flags of
    /// `serve` apply too, so that `check` uses the settings of `serve`.
    pub(super) fn load(&self, environment: Environment<'_>) -> Result<Settings, ConfigError> {
        self.source(environment).load()
    }

    /// The same without secrets, to look at.
    pub(super) fn load_without_secrets(&self, environment: Environment<'_>) -> Result<Settings, ConfigError> {
        self.source(environment).load_without_secrets()
    }

    /// File, environment and the flags about the site, as a source.
    pub(super) fn source(&self, environment: Environment<'_>) -> ConfigSource {
        self.source_with([None; 3], environment)
    }

    fn source_with(
        &self,
        [listen, admin_listen, mode]: [Option<&str>; 3],
        environment: Environment<'_>,
    ) -> ConfigSource {
        let flags = [
            (ORIGIN, self.origin.as_deref()),
            (ORIGIN_NAMESPACE, self.origin_namespace.as_deref()),
            (PUBLIC_URL, self.public_url.as_deref()),
            (NAMESPACE, self.namespace.as_deref()),
            (LISTEN, listen),
            (ADMIN_LISTEN, admin_listen),
            (MODE, mode),
        ];
        ConfigSource::new(self.file(environment), overrides(flags, environment))
    }

    /// Returns true if a file or an origin is named, or a file is found.
    pub(super) fn names_a_site(&self, environment: Environment<'_>) -> bool {
        self.has_root(environment) || self.file(environment).is_some()
    }

    fn has_root(&self, environment: Environment<'_>) -> bool {
        self.origin.is_some() || environment.get(ORIGIN.variable).is_some()
    }

    /// The file that is named, or else found; without a file the REST root alone makes a configuration.
    fn file(&self, environment: Environment<'_>) -> Option<PathBuf> {
        let found = || PLACES.into_iter().map(PathBuf::from).find(|file| file.exists());
        match self.named_file(environment) {
            None if !self.has_root(environment) => found(),
            named => named,
        }
    }

    fn named_file(&self, environment: Environment<'_>) -> Option<PathBuf> {
        let variable = || environment.get(CONFIG).map(PathBuf::from);
        self.config.clone().or_else(variable)
    }

    /// Returns true if a flag or a variable says where the site is.
    pub(super) fn is_given(&self, environment: Environment<'_>) -> bool {
        self.has_root(environment) || self.named_file(environment).is_some()
    }
}

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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_environment_stands_in_for_flags_that_are_absent() {
        let lookup = |variable: &str| match variable {
            "CALENDAR_EDGE_ORIGIN" => Some("http://env.example/wp-json".into()),
            "CALENDAR_EDGE_ORIGIN_NAMESPACE" => Some("env/v1".into()),
            "CALENDAR_EDGE_LISTEN" => Some(OsString::new()),
            _ => None,
        };
        let args = SiteArgs {
            origin: Some("http://flag.example/wp-json".to_owned()),
            ..SiteArgs::default()
        };
        let settings = args.load(Environment::new(&lookup)).expect("good settings");
        assert_eq!(settings.origin.url.as_str(), "http://flag.example/wp-json");
        assert_eq!(settings.origin.namespace.as_str(), "env/v1");
    }

    #[test]
    fn flags_name_the_public_address_and_namespace() {
        let typed = [
            "calendar-edge",
            "check",
            "--origin",
            "http://wp.example/wp-json",
            "--namespace",
            "events/v2",
        ];
        let Command::Check(args) = Cli::parse_from(typed).command else {
            panic!("another command");
        };
        let lookup =
            |variable: &str| (variable == "CALENDAR_EDGE_PUBLIC_URL").then(|| "https://e.example".into());
        let settings = args.site.load(Environment::new(&lookup)).expect("good settings");
        assert_eq!(settings.namespaces, ["events/v2"]);
        assert_eq!(
            settings.public_url.expect("an address").as_str(),
            "https://e.example/"
        );
    }
}
