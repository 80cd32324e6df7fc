//! The names of the origin's roots: as dialled, and as printed. The printed name is either set or learnt.

use std::sync::Arc;

use arc_swap::ArcSwap;
use url::Url;

use super::learnt_roots::{LearntNames, LearntRoots};
use super::rewrite::{OriginRoot, RootNames, UrlMap};
use crate::settings::Settings;

/// The origin's names as known now, and the [`UrlMap`] made of them.
#[derive(Debug)]
pub struct OriginUrls {
    names: DialledNames,
    printed: Printed,
}

/// The names from the settings.
#[derive(Debug)]
struct DialledNames {
    roots: Vec<DialledRoot>,
    origin_namespace: String,
    public_namespace: String,
}

#[derive(Debug)]
struct DialledRoot {
    public_path: String,
    url: Url,
    root: OriginRoot,
}

/// The source of the printed names.
#[derive(Debug)]
enum Printed {
    /// The setting `origin.advertised_url`.
    Set(Arc<UrlMap>),
    /// Accepted responses.
    Learnt {
        roots: LearntRoots,
        current: ArcSwap<CurrentMap>,
    },
}

/// The map, and the learnt names that it was made of.
#[derive(Debug)]
struct CurrentMap {
    names: Arc<LearntNames>,
    map: Arc<UrlMap>,
}

// === impl OriginUrls ===

impl OriginUrls {
    /// Combines the settings with the learnt names. The first public namespace is the one that is printed.
    pub fn new(settings: &Settings, learnt: &LearntRoots) -> Self {
        let names = DialledNames::new(settings);
        let printed = match &settings.origin.advertised_url {
            Some(url) => Printed::Set(names.set_map(&OriginRoot::from_setting(&settings.origin.url), url)),
            None => Printed::Learnt {
                current: ArcSwap::from_pointee(names.learnt_map(learnt.names())),
                roots: learnt.clone(),
            },
        };
        Self { names, printed }
    }

    /// The URL under which a root is dialled.
    pub(super) fn dialled(&self, root: usize) -> Option<&Url> {
        self.names.roots.get(root).map(|dialled| &dialled.url)
    }

    /// The map as known now.
    pub fn map(&self) -> Arc<UrlMap> {
        match &self.printed {
            Printed::Set(map) => Arc::clone(map),
            Printed::Learnt { roots, current } => self.names.current_map(current, roots.names()),
        }
    }

    /// Learns the name that an accepted response (200, JSON) printed for the root `root`. Returns the map for
    /// rewriting that response. A missing or invalid name changes nothing.
    pub(super) fn learn(&self, root: usize, printed: Option<&str>) -> Arc<UrlMap> {
        match (&self.printed, self.dialled(root), printed) {
            (Printed::Learnt { roots, current }, Some(dialled), Some(printed)) => {
                self.names.current_map(current, roots.learn(dialled, printed))
            }
            _ => self.map(),
        }
    }
}

// === impl DialledNames ===

impl DialledNames {
    fn new(settings: &Settings) -> Self {
        let roots = settings.roots.iter().map(|root| DialledRoot {
            public_path: root.path.clone(),
            url: root.origin_url.clone(),
            root: OriginRoot::from_setting(&root.origin_url),
        });
        Self {
            roots: roots.collect(),
            origin_namespace: settings.origin.namespace.clone(),
            public_namespace: settings.namespaces.first().cloned().unwrap_or_default(),
        }
    }

    /// The map if the name is set; the other roots are renamed in the same way as the base.
    fn set_map(&self, base: &OriginRoot, advertised: &Url) -> Arc<UrlMap> {
        let advertised = OriginRoot::from_setting(advertised);
        Arc::new(self.map(|dialled| dialled.root.renamed(base, &advertised)))
    }

    fn learnt_map(&self, names: Arc<LearntNames>) -> CurrentMap {
        let map = self.map(|dialled| names.root(&dialled.url).cloned());
        CurrentMap {
            map: Arc::new(map),
            names,
        }
    }

    /// The map of these names. It is rebuilt only if the names changed.
    fn current_map(&self, current: &ArcSwap<CurrentMap>, names: Arc<LearntNames>) -> Arc<UrlMap> {
        let known = current.load();
        if Arc::ptr_eq(&known.names, &names) {
            return Arc::clone(&known.map);
        }
        let next = Arc::new(self.learnt_map(names));
        let map = Arc::clone(&next.map);
        current.store(next);
        map
    }

    fn map(&self, advertised: impl Fn(&DialledRoot) -> Option<OriginRoot>) -> UrlMap {
        let names = |dialled: &DialledRoot| RootNames {
            public_path: dialled.public_path.clone(),
            dialled: dialled.root.clone(),
            advertised: advertised(dialled),
        };
        let roots: Vec<RootNames> = self.roots.iter().map(names).collect();
        UrlMap::new(&roots, &self.origin_namespace, &self.public_namespace)
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};

    use super::*;
    use crate::relay::learnt_roots::LONGEST_ROOT;
    use crate::relay::link::api_target;

    const DIALLED: &str = "http://10.0.0.5:8080/wp-json";
    const BASE: &str = "https://events.example.org";

    fn settings() -> Settings {
        let mut settings = Settings::for_origin(DIALLED.parse().unwrap());
        settings.origin.namespace = "tribe/events/v1".to_owned();
        let mut german = settings.roots[0].clone();
        german.path = "/de/wp-json".to_owned();
        german.origin_url = "http://10.0.0.5:8080/de/wp-json".parse().unwrap();
        settings.roots.push(german);
        settings
    }

    fn urls(settings: &Settings) -> OriginUrls {
        OriginUrls::new(settings, &LearntRoots::default())
    }

    /// Learns from the head of a response.
    fn observe(urls: &OriginUrls, root: usize, headers: &HeaderMap) -> Arc<UrlMap> {
        urls.learn(root, api_target(headers))
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

    /// The public path of a printed root, if the map knows it by its name.
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
        let earlier = OriginUrls::new(&settings, &learnt);
        observe(&earlier, 0, &head(&[&api("https://site.example/wp-json/")]));
        settings.roots.swap(0, 1);
        let swapped = OriginUrls::new(&settings, &learnt);
        assert!(knows(&swapped.map(), printed));

        settings.roots[1].origin_url = "http://10.0.0.6/wp-json".parse().unwrap();
        let moved = OriginUrls::new(&settings, &learnt);
        assert!(!knows(&moved.map(), printed));
    }

    #[test]
    fn a_set_name_is_not_replaced_by_an_earlier_learnt_one() {
        let mut settings = settings();
        let learnt = LearntRoots::default();
        let earlier = OriginUrls::new(&settings, &learnt);
        observe(&earlier, 0, &head(&[&api("https://site.example/wp-json/")]));
        settings.origin.advertised_url = Some("https://set.example/wp-json".parse().unwrap());
        let set = OriginUrls::new(&settings, &learnt);
        assert!(knows(&set.map(), "https://set.example/wp-json"));
        assert!(!knows(&set.map(), "https://site.example/wp-json"));
    }

    #[test]
    fn a_root_cannot_take_the_name_another_one_is_dialled_by() {
        let urls = urls(&settings());
        let map = observe(&urls, 1, &head(&[&api("http://10.0.0.5:8080/wp-json/")]));
        let public = map.public_api_name_of("http://10.0.0.5:8080/wp-json/tribe/events/v1/", BASE);
        assert_eq!(
            public.as_deref(),
            Some("https://events.example.org/wp-json/calendar/events/v1/")
        );
    }
}
