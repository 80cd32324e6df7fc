//! The flag by which `serve` and `check` find a site without a file.

use calendar_edge::config::ConfigSource;
use clap::Args;

use super::super::args::SiteArgs;
use super::super::environment::{Environment, ORIGIN_NAMESPACE, PUBLIC_URL, SITE};
use super::super::runtime;
use super::super::status::Misuse;
use super::file::text;
use super::site_address::site_address;
use crate::survey::{Report, SiteRequest, find};

/// The site that is asked instead of a file.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct AskedSiteArgs {
    /// The address of the site, instead of a file: REST root, namespace and languages are found as by `init`, except
    /// the public address [env: `CALENDAR_EDGE_SITE`]
    #[arg(long = "site", id = "asked_site", value_name = "URL")]
    asked: Option<String>,
}

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
    pub(crate) fn over(
        &self,
        source: ConfigSource,
        others: &SiteArgs,
        environment: Environment<'_>,
        report: &mut Report<'_>,
    ) -> anyhow::Result<ConfigSource> {
        let Some(site) = self.site(others, environment)? else {
            return Ok(source);
        };
        let named = |flag: &Option<String>, variable| flag.clone().or_else(|| environment.text(variable));
        let namespace = named(&others.origin_namespace, ORIGIN_NAMESPACE.variable);
        let public_url = named(&others.public_url, PUBLIC_URL.variable);
        let question = SiteRequest {
            // What is no URL is told where the settings are read.
            public_url: public_url.and_then(|url| url.parse().ok()),
            ..SiteRequest::plain(site_address(&site)?, namespace)
        };
        let found = runtime::single()?.block_on(find(&question, report))?;
        Ok(source.with_text(format!("the configuration found for {site}"), text(&found, None)))
    }

    fn site(&self, others: &SiteArgs, environment: Environment<'_>) -> Result<Option<String>, Misuse> {
        let asked = self.asked.clone().or_else(|| environment.text(SITE));
        if asked.is_some() && others.is_given(environment) {
            return Err(CONFLICT);
        }
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::environment::ORIGIN;

    #[test]
    fn a_site_excludes_a_file_and_a_root_wherever_they_come_from() {
        let none = AskedSiteArgs::default();
        let asked = AskedSiteArgs {
            asked: Some("https://wp.example.org".to_owned()),
        };
        let plain = SiteArgs::default();
        let filed = SiteArgs {
            config: Some("edge.toml".into()),
            ..SiteArgs::default()
        };
        let rooted = SiteArgs {
            origin: Some("https://wp.example.org/wp-json".to_owned()),
            ..SiteArgs::default()
        };
        let unset = Environment::new(&|_| None);
        let root =
            |variable: &str| (variable == ORIGIN.variable).then(|| "https://wp.example.org/wp-json".into());
        assert_eq!(
            asked.site(&plain, unset).unwrap().as_deref(),
            Some("https://wp.example.org")
        );
        assert!(asked.site(&filed, unset).is_err());
        assert!(asked.site(&rooted, unset).is_err());
        assert!(asked.site(&plain, Environment::new(&root)).is_err());
        assert_eq!(none.site(&rooted, unset).unwrap(), None);
    }
}
