//! The REST root of a site: named by its front page, or where WordPress usually has it.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;

use super::addresses::{home_path, without_slash};
use super::check_line::CheckLine;
use super::check_line::LineKind::{Note, Ok as Fine};
use super::hindrance::hindrance;
use super::obstacle::{Obstacle, ObstacleKind};
use super::responses::Responses;
use super::root_document::root_document;
use super::surveyed_site::{BASIC_AT_WORDPRESS, PLAIN_PERMALINKS};
use super::visit::{SiteRequest, Visited, front, is_same_site};
use crate::pages::tags;

/// A REST root that responds.
pub(super) struct RestRoot {
    /// Without a slash at the end.
    pub(super) url: Url,
    pub(super) document: Value,
    /// The address that the site prints for it, if it is on another host.
    pub(super) printed: Option<Url>,
}

/// An address that may be a REST root: where it is from, and the address that the site prints for it if that is on another
/// host.
type RootCandidate = (Url, &'static str, Option<Url>);

/// Finds the root: the `Link` header, the `link` element, then `/wp-json/` below the front page and below the address that
/// was given.
pub(super) fn rest_root(
    responses: &Responses,
    request: &SiteRequest,
    page: &Visited<'_>,
    lines: &mut Vec<CheckLine>,
) -> Result<RestRoot, Obstacle> {
    let source = |is_in_header| {
        if is_in_header {
            "named by the Link header of the front page"
        } else {
            "named by the front page"
        }
    };
    let roots = page.response.links().into_iter().filter(|link| link.is_api);
    let named: Vec<(&str, Url)> = roots
        .filter_map(|link| Some((source(link.is_in_header), page.url.join(&link.target).ok()?)))
        .collect();
    let (mut failed, mut known) = (Vec::new(), BTreeSet::new());
    for candidate in candidates(page, &request.address, &named) {
        if !known.insert(candidate.0.to_string()) {
            continue;
        }
        match look(responses, request, candidate, lines) {
            // Later candidates are requested only if this one is none.
            Err(obstacle) if !matches!(obstacle.kind, ObstacleKind::Pending | ObstacleKind::Late) => {
                failed.push(obstacle);
            }
            found => return found,
        }
    }
    let strange = failed.iter().find(|it| it.kind == ObstacleKind::Strange);
    let nearest = strange.or_else(|| failed.iter().rfind(|it| it.kind == ObstacleKind::Refused));
    Err(nearest
        .cloned()
        .unwrap_or_else(|| nowhere(responses, request, page, &named, &failed)))
}

/// The named roots that have a path, and the usual ones, all at the host of the page.
fn candidates(page: &Visited<'_>, asked: &Url, named: &[(&'static str, Url)]) -> Vec<RootCandidate> {
    let named = named
        .iter()
        .filter(|(_, root)| root.query().is_none())
        .map(|(source, root)| {
            let printed = (root.origin() != page.url.origin()).then(|| root.clone());
            (at_host_of(&page.url, root.path()), *source, printed)
        });
    let usual = [page.url.path(), asked.path()].map(|path| {
        let url = at_host_of(&page.url, &format!("{}wp-json/", folder(path)));
        (url, "at WordPress's usual place", None)
    });
    named.chain(usual).collect()
}

/// Scheme, host and port of one URL with the path of another; the path ends with a slash.
fn at_host_of(page: &Url, path: &str) -> Url {
    let mut url = page.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&format!("{}/", path.trim_end_matches('/')));
    url
}

/// The folder of a page: up to its last slash.
fn folder(path: &str) -> &str {
    path.rfind('/').and_then(|end| path.get(..=end)).unwrap_or("/")
}

/// Advice where every client is refused.
const CLOSED: &str =
    "look for a plugin or a rule of the web server that closes it, and open reads of the calendar";

/// The root, if the candidate is one.
fn look(
    responses: &Responses,
    request: &SiteRequest,
    (url, source, printed): RootCandidate,
    lines: &mut Vec<CheckLine>,
) -> Result<RestRoot, Obstacle> {
    let Visited { url: at, response } = request.visit(responses, &url, lines)?;
    let reason = match root_document(response) {
        Ok(document) => {
            let url = without_slash(&at);
            lines.push(Fine.line(format!("the REST root {url}, {source}")));
            if let Some(printed) = &printed {
                lines.push(Note.line(format!("the site prints {printed} for its REST root")));
            }
            return Ok(RestRoot {
                url,
                document,
                printed,
            });
        }
        Err(reason) => reason,
    };
    if let Some(hindrance) = hindrance(response) {
        return Err(Obstacle::new(ObstacleKind::Strange, format!("{at}: {hindrance}")));
    }
    if !matches!(response.status.as_u16(), 401 | 403) || response.json().is_none() {
        return Err(Obstacle::other(format!("{url} responds with {reason}")));
    }
    let credentials = request.access.basic_auth.as_ref();
    let advice = credentials.map_or(CLOSED, |_| BASIC_AT_WORDPRESS);
    let root = without_slash(&url);
    let text = format!("the REST API at {root} refuses visitors ({reason}): {advice}");
    Err(Obstacle::new(ObstacleKind::Refused, text))
}

/// The reason for which there is no root, where nothing nearer shows.
fn nowhere(
    responses: &Responses,
    request: &SiteRequest,
    page: &Visited<'_>,
    named: &[(&str, Url)],
    failed: &[Obstacle],
) -> Obstacle {
    let url = &page.url;
    let mut plain = at_host_of(url, folder(url.path()));
    plain.set_query(Some("rest_route=/"));
    let is_plain = named.iter().any(|(_, root)| root.query().is_some());
    // The destination of its redirects is of no interest.
    let found = request.visit(responses, &plain, &mut Vec::new());
    if is_plain || found.is_ok_and(|found| root_document(found.response).is_ok()) {
        return Obstacle::other(format!("{url}: {PLAIN_PERMALINKS}"));
    }
    if let Some((_, root)) = named.iter().find(|(_, root)| !is_same_site(url, root)) {
        let mut above = root.clone();
        above.set_path(&home_path(root));
        let text = format!(
            "{url} names a REST root at another site, {root}, and has none itself: run this with --site {}",
            front(&above)
        );
        return Obstacle::new(ObstacleKind::Elsewhere, text);
    }
    let tried: Vec<String> = failed.iter().map(ToString::to_string).collect();
    let tried = tried.join("; ");
    let text = if !named.is_empty() || is_wordpress(&page.response.text()) {
        format!(
            "{url} is a WordPress site, but its REST API does not respond: {tried}. Look for a plugin or a rule of the web \
                 server that switches it off, and save Settings > Permalinks once"
        )
    } else {
        format!(
            "{url} is not a WordPress site, as far as it shows: no `Link` to a REST root on its front page, and {tried}. \
                 Give --site the address of the front page, with the folder if WordPress is in one"
        )
    };
    Obstacle::new(ObstacleKind::Strange, text)
}

/// True if a page is one of WordPress: it loads files from WordPress's folders, or names it as its generator.
fn is_wordpress(page: &str) -> bool {
    let is_generator = |content: &str| content.starts_with("WordPress");
    tags(page).any(|tag| {
        let addresses = ["href", "src"].into_iter().filter_map(|name| tag.attribute(name));
        let mut addresses =
            addresses.filter(|address| address.contains("/wp-content/") || address.contains("/wp-includes/"));
        addresses.next().is_some() || (tag.is("meta") && tag.attribute("content").is_some_and(is_generator))
    })
}
