//! The REST root of a site: named by its front page, or where WordPress usually has it.

use std::collections::BTreeSet;

use calendar_edge_core::relay::API_RELATION;
use http::header::LINK;
use url::Url;

use super::addresses::home_path;
use super::header_links::header_links;
use super::hindrance::hindrance;
use super::obstacle::{Obstacle, ObstacleKind};
use super::probe::BASIC_AT_WORDPRESS;
use super::root_document::RootDocument;
use super::survey_report::Report;
use super::visit::{Asking, Visited, front, is_same_site};
use calendar_edge_core::pages::tags;

/// A REST root that answers.
pub(super) struct RestRoot {
    /// Without a slash at the end.
    pub(super) url: Url,
    pub(super) document: RootDocument,
    pub(super) source: RootSource,
    /// The address that the site prints for it, if it is on another host.
    pub(super) printed: Option<Url>,
}

/// Where the address of a root is from, in words.
type RootSource = &'static str;

const LINK_HEADER: RootSource = "named by the Link header of the front page";
const LINK_ELEMENT: RootSource = "named by the front page";
const USUAL: RootSource = "at WordPress's usual place";

/// An address that may be a REST root: where it is from, and the address that the site prints for it if that is on another
/// host.
type RootCandidate = (Url, RootSource, Option<Url>);

/// The search below one front page.
struct RootSearch<'a> {
    asking: Asking<'a>,
    page: &'a Visited,
    /// What each candidate answered instead.
    tried: Vec<String>,
    closed: Option<Obstacle>,
    /// The first candidate before which something else answers.
    hindered: Option<Obstacle>,
}

/// Finds the root: the `Link` header, the `link` element, then `/wp-json/` below the front page and below the address that
/// was given.
pub(super) async fn rest_root(
    asking: Asking<'_>,
    page: &Visited,
    report: &mut Report<'_>,
) -> Result<RestRoot, Obstacle> {
    let mut search = RootSearch {
        asking,
        page,
        tried: Vec::new(),
        closed: None,
        hindered: None,
    };
    let named = named(page);
    let is_plain = named.iter().any(|(_, root)| root.query().is_some());
    let mut known = BTreeSet::new();
    for candidate in candidates(page, &asking.question.address, &named) {
        if !known.insert(candidate.0.to_string()) {
            continue;
        }
        if let Some(root) = search.ask(candidate, report).await {
            return Ok(root);
        }
    }
    Err(search.obstacle(is_plain, &named, report).await)
}

/// The addresses that the page names as its REST root.
fn named(page: &Visited) -> Vec<(RootSource, Url)> {
    let text = page.answer.text();
    let fields = page.answer.fields(&LINK);
    let in_headers = fields.iter().flat_map(|field| header_links(field));
    let in_headers = in_headers
        .filter(|link| link.is_api)
        .map(|link| (LINK_HEADER, link.target));
    let in_head = tags(&text)
        .filter(|tag| tag.is("link") && tag.attribute("rel") == Some(API_RELATION))
        .filter_map(|tag| Some((LINK_ELEMENT, tag.attribute("href")?)));
    let join = |(source, href): (RootSource, &str)| {
        let href = href.replace("&amp;", "&").replace("&#038;", "&");
        Some((source, page.url.join(&href).ok()?))
    };
    in_headers.chain(in_head).filter_map(join).collect()
}

/// The named roots that have a path, and the usual ones, all at the host of the page.
fn candidates(page: &Visited, asked: &Url, named: &[(RootSource, Url)]) -> Vec<RootCandidate> {
    let named = named
        .iter()
        .filter(|(_, root)| root.query().is_none())
        .map(|(source, root)| {
            let printed = (root.origin() != page.url.origin()).then(|| root.clone());
            (at_host_of(&page.url, root.path()), *source, printed)
        });
    let usual = [page.url.path(), asked.path()].map(|path| {
        let url = at_host_of(&page.url, &format!("{}wp-json/", folder(path)));
        (url, USUAL, None)
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

/// What to do where nobody gets in.
const CLOSED: &str =
    "look for a plugin or a rule of the web server that closes it, and open reads of the calendar";

// === impl RootSearch ===

impl RootSearch<'_> {
    /// The root, if the candidate is one.
    async fn ask(
        &mut self,
        (url, source, printed): RootCandidate,
        report: &mut Report<'_>,
    ) -> Option<RestRoot> {
        let url = &url;
        let found = match self.asking.visit(url, report).await {
            Ok(found) => found,
            Err(obstacle) => {
                self.tried.push(obstacle.to_string());
                return None;
            }
        };
        if let (None, Some(hindrance)) = (&self.hindered, hindrance(&found.answer)) {
            let text = format!("{}: {hindrance}", found.url);
            self.hindered = Some(Obstacle::new(ObstacleKind::Strange, text));
        }
        match RootDocument::read(&found.answer) {
            Ok(document) => {
                return Some(RestRoot {
                    url: without_slash(&found.url),
                    document,
                    source,
                    printed,
                });
            }
            Err(reason)
                if matches!(found.answer.status.as_u16(), 401 | 403) && found.answer.json().is_some() =>
            {
                let advice = match self.asking.question.basic_auth {
                    Some(_) => BASIC_AT_WORDPRESS,
                    None => CLOSED,
                };
                self.closed = Some(Obstacle::other(format!(
                    "the REST API at {} refuses visitors ({reason}): {advice}",
                    without_slash(url)
                )));
            }
            Err(reason) => self.tried.push(format!("{url} answers with {reason}")),
        }
        None
    }

    /// Why there is no root: the nearest cause that shows.
    async fn obstacle(
        self,
        is_plain: bool,
        named: &[(RootSource, Url)],
        report: &mut Report<'_>,
    ) -> Obstacle {
        let url = &self.page.url;
        if let Some(found) = self.hindered.or(self.closed) {
            return found;
        }
        let mut plain = at_host_of(url, folder(url.path()));
        plain.set_query(Some("rest_route=/"));
        let answer = self.asking.visit(&plain, report).await;
        if is_plain || answer.is_ok_and(|found| RootDocument::read(&found.answer).is_ok()) {
            return Obstacle::other(format!(
                "the REST API of {url} is only at `?rest_route=/`, which cannot be a REST root of the edge, because it is no \
                 path: choose another structure than Plain in Settings > Permalinks, and run this again"
            ));
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
        let tried = self.tried.join("; ");
        let text = if !named.is_empty() || is_wordpress(&self.page.answer.text()) {
            format!(
                "{url} is a WordPress site, but its REST API does not answer: {tried}. Look for a plugin or a rule of the web \
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
}

/// Whether a page is one of WordPress: it loads files from WordPress's folders, or says so.
fn is_wordpress(page: &str) -> bool {
    let is_generator = |content: &str| content.starts_with("WordPress");
    tags(page).any(|tag| {
        let addresses = ["href", "src"].into_iter().filter_map(|name| tag.attribute(name));
        let mut addresses =
            addresses.filter(|address| address.contains("/wp-content/") || address.contains("/wp-includes/"));
        addresses.next().is_some() || (tag.is("meta") && tag.attribute("content").is_some_and(is_generator))
    })
}

fn without_slash(url: &Url) -> Url {
    let mut url = url.clone();
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    url
}
