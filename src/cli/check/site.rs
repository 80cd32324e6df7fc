//! The site around the REST roots: its pages, its languages and its versions.

use std::io;

use calendar_edge_core::settings::BackendSettings;
use calendar_edge_judge::contract::TableInForce;

use crate::survey::{
    Hindrance, Home, Probe, ProbeResponse, Report, RootFound, SAME_HOME, Trouble, advertised, home,
    home_path, past_the_edge, plugin, wordpress,
};

/// The home page, asked for on the way that the rest of the site takes.
pub(super) struct CheckedSite<'a> {
    pub(super) backend: &'a BackendSettings,
    probe: Probe<'a>,
    home: Result<ProbeResponse, Trouble>,
}

/// Stands for a version that the site hides.
const NOT_SHOWN: &str = "(version not shown)";

// === impl CheckedSite ===

impl<'a> CheckedSite<'a> {
    /// Asks for the home page.
    pub(super) async fn ask(backend: &'a BackendSettings) -> anyhow::Result<Self> {
        let probe = Probe::of_site(backend)?;
        let home = probe.page(&home_path(&backend.origin.url)).await;
        Ok(Self { backend, probe, home })
    }

    /// The version of the plugin, if the site shows it.
    pub(super) async fn plugin(&self) -> Option<String> {
        let readme = self.probe.readme().await?;
        plugin(&readme.text()).map(str::to_owned)
    }

    /// Plugin and WordPress, as far as the site shows their versions.
    pub(super) fn versions(&self, plugin: Option<&str>, in_force: &TableInForce) -> String {
        let page = self.home.as_ref().map(ProbeResponse::text).unwrap_or_default();
        let plugin = plugin.unwrap_or(NOT_SHOWN);
        let wordpress = wordpress(&page).unwrap_or(NOT_SHOWN);
        let generation = in_force.generations();
        format!("The Events Calendar {plugin} (generation: {generation}), WordPress {wordpress}")
    }

    /// Names the languages that the site advertises and the settings do not have.
    pub(super) async fn check_languages(&self, report: &mut Report<'_>) -> io::Result<()> {
        for found in advertised(&self.probe, self.backend, self.home.as_ref().ok(), &[]).await {
            let language = found.named();
            let root = &found.root;
            match found.found {
            RootFound::Exists | RootFound::Subsite => {
                let text = "its addresses lead past the edge or to 404";
                report.differs(&format!(
                    "the site advertises {language} with the REST root {root}, which is not configured: {text}"
                ))?;
                report.paste(&found.paste(self.backend))?;
            }
            RootFound::Absent => report.note(&format!(
                "the site advertises {language}, and has no REST root at {root}: clients ask for it with `lang`"
            ))?,
            RootFound::OtherHost => {
                report.note(&format!(
                    "the site advertises {language} on another host. If {root} is its REST root, clients of the edge \
                     reach it with"
                ))?;
                report.paste(&found.paste(self.backend))?;
            }
        }
        }
        Ok(())
    }

    /// Says if WordPress takes the credentials of the web server for those of an account: then every visitor would be that
    /// account, and see what it sees.
    pub(super) async fn check_basic_auth(&self, report: &mut Report<'_>) -> anyhow::Result<()> {
        let origin = &self.backend.origin;
        if origin.basic_auth.is_none() {
            return Ok(());
        }
        let probe = Probe::of_root(self.backend, &origin.url, "origin.url")?;
        if probe.json("wp/v2/users/me").await.is_some() {
            report.unusable(
                "WordPress takes the credentials of `origin.basic_auth_file` for an account, so that every visitor would \
                 be that account: give the web server a name that WordPress does not have",
            )?;
        }
        Ok(())
    }

    /// Says what the home page shows about the address of the site.
    pub(super) fn check_home(&self, report: &mut Report<'_>) -> io::Result<()> {
        let answer = match &self.home {
            Ok(answer) => answer,
            Err(trouble) => return report.unusable(&format!("the home page: {trouble}")),
        };
        if let Some(hindrance) = Hindrance::of(answer) {
            return report.differs(&format!("the home page: {hindrance}"));
        }
        match home(&self.probe, answer, self.backend) {
            Home::Fits { status } => report.ok(&format!("the home page (status {status})"))?,
            Home::Loop { location, advice } => {
                let text = format!("the home page redirects to itself, {location}: {advice}");
                report.unusable(&text)?;
            }
            Home::Elsewhere {
                location,
                asked,
                advice,
            } => {
                let text = format!("clients who ask for {asked} are sent to {location}");
                report.differs(&format!("{text}: {advice}"))?;
            }
        }
        let past = past_the_edge(&answer.text(), self.probe.address(), self.backend);
        for (host, count) in past {
            report.differs(&format!(
                "the home page names {host} in {count} addresses, which lead clients past the edge: {SAME_HOME}"
            ))?;
        }
        Ok(())
    }
}
