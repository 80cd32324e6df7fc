//! The languages of a site: what `check` says of those that are not configured, and what `init` writes of them.

use calendar_edge_core::settings::BackendSettings;
use serde_json::Value;
use url::Url;

use super::addresses::home_path;
use super::further_roots::{FurtherRoot, LanguageHome, RootPlace, alternates, further_roots};
use super::obstacle::Obstacle;
use super::probe::Probe;
use super::probe_response::ProbeResponse;
use super::root_document::{RootDocument, languages};
use super::survey_report::Report;
use super::visit::Visited;

/// The languages of a site.
#[derive(Debug, Default)]
pub(crate) struct SiteLanguages {
    /// That of the first root.
    pub(crate) own: Option<String>,
    /// Further roots that publish the namespace.
    pub(crate) roots: Vec<FurtherRoot>,
    /// The indexes of those that are at the site, by the address of the root.
    pub(super) indexes: Vec<(Url, Value)>,
}

/// Names the languages that the site advertises and the settings do not have.
pub(super) async fn check_languages(
    probe: &Probe<'_>,
    site: &BackendSettings,
    home: Option<&ProbeResponse>,
    report: &mut Report<'_>,
) {
    for root in further_roots(probe, site, home, &[]).await {
        let (told, named) = (root.told(), &root.named);
        match root.place {
            RootPlace::Site | RootPlace::Subsite => {
                report.differs(format!(
                    "the site advertises {told} with the REST root {named}, which is not configured: its addresses lead past \
                     the edge or to 404"
                ));
                report.paste(&root.paste(site));
            }
            RootPlace::Nowhere => report.note(format!(
                "the site advertises {told}, and has no REST root at {named}: clients ask for it with `lang`"
            )),
            RootPlace::OtherHost => {
                report.note(format!(
                    "the site advertises {told} on another host. If {named} is its REST root, clients of the edge reach it \
                     with"
                ));
                report.paste(&root.paste(site));
            }
        }
    }
}

/// Finds the languages from `hreflang` links, `Link` headers and what plugins list, and asks each root.
pub(super) async fn site_languages(
    site: &BackendSettings,
    page: &Visited,
    document: &RootDocument,
    report: &mut Report<'_>,
) -> Result<SiteLanguages, Obstacle> {
    let probe = Probe::of_site(site)?;
    let listed = listed(site, document).await?;
    let mut found = SiteLanguages {
        own: own_language(site, page, &listed),
        ..SiteLanguages::default()
    };
    if let Some(own) = &found.own {
        report.ok(format!("the language `{own}` at {}", site.origin.url));
    }
    for root in further_roots(&probe, site, Some(&page.answer), &listed).await {
        if let Some(index) = asked(site, &root, report).await? {
            if root.place == RootPlace::Site {
                found.indexes.push((root.url.clone(), index));
            }
            found.roots.push(root);
        }
    }
    Ok(found)
}

/// The languages that plugins list: Polylang in a route of its own, others in the document of the root.
async fn listed(site: &BackendSettings, document: &RootDocument) -> Result<Vec<LanguageHome>, Obstacle> {
    let mut found = document.languages.clone();
    if document.has_namespace("pll/v1") {
        let probe = Probe::of_root(site, &site.origin.url, "--site")?;
        found.extend(probe.json("pll/v1/languages").await.iter().flat_map(languages));
    }
    Ok(found)
}

/// The language whose home page is the one of the first root.
fn own_language(site: &BackendSettings, page: &Visited, listed: &[LanguageHome]) -> Option<String> {
    let home = home_path(&site.origin.url);
    let in_page = alternates(&page.answer, &page.url);
    let mut all = in_page.iter().chain(listed);
    let own = all.find(|(_, address)| {
        let path = format!("{}/", address.path().trim_end_matches('/'));
        address.host() == page.url.host() && path == home && address.query().is_none()
    });
    own.map(|(language, _)| language.clone())
}

/// Asks a root for its index, and says what it answers; none: it is none.
async fn asked(
    site: &BackendSettings,
    root: &FurtherRoot,
    report: &mut Report<'_>,
) -> Result<Option<Value>, Obstacle> {
    let (told, url) = (root.told(), &root.url);
    if root.place == RootPlace::Nowhere {
        report.note(format!(
            "{told} has no REST root of its own: clients ask for it with `lang`"
        ));
        return Ok(None);
    }
    let index = match Probe::of_root(site, url, "roots.origin_url")?.index().await {
        Ok(index) => index,
        Err(obstacle) => {
            report.warning(format!("{told} at {url} is left out: {obstacle}"));
            return Ok(None);
        }
    };
    let commented = "its lines are written as a comment";
    match root.place {
        RootPlace::OtherHost => report.note(format!("{told} at {url} is on another host: {commented}")),
        RootPlace::Subsite => report.note(format!("{told} at {url} has a calendar of its own: {commented}")),
        RootPlace::Site | RootPlace::Nowhere => report.ok(format!("{told} at {url}")),
    }
    Ok(Some(index))
}
