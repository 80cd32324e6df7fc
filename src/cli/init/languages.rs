//! The languages of a site, each with the REST root that was asked for it.

use calendar_edge_core::settings::Settings;
use serde_json::Value;
use url::Url;

use super::super::check::{
    Advertised, LanguageHome, Probe, Report, RootFound, advertised, alternates, home_path,
};
use super::obstacle::Obstacle;
use super::root_document::{RootDocument, languages};
use super::visit::Visited;

/// The languages of a site.
#[derive(Debug, Default)]
pub(super) struct SiteLanguages {
    /// That of the first root.
    pub(super) own: Option<String>,
    pub(super) roots: Vec<LanguageRoot>,
}

/// A further root that publishes the namespace.
#[derive(Debug)]
pub(super) struct LanguageRoot {
    pub(super) language: Option<String>,
    /// The public path, which is the one at the site.
    pub(super) path: String,
    pub(super) url: Url,
    pub(super) index: Value,
    /// Whether it is on the host of the first root.
    pub(super) place: RootPlace,
}

/// The host of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RootPlace {
    SameHost,
    /// Another host, which pages of the site name.
    OtherHost,
}

/// Finds the languages from `hreflang` links, `Link` headers and what plugins list, and asks each root.
pub(super) async fn site_languages(
    settings: &Settings,
    page: &Visited,
    document: &RootDocument,
    report: &mut Report<'_>,
) -> Result<SiteLanguages, Obstacle> {
    let probe = Probe::of_site(settings).map_err(Obstacle::Client)?;
    let listed = listed(settings, document).await?;
    let mut found = SiteLanguages {
        own: own_language(settings, page, &listed),
        roots: Vec::new(),
    };
    if let Some(own) = &found.own {
        report.ok(&format!("the language `{own}` at {}", settings.origin.url))?;
    }
    for further in advertised(&probe, settings, Some(&page.answer), &listed).await {
        found.roots.extend(asked(settings, &further, report).await?);
    }
    Ok(found)
}

/// The languages that plugins list: Polylang in a route of its own, others in the document of the root.
async fn listed(settings: &Settings, document: &RootDocument) -> Result<Vec<LanguageHome>, Obstacle> {
    let mut found = document.languages.clone();
    if document.has_namespace("pll/v1") {
        let probe = Probe::of_root(settings, &settings.origin.url, "--site").map_err(Obstacle::Client)?;
        found.extend(probe.json("pll/v1/languages").await.iter().flat_map(languages));
    }
    Ok(found)
}

/// The language whose home page is the one of the first root.
fn own_language(settings: &Settings, page: &Visited, listed: &[LanguageHome]) -> Option<String> {
    let home = home_path(&settings.origin.url);
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
    settings: &Settings,
    further: &Advertised,
    report: &mut Report<'_>,
) -> Result<Option<LanguageRoot>, Obstacle> {
    let named = match &further.language {
        Some(tag) => format!("the language `{tag}`"),
        None => "a further root".to_owned(),
    };
    let url = further.origin_url(settings);
    if further.found == RootFound::Absent {
        let text = "has no REST root of its own: clients ask for it with `lang`";
        report.note(&format!("{named} {text}"))?;
        return Ok(None);
    }
    let probe = Probe::of_root(settings, &url, "roots.origin_url").map_err(Obstacle::Client)?;
    let index = match probe.index().await {
        Ok(index) => index,
        Err(trouble) => {
            report.warning(&format!("{named} at {url} is left out: {trouble}"))?;
            return Ok(None);
        }
    };
    let place = place(further.found);
    if place == RootPlace::OtherHost {
        let text = "is on another host: its lines are written as a comment";
        report.note(&format!("{named} at {url} {text}"))?;
    } else {
        report.ok(&format!("{named} at {url}"))?;
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
        RootFound::Exists | RootFound::Absent => RootPlace::SameHost,
    }
}
