//! Everything that a site shows about itself, found in the order in which each thing can be asked.

use std::net::SocketAddr;
use std::time::Duration;

use calendar_edge::config::{Overrides, parse};
use calendar_edge_core::settings::{BackendSettings, OriginHost, OriginNamespace};
use calendar_edge_judge::contract::calendar_namespace;
use calendar_edge_judge::contract::drift::compare_index;
use http::header::SERVER;
use serde_json::Value;
use url::Url;

use super::hindrance::hindrance;
use super::languages::{SiteLanguages, site_languages};
use super::obstacle::{Obstacle, ObstacleKind};
use super::probe::Probe;
use super::rest_root::{RestRoot, rest_root};
use super::site_table::{added_parameters, in_force};
use super::survey_report::Report;
use super::versions::versions;
use super::visit::{Asking, SiteRequest, Visited};

/// A site whose calendar the edge can serve.
pub(crate) struct FoundSite {
    /// The REST root, without a slash at the end.
    pub(crate) root: Url,
    /// The host that requests have to name, where it is another than that of the root.
    pub(crate) host: Option<OriginHost>,
    pub(crate) namespace: String,
    /// Scheme, host and port by which visitors know the site.
    pub(crate) public: Url,
    pub(crate) name: Option<String>,
    pub(crate) zone: Option<String>,
    /// The address that answered.
    pub(crate) remote: Option<SocketAddr>,
    pub(crate) languages: SiteLanguages,
    /// Parameters that plugins add.
    pub(crate) parameters: Vec<String>,
}

/// Maximum time of all questions together, those of the check that follows included.
const PATIENCE: Duration = Duration::from_mins(1);

/// Asks a site for everything, beginning at its front page.
pub(crate) async fn find(question: &SiteRequest, report: &mut Report<'_>) -> Result<FoundSite, Obstacle> {
    let found = tokio::time::timeout(PATIENCE, ask(question, report)).await;
    found.map_err(|_| {
        Obstacle::other(format!(
            "the site has not answered all questions within {} s: run this again when it is faster",
            PATIENCE.as_secs()
        ))
    })?
}

/// Asks under the name in the address, and then under the public one: a server at an address of its own often knows the
/// site by that alone.
async fn ask(question: &SiteRequest, report: &mut Report<'_>) -> Result<FoundSite, Obstacle> {
    let plain = Asking {
        question,
        named: None,
    };
    let first = ask_under(plain, report).await;
    let (Err(obstacle), Some(public)) = (&first, question.other_name()) else {
        return first;
    };
    if !obstacle.may_end_under_the_name() {
        return first;
    }
    let host = public.host_str().unwrap_or_default();
    report.note(format!("asking again, as clients who name {host}"));
    let named = Asking {
        question,
        named: Some(public),
    };
    let second = ask_under(named, report).await;
    match (&first, &second) {
        (_, Ok(_)) => second,
        (Err(obstacle), _) if obstacle.kind == ObstacleKind::Elsewhere => second,
        _ => first,
    }
}

async fn ask_under(asking: Asking<'_>, report: &mut Report<'_>) -> Result<FoundSite, Obstacle> {
    let page = asking.visit(&asking.question.address, report).await?;
    let server = page.answer.header(&SERVER).unwrap_or("a server without a name");
    match hindrance(&page.answer) {
        Some(hindrance) => report.note(format!("{}: {hindrance}", page.url)),
        None => report.ok(format!(
            "{} responds with status {} ({server})",
            page.url,
            page.answer.status.as_u16()
        )),
    }
    let root = rest_root(asking, &page, report).await?;
    tell_root(&root, report);
    let namespace = namespace_of(&root, asking.question.namespace.as_deref())?;
    let site = site_of(asking, &root, &namespace);
    let (probe, text) = (Probe::of_site(&site)?, page.answer.text());
    let (index, shown) = tokio::join!(index(&site), versions(&probe, &site, &text));
    let (index, (plugin, wordpress)) = (index?, shown);
    report.ok(format!(
        "The Events Calendar {plugin}, WordPress {wordpress}: the namespace {namespace}"
    ));
    let languages = site_languages(&site, &page, &root.document, report).await?;
    let parameters = parameters(&site, &index, &languages, report).await?;
    let public = match &asking.question.public_url {
        Some(public) => public.clone(),
        None => public(&root, &page, report),
    };
    Ok(FoundSite {
        root: root.url,
        host: site.origin.host,
        namespace,
        public,
        name: root.document.name,
        zone: root.document.zone,
        remote: page.answer.remote,
        languages,
        parameters,
    })
}

fn tell_root(root: &RestRoot, report: &mut Report<'_>) {
    report.ok(format!("the REST root {}, {}", root.url, root.source));
    if let Some(printed) = &root.printed {
        report.note(format!("the site prints {printed} for its REST root"));
    }
    if let Some(zone) = &root.document.zone {
        report.ok(format!("the site's time zone is {zone}"));
    }
}

/// The namespace that the operator names, or the one of a calendar in the list of the root.
fn namespace_of(root: &RestRoot, wanted: Option<&str>) -> Result<String, Obstacle> {
    let listed = &root.document.namespaces;
    let found = wanted.or_else(|| calendar_namespace(listed.iter().map(String::as_str)));
    if let Some(found) = found {
        return Ok(found.to_owned());
    }
    let similar = listed.iter().filter(|name| name.ends_with("/events/v1"));
    let names: Vec<&str> = similar.map(String::as_str).collect();
    let url = &root.url;
    Err(Obstacle::other(if names.len() > 1 {
        format!(
            "{url} lists several namespaces that look like the plugin's, {}: name one with --origin-namespace",
            names.join(", ")
        )
    } else {
        format!(
            "{url} is a WordPress REST root without a calendar: it lists {}. Activate The Events Calendar (Plugins), and run \
             this again; if the plugin's namespace has another name, give it with --origin-namespace",
            few(listed)
        )
    }))
}

/// The first namespaces of a list.
fn few(namespaces: &[String]) -> String {
    const MOST: usize = 12;
    match namespaces {
        [] => "no namespace at all".to_owned(),
        few if few.len() <= MOST => few.join(", "),
        many => {
            let first: Vec<&str> = many.iter().take(MOST).map(String::as_str).collect();
            format!("{} and {} more", first.join(", "), many.len() - MOST)
        }
    }
}

fn site_of(asking: Asking<'_>, root: &RestRoot, namespace: &str) -> BackendSettings {
    let mut site = asking.site(&root.url);
    site.origin.namespace = OriginNamespace::set(namespace);
    site.origin.advertised_url.clone_from(&root.printed);
    site
}

async fn index(site: &BackendSettings) -> Result<Value, Obstacle> {
    let root = &site.origin.url;
    let index = Probe::of_root(site, root, "--site")?.index().await;
    index.map_err(|obstacle| {
        Obstacle::other(format!(
            "{root}: the index of the calendar's namespace cannot be read: {obstacle}"
        ))
    })
}

/// The parameters that plugins add at any root that is written, without those that no setting can name.
async fn parameters(
    site: &BackendSettings,
    index: &Value,
    languages: &SiteLanguages,
    report: &mut Report<'_>,
) -> Result<Vec<String>, Obstacle> {
    let further = languages.indexes.iter().map(|(url, index)| (url, index));
    let mut found = Vec::new();
    for (url, index) in std::iter::once((&site.origin.url, index)).chain(further) {
        let probe = Probe::of_root(site, url, "--site")?;
        let drifts = compare_index(index, &site.origin.namespace);
        found.extend(added_parameters(
            &drifts,
            &in_force(index, &probe, &site.origin.namespace).await,
        ));
    }
    found.sort();
    found.dedup();
    found.retain(|name| is_settable(name));
    if !found.is_empty() {
        report.ok(format!("plugins add the parameters {}", found.join(", ")));
    }
    Ok(found)
}

/// Whether `extra_parameters` takes a name.
fn is_settable(name: &str) -> bool {
    let name = toml::Value::String(name.to_owned());
    let file = format!("extra_parameters = [{name}]\n[origin]\nurl = \"https://wp.example.org/wp-json\"\n");
    parse("a name", &file, &Overrides::default()).is_ok()
}

/// Scheme, host and port by which the site names itself; without a name those that answered.
fn public(root: &RestRoot, page: &Visited, report: &mut Report<'_>) -> Url {
    let named = root.document.home.as_ref().filter(|home| home.has_host());
    let is_web = |home: &&Url| matches!(home.scheme(), "http" | "https");
    let origin = named.filter(is_web).unwrap_or(&page.url).origin();
    let public = Url::parse(&origin.ascii_serialization()).unwrap_or_else(|_| page.url.clone());
    if public.origin() != page.url.origin() {
        report.note(format!(
            "the site calls itself {public}, which is written as the public address"
        ));
    }
    public
}
