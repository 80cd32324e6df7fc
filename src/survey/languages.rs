//! The languages of a site, each with the REST root that was asked for it.

use calendar_edge_core::settings::BackendSettings;
use serde_json::Value;
use url::Url;

use super::advertised::{Advertised, LanguageHome, RootFound, advertised, alternates};
use super::home::home_path;
use super::obstacle::Obstacle;
use super::probe::Probe;
use super::root_document::{RootDocument, languages};
use super::survey_report::Report;
use super::visit::Visited;

/// The languages of a site.
#[derive(Debug, Default)]
pub(crate) struct SiteLanguages {
    /// That of the first root.
    pub(crate) own: Option<String>,
    pub(crate) roots: Vec<LanguageRoot>,
}

/// A further root that publishes the namespace.
#[derive(Debug)]
pub(crate) struct LanguageRoot {
    pub(crate) language: Option<String>,
    /// The public path, which is the one at the site.
    pub(crate) path: String,
    pub(crate) url: Url,
    pub(crate) index: Value,
    /// Whether it is on the host of the first root.
    pub(crate) place: RootPlace,
}

/// The host of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootPlace {
    SameHost,
    /// Another host, which pages of the site name.
    OtherHost,
    /// The same host, for a further site of its network.
    Subsite,
}

/// Finds the languages from `hreflang` links, `Link` headers and what plugins list, and asks each root.
pub(super) async fn site_languages(
    site: &BackendSettings,
    page: &Visited,
    document: &RootDocument,
    report: &mut Report<'_>,
) -> Result<SiteLanguages, Obstacle> {
    let probe = Probe::of_site(site).map_err(Obstacle::Client)?;
    let listed = listed(site, document).await?;
    let mut found = SiteLanguages {
        own: own_language(site, page, &listed),
        roots: Vec::new(),
    };
    if let Some(own) = &found.own {
        report.ok(&format!("the language `{own}` at {}", site.origin.url))?;
    }
    for further in advertised(&probe, site, Some(&page.answer), &listed).await {
        found.roots.extend(asked(site, &further, report).await?);
    }
    Ok(found)
}

/// The languages that plugins list: Polylang in a route of its own, others in the document of the root.
async fn listed(site: &BackendSettings, document: &RootDocument) -> Result<Vec<LanguageHome>, Obstacle> {
    let mut found = document.languages.clone();
    if document.has_namespace("pll/v1") {
        let probe = Probe::of_root(site, &site.origin.url, "--site").map_err(Obstacle::Client)?;
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

/// Asks a root for the namespace, and says what it answers; none: it is none.
async fn asked(
    site: &BackendSettings,
    further: &Advertised,
    report: &mut Report<'_>,
) -> Result<Option<LanguageRoot>, Obstacle> {
    let named = further.named();
    let url = further.origin_url(site);
    if further.found == RootFound::Absent {
        let text = "has no REST root of its own: clients ask for it with `lang`";
        report.note(&format!("{named} {text}"))?;
        return Ok(None);
    }
    let probe = Probe::of_root(site, &url, "roots.origin_url").map_err(Obstacle::Client)?;
    let index = match probe.index().await {
        Ok(index) => index,
        Err(trouble) => {
            report.warning(&format!("{named} at {url} is left out: {trouble}"))?;
            return Ok(None);
        }
    };
    let place = place(further.found);
    let commented = "its lines are written as a comment";
    match place {
        RootPlace::OtherHost => report.note(&format!("{named} at {url} is on another host: {commented}"))?,
        RootPlace::Subsite => report.note(&format!(
            "{named} at {url} has a calendar of its own: {commented}"
        ))?,
        RootPlace::SameHost => report.ok(&format!("{named} at {url}"))?,
    }
    Ok(Some(LanguageRoot {
        language: further.language.clone(),
        path: further.public_path(),
        url,
        index,
        place,
    }))
}

const fn place(found: RootFound) -> RootPlace {
    match found {
        RootFound::OtherHost => RootPlace::OtherHost,
        RootFound::Subsite => RootPlace::Subsite,
        RootFound::Exists | RootFound::Absent => RootPlace::SameHost,
    }
}
