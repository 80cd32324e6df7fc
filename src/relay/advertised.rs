//! The root as the site prints it: set, or learnt from good answers.

use std::sync::Arc;

use arc_swap::ArcSwap;
use http::HeaderMap;
use url::Url;

use super::link::api_target;
use super::origin_root::OriginRoot;
use super::url_map::{RootNames, UrlMap};
use crate::settings::{OriginSettings, Root};

/// The origin's names as known now, and the [`UrlMap`] made of them.
///
/// Learning is one-way and cheap to undo: every good answer names its own root again, and is rewritten by
/// that name, so that a wrong one lasts no longer than the next good answer.
#[derive(Debug)]
pub struct OriginUrls {
    roots: Vec<Dialled>,
    origin_namespace: String,
    public_namespace: String,
    learning: Learning,
    known: ArcSwap<Known>,
}

#[derive(Debug)]
struct Dialled {
    public_path: String,
    url: Url,
    root: OriginRoot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Learning {
    /// `origin.advertised_url` is set.
    Off,
    /// The root is learnt from `Link`.
    On,
}

#[derive(Debug)]
struct Known {
    advertised: Vec<Option<Advertised>>,
    map: Arc<UrlMap>,
}

#[derive(Debug, Clone)]
struct Advertised {
    /// The target as it was printed, to recognise it without parsing.
    printed: String,
    root: OriginRoot,
}

/// The longest root that is believed, in bytes.
const LONGEST_ROOT: usize = 1024;

// === impl OriginUrls ===

impl OriginUrls {
    /// Starts with what the settings say; the first public namespace is the one printed.
    pub fn new(origin: &OriginSettings, roots: &[Root], public_namespace: &str) -> Self {
        let roots: Vec<Dialled> = roots
            .iter()
            .map(|root| Dialled {
                public_path: root.path.clone(),
                url: root.origin_url.clone(),
                root: OriginRoot::from_setting(&root.origin_url),
            })
            .collect();
        let set = origin.advertised_url.as_ref().map(OriginRoot::from_setting);
        let base = OriginRoot::from_setting(&origin.url);
        let advertised = roots
            .iter()
            .map(|dialled| {
                let root = dialled.root.renamed(&base, set.as_ref()?)?;
                Some(Advertised {
                    printed: String::new(),
                    root,
                })
            })
            .collect();
        let mut urls = Self {
            roots,
            origin_namespace: origin.namespace.clone(),
            public_namespace: public_namespace.to_owned(),
            learning: if set.is_some() {
                Learning::Off
            } else {
                Learning::On
            },
            known: ArcSwap::from_pointee(Known {
                advertised: Vec::new(),
                map: Arc::new(UrlMap::new(&[], "", "")),
            }),
        };
        urls.known = ArcSwap::from_pointee(urls.knowing(advertised));
        urls
    }

    /// Takes over what was learnt about roots that are dialled by the same URL.
    pub(super) fn remember(&mut self, earlier: &Self) {
        if self.learning == Learning::Off || earlier.learning == Learning::Off {
            return;
        }
        let learnt = earlier.known.load();
        let learnt_at = |url: &Url| {
            let mut known = earlier.roots.iter().zip(&learnt.advertised);
            known
                .find(|(dialled, _)| dialled.url == *url)
                .and_then(|(_, place)| place.clone())
        };
        let advertised = self.roots.iter().map(|dialled| learnt_at(&dialled.url)).collect();
        self.known = ArcSwap::from_pointee(self.knowing(advertised));
    }

    /// The URL that a root is dialled by.
    pub(super) fn dialled(&self, root: usize) -> Option<&Url> {
        self.roots.get(root).map(|dialled| &dialled.url)
    }

    /// The map as known now.
    pub fn map(&self) -> Arc<UrlMap> {
        Arc::clone(&self.known.load().map)
    }

    /// Learns from the head of an answer that was judged good (200, JSON) and came over the root `root`, and
    /// returns the map to rewrite that answer with. Heads that name no root, or an odd one, change nothing.
    pub fn observe(&self, root: usize, headers: &HeaderMap) -> Arc<UrlMap> {
        let known = self.known.load();
        let unchanged = Arc::clone(&known.map);
        if self.learning == Learning::Off {
            return unchanged;
        }
        let Some(printed) = api_target(headers).filter(|target| target.len() <= LONGEST_ROOT) else {
            return unchanged;
        };
        let Some(place) = known.advertised.get(root) else {
            return unchanged;
        };
        if place.as_ref().is_some_and(|place| place.printed == printed) {
            return unchanged;
        }
        let Some(learnt) = Url::parse(printed)
            .ok()
            .and_then(|url| OriginRoot::from_printed(&url))
        else {
            return unchanged;
        };
        let mut advertised = known.advertised.clone();
        let Some(place) = advertised.get_mut(root) else {
            return unchanged;
        };
        *place = Some(Advertised {
            printed: printed.to_owned(),
            root: learnt,
        });
        let next = self.knowing(advertised);
        let map = Arc::clone(&next.map);
        self.known.store(Arc::new(next));
        map
    }

    fn knowing(&self, advertised: Vec<Option<Advertised>>) -> Known {
        let roots: Vec<RootNames> = self
            .roots
            .iter()
            .zip(&advertised)
            .map(|(dialled, advertised)| RootNames {
                public_path: dialled.public_path.clone(),
                dialled: dialled.root.clone(),
                advertised: advertised.as_ref().map(|known| known.root.clone()),
            })
            .collect();
        Known {
            map: Arc::new(UrlMap::new(
                &roots,
                &self.origin_namespace,
                &self.public_namespace,
            )),
            advertised,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, header};

    use super::*;
    use crate::settings::Settings;

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
        OriginUrls::new(&settings.origin, &settings.roots, "calendar/events/v1")
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
    fn a_root_is_learnt_for_this_answer_and_the_next() {
        let urls = urls(&settings());
        let printed = "https://site.example/wp-json";
        assert!(!knows(&urls.map(), printed));
        assert!(knows(
            &urls.observe(0, &head(&[&api("https://site.example/wp-json/")])),
            printed
        ));
        assert!(knows(&urls.map(), printed));
        assert!(knows(&urls.map(), DIALLED), "the dialled name stays known");
    }

    #[test]
    fn the_next_good_answer_replaces_a_wrong_name() {
        let urls = urls(&settings());
        urls.observe(0, &head(&[&api("https://wrong.example/wp-json/")]));
        let map = urls.observe(0, &head(&[&api("https://site.example/wp-json/")]));
        assert!(knows(&map, "https://site.example/wp-json"));
        assert!(!knows(&map, "https://wrong.example/wp-json"));
    }

    #[test]
    fn an_unchanged_name_changes_nothing() {
        let urls = urls(&settings());
        let head = head(&[&api("https://site.example/wp-json/")]);
        let first = urls.observe(0, &head);
        assert!(Arc::ptr_eq(&first, &urls.observe(0, &head)));
    }

    #[test]
    fn odd_heads_teach_nothing() {
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
            assert!(Arc::ptr_eq(&before, &urls.observe(0, &head(&links))), "{links:?}");
        }
        assert!(
            Arc::ptr_eq(&before, &urls.observe(9, &head(&[&two]))),
            "no such root"
        );
    }

    #[test]
    fn a_set_name_is_never_overruled() {
        let mut settings = settings();
        settings.origin.advertised_url = Some("https://set.example/wp-json".parse().unwrap());
        let urls = urls(&settings);
        let map = urls.observe(0, &head(&[&api("https://site.example/wp-json/")]));
        assert!(knows(&map, "https://set.example/wp-json"));
        assert!(
            knows(&map, "https://set.example/de/wp-json"),
            "language roots follow"
        );
        assert!(!knows(&map, "https://site.example/wp-json"));
    }

    #[test]
    fn what_was_learnt_is_remembered_for_the_same_roots() {
        let printed = "https://site.example/wp-json";
        let earlier = urls(&settings());
        earlier.observe(0, &head(&[&api("https://site.example/wp-json/")]));
        let mut settings = settings();
        settings.roots.swap(0, 1);
        let mut swapped = urls(&settings);
        swapped.remember(&earlier);
        assert!(knows(&swapped.map(), printed));

        settings.roots[1].origin_url = "http://10.0.0.6/wp-json".parse().unwrap();
        let mut moved = urls(&settings);
        moved.remember(&earlier);
        assert!(!knows(&moved.map(), printed));
    }

    #[test]
    fn a_set_name_is_not_replaced_by_what_was_learnt_before() {
        let earlier = urls(&settings());
        earlier.observe(0, &head(&[&api("https://site.example/wp-json/")]));
        let mut settings = settings();
        settings.origin.advertised_url = Some("https://set.example/wp-json".parse().unwrap());
        let mut set = urls(&settings);
        set.remember(&earlier);
        assert!(knows(&set.map(), "https://set.example/wp-json"));
        assert!(!knows(&set.map(), "https://site.example/wp-json"));
    }

    #[test]
    fn a_root_cannot_take_the_name_another_one_is_dialled_by() {
        let urls = urls(&settings());
        let map = urls.observe(1, &head(&[&api("http://10.0.0.5:8080/wp-json/")]));
        let public = map.public_api_name_of("http://10.0.0.5:8080/wp-json/tribe/events/v1/", BASE);
        assert_eq!(
            public.as_deref(),
            Some("https://events.example.org/wp-json/calendar/events/v1/")
        );
    }
}
