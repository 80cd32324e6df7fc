//! Everything that a site shows about itself, in the order in which it can be requested.

use std::net::SocketAddr;

use calendar_edge_judge::contract::calendar_namespace;
use http::header::SERVER;
use url::Url;

use super::check_line::LineKind::{Note, Ok as Fine};
use super::check_line::{CheckLine, shortened};
use super::hindrance::hindrance;
use super::obstacle::Obstacle;
use super::responses::Responses;
use super::rest_root::{RestRoot, rest_root};
use super::root_document::{namespaces, text, zone};
use super::site_table::{added_parameters, in_force};
use super::surveyed_site::SurveyedSite;
use super::versions::plugin_version;
use super::visit::{SiteRequest, Visited};
use crate::settings::{OriginHost, OriginNamespace};

/// A site whose calendar the edge can serve.
#[derive(Debug)]
pub struct FoundSite {
    /// The REST root, without a slash at the end.
    pub root: Url,
    /// The host that requests have to name, where it is another than that of the root.
    pub host: Option<OriginHost>,
    /// The namespace of the calendar.
    pub namespace: String,
    /// Scheme, host and port of the site for visitors.
    pub public: Url,
    /// Its name.
    pub name: Option<String>,
    /// Its time zone.
    pub zone: Option<String>,
    /// The address that responded.
    pub remote: Option<SocketAddr>,
    /// Parameters that plugins add.
    pub parameters: Vec<String>,
}

/// The site of which only the front page is known, as the responses so far show it, with lines about it.
///
/// # Errors
/// The reason for which the site cannot be used.
pub fn find(
    responses: &Responses,
    request: &SiteRequest,
    lines: &mut Vec<CheckLine>,
) -> Result<FoundSite, Obstacle> {
    let page = request.visit(responses, &request.address, lines)?;
    lines.push(front_page(&page));
    let root = rest_root(responses, request, &page, lines)?;
    let zone = zone(&root.document);
    lines.extend(
        zone.as_ref()
            .map(|zone| Fine.line(format!("the site's time zone is {zone}"))),
    );
    let namespace = namespace_of(&root, request.namespace.as_deref())?;
    let mut site = request.site(&root.url);
    site.origin.namespace = OriginNamespace::set(&*namespace);
    site.origin.advertised_url.clone_from(&root.printed);
    let plugin = plugin_version(&SurveyedSite::of_site(responses, &site, "origin.url"));
    let place = SurveyedSite::of_root(responses, &site, &root.url, "--site");
    let index = place.index().map_err(|obstacle| {
        let unread = "the index of the calendar's namespace cannot be read";
        Obstacle::new(obstacle.kind, format!("{}: {unread}: {obstacle}", root.url))
    })?;
    lines.push(Fine.line(format!("The Events Calendar {plugin}: the namespace {namespace}")));
    let table = in_force(&index, &place);
    let parameters = added_parameters(&table).into_iter().map(str::to_owned).collect();
    let public = match &request.public_url {
        Some(public) => public.clone(),
        None => public(&root, &page, lines),
    };
    Ok(FoundSite {
        root: root.url,
        host: site.origin.host,
        namespace,
        public,
        name: text(&root.document, "name").map(str::to_owned),
        zone,
        remote: page.response.remote,
        parameters,
    })
}

fn front_page(page: &Visited<'_>) -> CheckLine {
    let (url, status) = (&page.url, page.response.status.as_u16());
    let server = page.response.header(&SERVER).unwrap_or("a server without a name");
    match hindrance(page.response) {
        Some(hindrance) => Note.line(format!("{url}: {hindrance}")),
        None => Fine.line(format!("{url} responds with status {status} ({server})")),
    }
}

/// The namespace that the operator names, or the one of a calendar in the list of the root.
fn namespace_of(root: &RestRoot, wanted: Option<&str>) -> Result<String, Obstacle> {
    let listed = namespaces(&root.document);
    let found = wanted.or_else(|| calendar_namespace(listed.iter().copied()));
    if let Some(found) = found {
        return Ok(found.to_owned());
    }
    let all = Some(shortened(&listed, 12, 12)).filter(|all| !all.is_empty());
    let similar = listed.iter().copied().filter(|name| name.ends_with("/events/v1"));
    let names: Vec<&str> = similar.collect();
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
            all.unwrap_or_else(|| "no namespace at all".to_owned())
        )
    }))
}

/// Scheme, host and port by which the site names itself; without a name those that responded.
fn public(root: &RestRoot, page: &Visited<'_>, lines: &mut Vec<CheckLine>) -> Url {
    let home = text(&root.document, "home").and_then(|home| Url::parse(home).ok());
    let is_web = |home: &Url| home.has_host() && matches!(home.scheme(), "http" | "https");
    let origin = home.filter(is_web).unwrap_or_else(|| page.url.clone()).origin();
    let public = Url::parse(&origin.ascii_serialization()).unwrap_or_else(|_| page.url.clone());
    if public.origin() != page.url.origin() {
        lines.push(Note.line(format!(
            "the site calls itself {public}, which is written as the public address"
        )));
    }
    public
}
