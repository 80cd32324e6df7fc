//! Flags that several subcommands have.

use std::path::PathBuf;

use calendar_edge::config::{ConfigError, ConfigSource};
use calendar_edge_core::settings::Settings;
use clap::Args;

use super::environment::{
    ADMIN_LISTEN, CONFIG, Environment, LISTEN, MODE, NAMESPACE, ORIGIN, ORIGIN_NAMESPACE, PUBLIC_URL,
    overrides,
};

/// The form of a command's output.
#[derive(Debug, Default, Args)]
pub(super) struct OutputArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The running edge that a command queries.
#[derive(Debug, Default, Args)]
pub(super) struct EdgeArgs {
    #[arg(
        long,
        value_name = "URL",
        help = "The admin listener of the edge, http://127.0.0.1:9787 unless given"
    )]
    pub(super) admin: Option<String>,
    /// The file with the token that the edge demands of other machines
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
}

/// The configuration file, and the site.
#[derive(Debug, Default, Clone, Args)]
pub(super) struct SiteArgs {
    /// The configuration file, TOML; ./edge.toml or /etc/calendar-edge/edge.toml unless this or --origin is given
    /// [env: `CALENDAR_EDGE_CONFIG`]
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    #[arg(
        long,
        value_name = "URL",
        help = "The REST root of the site, https://wp.example.org/wp-json [env: `CALENDAR_EDGE_ORIGIN`]"
    )]
    pub(super) origin: Option<String>,
    /// The namespace that the plugin registers at the site [env: `CALENDAR_EDGE_ORIGIN_NAMESPACE`]
    #[arg(long, value_name = "NS")]
    pub(super) origin_namespace: Option<String>,
    #[arg(
        long,
        value_name = "URL",
        help = "Scheme and host that clients use, https://events.example.org [env: `CALENDAR_EDGE_PUBLIC_URL`]"
    )]
    pub(super) public_url: Option<String>,
    /// The public namespace of the API, besides the plugin's own [env: `CALENDAR_EDGE_NAMESPACE`]
    #[arg(long, value_name = "NS")]
    pub(super) namespace: Option<String>,
}

/// Where a file is looked for that no flag or variable names, in this order.
const PLACES: [&str; 2] = ["edge.toml", "/etc/calendar-edge/edge.toml"];

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

    pub(super) fn source_with(
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
        let variable = || environment.get(CONFIG).map(PathBuf::from);
        match self.config.clone().or_else(variable) {
            None if !self.has_root(environment) => found(),
            named => named,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

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
}
