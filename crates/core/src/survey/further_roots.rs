//! The REST roots that a site advertises beside those that are known, and the languages that they belong to.

use std::collections::BTreeMap;

use serde_json::Value;
use url::Url;

use super::addresses::{home_path, without_slash};
use super::responses::{GUARD, SiteResponse, code};
use super::surveyed_site::SurveyedSite;
use crate::settings::{BackendSettings, OriginHost, Root};

/// A language of the site, or a REST root that the site names, which the settings do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FurtherRoot {
    /// The language tag; none: the site names a root without one.
    pub(super) language: Option<String>,
    /// The REST root as the site names it.
    pub(super) named: Url,
    /// The same at the address that gets the requests: `roots.origin_url`.
    url: Url,
    /// Its place.
    pub(super) place: RootPlace,
}

/// The place of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RootPlace {
    /// At the site: it publishes the namespace, or a `Link` header names it.
    Site,
    /// Nowhere: the site has pages in the language and no REST root at this address.
    Nowhere,
    /// The pages are on another host, which got no request.
    OtherHost,
}

/// The roots that a page and the responses behind it advertise.
struct Candidates<'a> {
    place: &'a SurveyedSite<'a>,
    /// By the address of the root.
    roots: BTreeMap<String, FurtherRoot>,
}

/// Maximum number of languages that are read; more are hardly a site's own.
const MOST_LANGUAGES: usize = 24;

/// The roots and languages that the site advertises on its home page and in its responses, without those that the
/// settings have.
pub(super) fn further_roots(place: &SurveyedSite<'_>, home: Option<&SiteResponse>) -> Vec<FurtherRoot> {
    let mut candidates = Candidates {
        place,
        roots: BTreeMap::new(),
    };
    if let Some(home) = home {
        candidates.add_links(home, None);
        for (language, page) in alternates(home, &place.address()) {
            candidates.look(&language, &page);
        }
    }
    candidates.roots.into_values().collect()
}

/// The languages of a page with the addresses of their home pages, from its head and from its headers.
fn alternates(home: &SiteResponse, base: &Url) -> Vec<(String, Url)> {
    let mut found: Vec<(String, Url)> = Vec::new();
    for link in home.links() {
        let (Some(language), Ok(page)) = (link.language, base.join(&link.target)) else {
            continue;
        };
        if is_tag(&language) && found.len() < MOST_LANGUAGES && !found.iter().any(|(_, known)| *known == page)
        {
            found.push((language, page));
        }
    }
    found
}

/// True if a text names a language: `de`, `pt-BR`.
fn is_tag(text: &str) -> bool {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (2..=20).contains(&text.len()) && is_plain && !text.eq_ignore_ascii_case("x-default")
}

// === impl Candidates ===

impl Candidates<'_> {
    /// Looks for the root of a language: in the response to a call in that language, and below its home page.
    fn look(&mut self, language: &str, page: &Url) {
        let (own, root) = (home_path(&self.place.backend.origin.url), self.below(page));
        if !self.is_of_site(page) {
            return self.add(Some(language), &root, RootPlace::OtherHost);
        }
        if let Ok(links) = self.place.calendar(&format!("events?per_page=1&lang={language}")) {
            self.add_links(links, Some(language));
        }
        if page.path() != own && !self.is_known(&root) {
            let is_root = self.is_root(&root).unwrap_or_default();
            let place = if is_root {
                RootPlace::Site
            } else {
                RootPlace::Nowhere
            };
            self.add(Some(language), &root, place);
        }
    }

    /// True if a root publishes the index of the namespace, or the companion plugin refuses to show it.
    fn is_root(&self, root: &Url) -> Option<bool> {
        let (place, answer) = (self.place, self.place.index_below(root).ok()?);
        let (json, namespace) = (answer.json()?, &place.backend.origin.namespace);
        let is_index = json.get("namespace").and_then(Value::as_str) == Some(namespace);
        Some((answer.status.is_success() && is_index) || code(&json).starts_with(GUARD))
    }

    /// The roots that `Link` headers of a response name.
    fn add_links(&mut self, answer: &SiteResponse, language: Option<&str>) {
        let links = answer.links().into_iter();
        for link in links.filter(|link| link.is_api && link.is_in_header) {
            let root = self.place.address().join(&link.target).ok();
            // Another spelling of the host is reported by the check of the home page.
            if let Some(root) = root.filter(|root| self.is_of_site(root) && root.query().is_none()) {
                self.add(language, &root, RootPlace::Site);
            }
        }
    }

    fn add(&mut self, language: Option<&str>, named: &Url, place: RootPlace) {
        let named = without_slash(named);
        if self.is_known(&named) {
            return;
        }
        let mut url = named.clone();
        if place != RootPlace::OtherHost {
            url = self.place.backend.origin.url.clone();
            url.set_path(named.path());
        }
        let root = self.roots.entry(named.path().to_owned()).or_insert(FurtherRoot {
            language: None,
            named,
            url,
            place,
        });
        root.language = root.language.take().or_else(|| language.map(str::to_owned));
        if place == RootPlace::Site {
            root.place = place;
        }
    }

    /// The REST root below a home page: `…/de/` has `…/de/wp-json`.
    fn below(&self, page: &Url) -> Url {
        let own = self.place.backend.origin.url.path().trim_end_matches('/');
        let prefix = own.rsplit('/').next().unwrap_or(own);
        let mut root = page.clone();
        root.set_query(None);
        root.set_path(&format!("{}/{prefix}", page.path().trim_end_matches('/')));
        root
    }

    fn is_known(&self, root: &Url) -> bool {
        let path = root.path().trim_end_matches('/');
        let is_same = |known: &Root| known.origin_url.path().trim_end_matches('/') == path;
        self.is_of_site(root) && self.place.backend.roots.iter().any(is_same)
    }

    /// True if an address is on a known host of the site.
    fn is_of_site(&self, address: &Url) -> bool {
        let (named, address) = (OriginHost::of(address), self.place.address());
        let known = [
            Some(&address),
            Some(&self.place.backend.origin.url),
            self.place.backend.public_url.as_ref(),
            self.place.backend.origin.advertised_url.as_ref(),
        ];
        let mut known = known.into_iter().flatten().map(OriginHost::of);
        known.any(|host| host == named) || self.place.backend.origin.host == named
    }
}

// === impl FurtherRoot ===

impl FurtherRoot {
    /// The root in words.
    pub(super) fn title(&self) -> String {
        match &self.language {
            Some(tag) => format!("the language `{tag}`"),
            None => "a further root".to_owned(),
        }
    }

    /// Configuration lines that serve this root; the default root has to be listed beside it. Tags and URLs have no
    /// characters that need quoting.
    pub(super) fn paste(&self, site: &BackendSettings) -> Vec<String> {
        let mut lines = Vec::new();
        if let [only] = site.roots.as_slice()
            && only.path == Root::DEFAULT_PATH
            && only.language.is_none()
        {
            lines.extend(["[[roots]]".to_owned(), format!("path = \"{}\"", only.path)]);
        }
        lines.push("[[roots]]".to_owned());
        lines.extend(self.language.iter().map(|tag| format!("language = \"{tag}\"")));
        lines.push(format!("path = \"{}\"", self.public_path()));
        lines.push(format!("origin_url = \"{}\"", self.url));
        lines
    }

    /// The public path: the one at the site, or one by language for a host of its own.
    fn public_path(&self) -> String {
        match (self.place, &self.language) {
            (RootPlace::OtherHost, Some(language)) => format!("/{}/wp-json", language.to_lowercase()),
            _ => self.named.path().to_owned(),
        }
    }
}
