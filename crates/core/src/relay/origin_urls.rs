//! The names of the origin's roots: as dialled, and as printed. The printed name is either set or learnt.

use std::sync::Arc;

use arc_swap::ArcSwap;
use url::Url;

use super::dialled_names::{CurrentMap, DialledNames, dialled_port, further_authorities};
use super::learnt_roots::{LearntRoots, PrintedRoot};
use super::rewrite::{OriginRoot, UrlMap};
use crate::settings::{BackendSettings, OtherTraffic};

/// The origin's names as known now, and the [`UrlMap`] made of them.
#[derive(Debug)]
pub struct OriginUrls {
    names: DialledNames,
    /// The names that accepted responses print; none: `origin.advertised_url` sets them.
    learnt: Option<LearntRoots>,
    current: ArcSwap<CurrentMap>,
    /// Authorities of the site besides those of its roots.
    further: Vec<String>,
    /// The port that connections are opened to.
    port: u16,
    /// The treatment of the rest of the site: forwarded, its addresses are public as well.
    pub(super) other: OtherTraffic,
}

// === impl OriginUrls ===

impl OriginUrls {
    /// Combines the settings of a backend with the learnt names. The first public namespace is the one that is printed.
    pub fn new(backend: &BackendSettings, learnt: &LearntRoots) -> Self {
        let names = DialledNames::new(backend);
        let set = backend.origin.advertised_url.as_ref();
        let current = match set {
            Some(url) => names.set_map(&OriginRoot::from_setting(&backend.origin.url), url),
            None => names.learnt_map(learnt.names()),
        };
        Self {
            names,
            learnt: set.is_none().then(|| learnt.clone()),
            current: ArcSwap::from_pointee(current),
            further: further_authorities(backend),
            port: dialled_port(&backend.origin),
            other: backend.other,
        }
    }

    /// The authorities under which the site may print an address, besides those of its roots, for a client that
    /// reaches the edge at `public_base`.
    ///
    /// Web servers put their own port behind the host that a request names.
    pub(super) fn further(&self, public_base: &str) -> impl Iterator<Item = String> {
        let public = Url::parse(public_base).ok();
        let host = public.and_then(|public| public.host_str().map(ToOwned::to_owned));
        let with_port = host.map(|host| format!("{host}:{}", self.port));
        self.further.iter().cloned().chain(with_port)
    }

    /// The setting that names a root.
    pub(super) fn setting_of(&self, root: usize) -> String {
        match self.names.roots.get(root) {
            Some(dialled) if dialled.url != self.names.origin_url => {
                format!("origin_url of the root {}", dialled.public_path)
            }
            Some(_) | None => "origin.url".to_owned(),
        }
    }

    /// The URL under which a root is dialled.
    pub fn dialled(&self, root: usize) -> Option<&Url> {
        self.names.roots.get(root).map(|dialled| &dialled.url)
    }

    /// The map as known now.
    pub fn map(&self) -> Arc<UrlMap> {
        match &self.learnt {
            None => Arc::clone(&self.current.load().1),
            Some(roots) => self.names.current_map(&self.current, roots.names()),
        }
    }

    /// Learns the name that an accepted response (200, JSON) from the root `root` printed. Returns the map for
    /// rewriting that response. A missing or invalid name changes nothing, and neither does one that belongs to
    /// another language.
    pub(super) fn learn(&self, root: usize, printed: Option<&str>, may_change_language: bool) -> Arc<UrlMap> {
        let (Some(roots), Some(printed)) = (&self.learnt, printed) else {
            return self.map();
        };
        let known = roots.names();
        let own = self.dialled(root).and_then(|dialled| known.get(dialled));
        let is_known = own.is_some_and(|own| own.text == printed);
        let named = (!is_known).then(|| PrintedRoot::read(printed)).flatten();
        let learnt = named.and_then(|named| {
            let owner = self.names.owner(root, &named.root, may_change_language, &known)?;
            Some(roots.learn(&owner.url, named))
        });
        self.names.current_map(&self.current, learnt.unwrap_or(known))
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};

    use super::*;
    use crate::relay::learnt_roots::LONGEST_ROOT;
    use crate::relay::link::api_target;
    use crate::settings::{OriginNamespace, Settings};

    const DIALLED: &str = "http://10.0.0.5:8080/wp-json";
    const BASE: &str = "https://events.example.org";

    fn settings() -> Settings {
        let mut settings = Settings::for_origin(DIALLED.parse().unwrap());
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        let mut german = settings.roots[0].clone();
        german.path = "/de/wp-json".to_owned();
        german.origin_url = "http://10.0.0.5:8080/de/wp-json".parse().unwrap();
        settings.roots.push(german);
        settings
    }

    fn urls(settings: &Settings) -> OriginUrls {
        OriginUrls::new(&settings.site(), &LearntRoots::default())
    }

    /// Learns from the head of a response.
    fn observe(urls: &OriginUrls, root: usize, headers: &HeaderMap) -> Arc<UrlMap> {
        urls.learn(root, api_target(headers), false)
    }

    fn head(links: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for link in links {
            headers.append(header::LINK, HeaderValue::from_str(link).unwrap());
        }
        headers
    }

    fn api(root: &str) -> String {
        format!("<{root}>; rel=\"https://api.w.org/\"")
    }

    /// The public path of a printed root, if the map has it by its name.
    fn knows(map: &Arc<UrlMap>, printed: &str) -> bool {
        let url = format!("{printed}/tribe/events/v1");
        let rewriter = crate::relay::Rewriter::new(map, &Arc::from(BASE), 0, crate::relay::Content::Records);
        rewriter
            .whole(bytes::Bytes::from(url))
            .starts_with(BASE.as_bytes())
    }

    #[test]
    fn a_root_is_learnt_for_this_response_and_the_next() {
        let urls = urls(&settings());
        let printed = "https://site.example/wp-json";
        assert!(!knows(&urls.map(), printed));
        assert!(knows(
            &observe(&urls, 0, &head(&[&api("https://site.example/wp-json/")])),
            printed
        ));
        assert!(knows(&urls.map(), printed));
        assert!(knows(&urls.map(), DIALLED), "the dialled name stays known");
    }

    #[test]
    fn the_next_good_response_replaces_a_wrong_name() {
        let urls = urls(&settings());
        observe(&urls, 0, &head(&[&api("https://wrong.example/wp-json/")]));
        let map = observe(&urls, 0, &head(&[&api("https://site.example/wp-json/")]));
        assert!(knows(&map, "https://site.example/wp-json"));
        assert!(!knows(&map, "https://wrong.example/wp-json"));
    }

    #[test]
    fn an_unchanged_name_changes_nothing() {
        let urls = urls(&settings());
        let head = head(&[&api("https://site.example/wp-json/")]);
        let first = observe(&urls, 0, &head);
        assert!(Arc::ptr_eq(&first, &observe(&urls, 0, &head)));
    }

    #[test]
    fn nothing_is_learnt_from_odd_heads() {
        let urls = urls(&settings());
        let before = urls.map();
        let long = api(&format!("https://h/{}", "x".repeat(LONGEST_ROOT)));
        let two = api("https://a.example/wp-json/");
        for links in [
            vec![],
            vec![long.as_str()],
            vec!["<https://h/wp-json/>; rel=\"alternate\""],
            vec!["<https://h/wp-json/; rel=\"https://api.w.org/\""],
            vec!["<ftp://h/wp-json/>; rel=\"https://api.w.org/\""],
            vec!["<https://u:p@h/wp-json/>; rel=\"https://api.w.org/\""],
            vec!["</wp-json/>; rel=\"https://api.w.org/\""],
            vec!["<https://h/wp-json/?x=1>; rel=\"https://api.w.org/\""],
            vec![two.as_str(), two.as_str()],
        ] {
            assert!(
                Arc::ptr_eq(&before, &observe(&urls, 0, &head(&links))),
                "{links:?}"
            );
        }
        assert!(
            Arc::ptr_eq(&before, &observe(&urls, 9, &head(&[&two]))),
            "no such root"
        );
    }

    #[test]
    fn a_set_name_is_never_overruled() {
        let mut settings = settings();
        settings.origin.advertised_url = Some("https://set.example/wp-json".parse().unwrap());
        let urls = urls(&settings);
        let map = observe(&urls, 0, &head(&[&api("https://site.example/wp-json/")]));
        assert!(knows(&map, "https://set.example/wp-json"));
        assert!(
            knows(&map, "https://set.example/de/wp-json"),
            "language roots follow"
        );
        assert!(!knows(&map, "https://site.example/wp-json"));
    }

    #[test]
    fn learnt_names_survive_a_reload_with_the_same_roots() {
        let printed = "https://site.example/wp-json";
        let mut settings = settings();
        let learnt = LearntRoots::default();
        let earlier = OriginUrls::new(&settings.site(), &learnt);
        observe(&earlier, 0, &head(&[&api("https://site.example/wp-json/")]));
        settings.roots.swap(0, 1);
        let swapped = OriginUrls::new(&settings.site(), &learnt);
        assert!(knows(&swapped.map(), printed));

        settings.roots[1].origin_url = "http://10.0.0.6/wp-json".parse().unwrap();
        let moved = OriginUrls::new(&settings.site(), &learnt);
        assert!(!knows(&moved.map(), printed));
    }

    #[test]
    fn a_set_name_is_not_replaced_by_an_earlier_learnt_one() {
        let mut settings = settings();
        let learnt = LearntRoots::default();
        let earlier = OriginUrls::new(&settings.site(), &learnt);
        observe(&earlier, 0, &head(&[&api("https://site.example/wp-json/")]));
        settings.origin.advertised_url = Some("https://set.example/wp-json".parse().unwrap());
        let set = OriginUrls::new(&settings.site(), &learnt);
        assert!(knows(&set.map(), "https://set.example/wp-json"));
        assert!(!knows(&set.map(), "https://site.example/wp-json"));
    }

    /// The public address of an event's URL below a printed root.
    fn public(map: &Arc<UrlMap>, printed: &str) -> String {
        let url = format!("{printed}/tribe/events/v1/events/50");
        let rewriter = crate::relay::Rewriter::new(map, &Arc::from(BASE), 0, crate::relay::Content::Records);
        let public = rewriter.whole(bytes::Bytes::from(url));
        String::from_utf8(public.to_vec()).unwrap()
    }

    #[test]
    fn the_root_of_a_language_never_renames_another_one() {
        let (english, german) = ("https://site.example/wp-json", "https://site.example/de/wp-json");
        let naming = |root: &str| head(&[&api(&format!("{root}/"))]);
        for (asked, may_change_language) in [(0, true), (0, false), (1, false)] {
            for order in [[english, german], [german, english]] {
                let urls = urls(&settings());
                for root in order {
                    urls.learn(asked, api_target(&naming(root)), may_change_language);
                }
                let map = urls.map();
                let expected = format!("{BASE}/wp-json/calendar/events/v1/events/50");
                assert_eq!(public(&map, english), expected, "{order:?} of {asked}");
                let expected = format!("{BASE}/de/wp-json/calendar/events/v1/events/50");
                assert_eq!(public(&map, german), expected, "{order:?} of {asked}");
            }
        }
    }

    #[test]
    fn a_language_without_a_root_keeps_its_address() {
        let urls = urls(&settings());
        observe(&urls, 0, &head(&[&api("https://site.example/blog/wp-json/")]));
        for may_change_language in [true, false] {
            let french = api("https://site.example/blog/fr/wp-json/");
            let map = urls.learn(0, api_target(&head(&[&french])), may_change_language);
            let french = "https://site.example/blog/fr/wp-json";
            assert_eq!(
                public(&map, french),
                format!("{french}/tribe/events/v1/events/50")
            );
            assert!(knows(&map, "https://site.example/blog/wp-json"));
        }
    }

    #[test]
    fn a_language_with_a_domain_of_its_own_does_not_replace_a_known_name() {
        let urls = urls(&settings());
        observe(&urls, 0, &head(&[&api("https://site.example/wp-json/")]));
        let german = head(&[&api("https://seite.example/wp-json/")]);
        let map = urls.learn(0, api_target(&german), true);
        assert!(knows(&map, "https://site.example/wp-json"));
        assert!(!knows(&map, "https://seite.example/wp-json"));
    }

    #[test]
    fn a_root_cannot_take_the_name_another_one_is_dialled_by() {
        let urls = urls(&settings());
        let map = observe(&urls, 1, &head(&[&api("http://10.0.0.5:8080/wp-json/")]));
        assert_eq!(
            public(&map, DIALLED),
            format!("{BASE}/wp-json/calendar/events/v1/events/50")
        );
    }
}
