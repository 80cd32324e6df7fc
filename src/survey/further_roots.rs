//! The REST roots that a site advertises beside those that are known, and the languages that they belong to.

use std::collections::{BTreeMap, BTreeSet};

use calendar_edge_core::settings::{BackendSettings, OriginHost, Root};
use futures_util::{StreamExt as _, stream};
use url::Url;

use super::addresses::home_path;
use super::header_links::header_links;
use super::probe::Probe;
use super::probe_response::ProbeResponse;
use calendar_edge_core::pages::tags;

/// A language of the site, or a REST root that the site names, which the settings do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FurtherRoot {
    /// The language tag; none: the site names a root without one.
    pub(crate) language: Option<String>,
    /// The REST root as the site names it.
    pub(super) named: Url,
    /// The same at the address by which the site is asked: `roots.origin_url`.
    pub(crate) url: Url,
    pub(crate) place: RootPlace,
}

/// Where a root is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootPlace {
    /// At the site: it publishes the namespace, or a `Link` header names it.
    Site,
    /// At the site, for a further site of its network, to which pages link.
    Subsite,
    /// Nowhere: the site has pages in the language and no REST root at this address.
    Nowhere,
    /// The pages are on another host, which was not asked.
    OtherHost,
}

/// One `hreflang` alternate, or one `Link` to a REST root.
struct Candidates<'a> {
    site: &'a BackendSettings,
    probe: &'a Probe<'a>,
    /// By the address of the root.
    roots: BTreeMap<String, FurtherRoot>,
}

/// Maximum number of languages that are asked for; more are hardly a site's own.
const MOST_LANGUAGES: usize = 24;

/// How many questions a site is asked at once, so that a slow one takes no minutes.
const AT_ONCE: usize = 8;

/// Maximum number of links of a page that are looked at.
const MOST_LINKS: usize = 500;

/// Maximum number of folders that are asked for a site of their own.
const MOST_SUBSITES: usize = 16;

/// A language, and the address of its home page.
pub(super) type LanguageHome = (String, Url);

/// The roots and languages that the site advertises on its home page and in its responses, without those that the
/// settings have; `listed` are languages that are known from elsewhere.
pub(super) async fn further_roots(
    probe: &Probe<'_>,
    site: &BackendSettings,
    home: Option<&ProbeResponse>,
    listed: &[LanguageHome],
) -> Vec<FurtherRoot> {
    let mut candidates = Candidates {
        site,
        probe,
        roots: BTreeMap::new(),
    };
    let alternates = home.map(|home| alternates(home, probe.address()));
    let alternates = alternates.unwrap_or_default();
    let further = listed
        .iter()
        .filter(|(_, page)| !alternates.iter().any(|(_, known)| known == page));
    if let Some(home) = home {
        candidates.add_links(home, None);
    }
    let homes = alternates.iter().chain(further);
    let looks = homes
        .clone()
        .map(|(language, page)| candidates.look(language, page));
    let looks: Vec<_> = stream::iter(looks).buffered(AT_ONCE).collect().await;
    for ((language, _), (links, root)) in homes.zip(looks) {
        if let Some(links) = links {
            candidates.add_links(&links, Some(language));
        }
        if let Some((root, place)) = root {
            candidates.add(Some(language), root, place);
        }
    }
    if let Some(home) = home {
        candidates.ask_subsites(home).await;
    }
    candidates.roots.into_values().collect()
}

/// The languages of a page with the addresses of their home pages, from its head and from its headers.
pub(super) fn alternates(home: &ProbeResponse, base: &Url) -> Vec<LanguageHome> {
    let text = home.text();
    let in_head = tags(&text)
        .filter(|tag| tag.is("link"))
        .filter_map(|tag| Some((tag.attribute("hreflang")?, tag.attribute("href")?)));
    let fields = home.fields(&http::header::LINK);
    let in_headers = fields
        .iter()
        .flat_map(|field| header_links(field))
        .filter_map(|link| Some((link.language?, link.target)));
    let mut found: Vec<LanguageHome> = Vec::new();
    for (language, href) in in_head.chain(in_headers) {
        let Ok(page) = base.join(&href.replace("&amp;", "&").replace("&#038;", "&")) else {
            continue;
        };
        if is_tag(language) && found.len() < MOST_LANGUAGES && !found.iter().any(|(_, known)| *known == page)
        {
            found.push((language.to_owned(), page));
        }
    }
    found
}

/// Whether a text names a language: `de`, `pt-BR`.
pub(super) fn is_tag(text: &str) -> bool {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (2..=20).contains(&text.len()) && is_plain && !text.eq_ignore_ascii_case("x-default")
}

/// Whether an index is that of a root of its own, and not the one of the site above under another path.
fn is_own_index(answer: &ProbeResponse, root: &Url) -> bool {
    let json = answer.json();
    let up = json
        .as_ref()
        .and_then(|json| json.pointer("/_links/up/0/href")?.as_str());
    up.and_then(|up| Url::parse(up).ok())
        .is_none_or(|up| up.path().trim_end_matches('/') == root.path().trim_end_matches('/'))
}

// === impl Candidates ===

impl Candidates<'_> {
    /// Looks for the root of a language: in the response to a call in that language, and below its home page.
    async fn look(&self, language: &str, page: &Url) -> (Option<ProbeResponse>, Option<(Url, RootPlace)>) {
        let root = self.below(page);
        if !self.is_of_site(page) {
            return (None, Some((root, RootPlace::OtherHost)));
        }
        let target = format!("events?per_page=1&lang={language}");
        let links = self.probe.rest_target(&target).await.ok();
        if page.path() == self.home_path() || self.is_known(&root) {
            return (links, None);
        }
        let place = match self.index_at(&root).await {
            Some(_) => RootPlace::Site,
            None => RootPlace::Nowhere,
        };
        (links, Some((root, place)))
    }

    /// The index that a root publishes, if it is one.
    async fn index_at(&self, root: &Url) -> Option<ProbeResponse> {
        let answer = self.probe.index_below(root).await.ok()?;
        answer.is_index_of(&self.site.origin.namespace).then_some(answer)
    }

    /// Looks for sites of a network in the folders that the home page links to.
    async fn ask_subsites(&mut self, home: &ProbeResponse) {
        let root_of = |folder: String| {
            let mut page = self.probe.address().clone();
            page.set_path(&folder);
            self.below(&page)
        };
        let is_new =
            |root: &Url| !self.is_known(root) && !self.roots.contains_key(root.path().trim_end_matches('/'));
        let roots = self.folders(home).into_iter().map(root_of).filter(is_new);
        let looks = roots.map(|root| async { (self.index_at(&root).await, root) });
        let looks: Vec<_> = stream::iter(looks).buffered(AT_ONCE).collect().await;
        for (answer, root) in looks {
            if answer.is_some_and(|answer| is_own_index(&answer, &root)) {
                self.add(None, root, RootPlace::Subsite);
            }
        }
    }

    /// The folders right below the home page that its links lead into: `/berlin/`.
    fn folders(&self, home: &ProbeResponse) -> BTreeSet<String> {
        let text = home.text();
        let own = self.home_path();
        let links = tags(&text).filter(|tag| tag.is("a"));
        let pages = links.filter_map(|tag| self.probe.address().join(tag.attribute("href")?).ok());
        let folder = |page: Url| {
            let first = page.path().strip_prefix(&own)?.split('/').next()?;
            // `index.php` and files are no folders, and neither are WordPress's own.
            let is_plain = !first.is_empty() && !first.contains('.') && !first.starts_with("wp-");
            is_plain.then(|| format!("{own}{first}/"))
        };
        let found = pages.filter(|page| self.is_of_site(page)).filter_map(folder);
        found
            .take(MOST_LINKS)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .take(MOST_SUBSITES)
            .collect()
    }

    /// The roots that `Link` headers of a response name.
    fn add_links(&mut self, answer: &ProbeResponse, language: Option<&str>) {
        for field in answer.fields(&http::header::LINK) {
            for link in header_links(field).filter(|link| link.is_api) {
                let Ok(root) = self.probe.address().join(link.target) else {
                    continue;
                };
                // Another spelling of the host is told by the check of the home page.
                if self.is_of_site(&root) && root.query().is_none() {
                    self.add(language, root, RootPlace::Site);
                }
            }
        }
    }

    fn add(&mut self, language: Option<&str>, mut named: Url, place: RootPlace) {
        let path = named.path().trim_end_matches('/').to_owned();
        named.set_path(&path);
        if self.is_known(&named) {
            return;
        }
        let mut url = named.clone();
        if place != RootPlace::OtherHost {
            url = self.site.origin.url.clone();
            url.set_path(&path);
        }
        let root = self.roots.entry(path).or_insert(FurtherRoot {
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
        let own = self.site.origin.url.path().trim_end_matches('/');
        let prefix = own.rsplit('/').next().unwrap_or(own);
        let mut root = page.clone();
        root.set_query(None);
        root.set_path(&format!("{}/{prefix}", page.path().trim_end_matches('/')));
        root
    }

    fn home_path(&self) -> String {
        home_path(&self.site.origin.url)
    }

    fn is_known(&self, root: &Url) -> bool {
        let path = root.path().trim_end_matches('/');
        let is_same = |known: &Root| known.origin_url.path().trim_end_matches('/') == path;
        self.is_of_site(root) && self.site.roots.iter().any(is_same)
    }

    /// Whether an address is on a host by which the site is known.
    fn is_of_site(&self, address: &Url) -> bool {
        let named = OriginHost::of(address);
        let known = [
            Some(self.probe.address()),
            Some(&self.site.origin.url),
            self.site.public_url.as_ref(),
            self.site.origin.advertised_url.as_ref(),
        ];
        let mut known = known.into_iter().flatten().map(OriginHost::of);
        known.any(|host| host == named) || self.site.origin.host == named
    }
}

// === impl FurtherRoot ===

impl FurtherRoot {
    /// A root of a language at the address under which the site is asked.
    #[cfg(test)]
    pub(crate) fn of(language: &str, url: Url, place: RootPlace) -> Self {
        Self {
            language: Some(language.to_owned()),
            named: url.clone(),
            url,
            place,
        }
    }

    /// The root in words.
    pub(super) fn told(&self) -> String {
        match (&self.language, self.place) {
            (_, RootPlace::Subsite) => "a further site of the network".to_owned(),
            (Some(tag), _) => format!("the language `{tag}`"),
            (None, _) => "a further root".to_owned(),
        }
    }

    /// Configuration lines that serve this root; the default root has to be listed beside it.
    pub(super) fn paste(&self, site: &BackendSettings) -> Vec<String> {
        let mut lines = Vec::new();
        if let [only] = site.roots.as_slice()
            && only.path == Root::DEFAULT_PATH
            && only.language.is_none()
        {
            lines.extend(["[[roots]]".to_owned(), format!("path = \"{}\"", only.path)]);
        }
        lines.push("[[roots]]".to_owned());
        lines.extend(self.language.as_ref().map(|tag| format!("language = \"{tag}\"")));
        lines.push(format!("path = \"{}\"", self.public_path()));
        lines.push(format!("origin_url = \"{}\"", self.url));
        lines
    }

    /// The public path: the one at the site, or one by language for a host of its own.
    pub(crate) fn public_path(&self) -> String {
        match (self.place, &self.language) {
            (RootPlace::OtherHost, Some(language)) => format!("/{}/wp-json", language.to_lowercase()),
            _ => self.named.path().to_owned(),
        }
    }
}
