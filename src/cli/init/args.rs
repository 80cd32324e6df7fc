//! The arguments of `init`, and the flag by which `serve` and `check` find a site without a file.

use std::path::PathBuf;

use calendar_edge::config::ConfigSource;
use clap::Args;

use super::super::args::SiteArgs;
use super::super::check::Report;
use super::super::environment::{Environment, ORIGIN, ORIGIN_NAMESPACE};
use super::super::status::Misuse;
use super::command::configuration_of;

/// The arguments of `init`.
#[derive(Debug, Args)]
pub(in crate::cli) struct InitArgs {
    #[arg(
        long,
        value_name = "URL",
        help = "The address of the site, https://wp.example.org; with its folder if it is in one [env: CALENDAR_EDGE_SITE]"
    )]
    pub(super) site: Option<String>,
    #[arg(
        short,
        long,
        value_name = "FILE",
        help = "The file to write, edge.toml unless given; - for standard output [env: CALENDAR_EDGE_OUTPUT]"
    )]
    pub(super) output: Option<PathBuf>,
    #[arg(long, help = "Replace the file if there is one [env: CALENDAR_EDGE_FORCE]")]
    pub(super) force: bool,
    #[arg(
        long,
        value_name = "URL",
        help = "Scheme and host that clients will use; those of the site unless given [env: CALENDAR_EDGE_PUBLIC_URL]"
    )]
    pub(super) public_url: Option<String>,
    #[arg(
        long,
        value_name = "NS",
        help = "The namespace of the plugin, if the site lists several that look like it [env: CALENDAR_EDGE_ORIGIN_NAMESPACE]"
    )]
    pub(super) origin_namespace: Option<String>,
}

/// The site that is asked instead of a file.
#[derive(Debug, Default, Clone, Args)]
pub(in crate::cli) struct AskedSiteArgs {
    #[arg(
        long = "site",
        id = "asked_site",
        value_name = "URL",
        help = "The address of the site, instead of a file: REST root, namespace and languages are found as by `init`, \
                except the public address [env: CALENDAR_EDGE_SITE]"
    )]
    asked: Option<String>,
}

/// The variable of `--site`.
pub(super) const SITE: &str = "CALENDAR_EDGE_SITE";

/// A site, and a file or a REST root.
const CONFLICT: Misuse = Misuse(
    "--site (CALENDAR_EDGE_SITE) finds what a file or a REST root would say: use it without --config and --origin, and \
     without CALENDAR_EDGE_CONFIG and CALENDAR_EDGE_ORIGIN",
);

// === impl AskedSiteArgs ===

impl AskedSiteArgs {
    /// The source with the configuration of the asked site, if one is asked; otherwise as it is.
    ///
    /// # Errors
    /// When a file or a REST root is given as well, or when the site cannot be used.
    pub(in crate::cli) fn over(
        &self,
        source: ConfigSource,
        others: &SiteArgs,
        environment: Environment<'_>,
        report: &mut Report<'_>,
    ) -> anyhow::Result<ConfigSource> {
        let Some(site) = self.site(others, environment)? else {
            return Ok(source);
        };
        let namespace = others.origin_namespace.clone();
        let namespace = namespace.or_else(|| environment.text(ORIGIN_NAMESPACE.variable));
        let text = configuration_of(&site, namespace.as_deref(), report)?;
        Ok(source.with_text(format!("the configuration found for {site}"), text))
    }

    fn site(&self, others: &SiteArgs, environment: Environment<'_>) -> Result<Option<String>, Misuse> {
        let Some(site) = self.asked.clone().or_else(|| environment.text(SITE)) else {
            return Ok(None);
        };
        let is_set = |variable: &str| environment.get(variable).is_some();
        let file = others.config.is_some() || is_set("CALENDAR_EDGE_CONFIG");
        let root = others.origin.is_some() || is_set(ORIGIN.variable);
        if file || root {
            Err(CONFLICT)
        } else {
            Ok(Some(site))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_excludes_a_file_and_a_root_wherever_they_come_from() {
        let site = |variable: &str| (variable == SITE).then(|| "https://wp.example.org".into());
        let with_file = |variable: &str| match variable {
            SITE => Some("https://wp.example.org".into()),
            "CALENDAR_EDGE_CONFIG" => Some("edge.toml".into()),
            _ => None,
        };
        let none = AskedSiteArgs::default();
        let plain = SiteArgs::default();
        let found = none.site(&plain, Environment::new(&site)).unwrap();
        assert_eq!(found.as_deref(), Some("https://wp.example.org"));
        assert!(none.site(&plain, Environment::new(&with_file)).is_err());
        let rooted = SiteArgs {
            origin: Some("https://wp.example.org/wp-json".to_owned()),
            ..SiteArgs::default()
        };
        assert!(none.site(&rooted, Environment::new(&site)).is_err());
        assert_eq!(none.site(&rooted, Environment::new(&|_| None)).unwrap(), None);
    }
}
