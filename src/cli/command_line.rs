//! The command line: the program and its subcommands.

use clap::{Parser, Subcommand};

use super::examples;

/// A hardened reverse proxy for the calendar REST API of a WordPress site.
#[derive(Debug, Parser)]
#[command(name = "calendar-edge", version, after_help = EXIT_STATUSES)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXIT_STATUSES: &str = "\
Exit statuses: 0 success, or nothing to decide; 1 failure, or `check` found differences, open doors or settings without \
effect, or `migration` found differences or returned calls; 2 these two cannot use a backend or a running edge, or \
`init` the site; 3 `explain` shows a refusal; 64 invalid command line; 78 invalid configuration, or a certificate or \
another file that it names.

A flag takes precedence over its environment variable.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the edge until SIGTERM or SIGINT
    #[command(after_help = examples::SERVE)]
    Serve(super::serve::ServeArgs),
    /// Run the edge in front of a built-in calendar, without a site
    #[cfg(feature = "demo")]
    #[command(after_help = examples::DEMO)]
    Demo(super::demo::DemoArgs),
    /// Read REST root and namespace from a site, and write a configuration for it
    #[command(after_help = examples::INIT)]
    Init(super::init::InitArgs),
    /// Check the configuration, then the live origin: connection, namespace, published index
    #[command(after_help = examples::CHECK)]
    Check(super::check::CheckArgs),
    /// Show if the running edge of this configuration takes traffic: one line, status 0 or 1
    #[command(after_help = examples::HEALTHCHECK)]
    Healthcheck(super::healthcheck::HealthcheckArgs),
    /// Show the edge's decision about one request or about a request that it refused, with its reasons
    Explain(super::explain::ExplainArgs),
    /// Remove responses from the cache of a running edge
    #[command(after_help = examples::PURGE)]
    Purge(super::purge::PurgeArgs),
    /// Compare another backend with the site, and query a running edge about other backends: rules, guards, differences
    #[command(subcommand)]
    Migration(super::migration::MigrationCommand),
    /// Print the OpenAPI document, completions for shells, manual pages
    #[command(subcommand, after_help = examples::PRINT)]
    Print(super::print::PrintCommand),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::super::environment::Environment;
    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
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
