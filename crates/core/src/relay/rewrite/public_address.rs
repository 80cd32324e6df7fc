//! The public address of one URL of a response head.

use super::origin_root::OriginRoot;
use super::url_map::UrlMap;
use super::url_reference::Reference;
use crate::settings::OtherTraffic;

/// The names of the origin in one response, and the public address that stands for them.
#[derive(Debug, Clone)]
pub(in crate::relay) struct PublicAddresses<'a> {
    map: &'a UrlMap,
    base: &'a str,
    /// The one that the request names; at first the first one.
    pub(in crate::relay) namespace: &'a str,
    /// The root of the request, which decides if roots share an address.
    root: usize,
    /// Where the rest of the site is forwarded, its addresses are public as well.
    other: OtherTraffic,
    /// Authorities of the site besides those of its roots.
    further: Vec<String>,
}

// === impl PublicAddresses ===

impl<'a> PublicAddresses<'a> {
    /// Addresses for a client that reaches the edge at `base`, scheme and authority without a slash behind it.
    pub(in crate::relay) fn new(map: &'a UrlMap, base: &'a str, root: usize, other: OtherTraffic) -> Self {
        let own = Reference::split(base).and_then(|base| base.authority);
        Self {
            map,
            base,
            namespace: &map.public_namespace,
            root,
            other,
            further: own.into_iter().collect(),
        }
    }

    /// Adds an authority of the site.
    pub(in crate::relay) fn also(&mut self, authority: String) {
        if !self.further.contains(&authority) {
            self.further.push(authority);
        }
    }

    /// Adds the authority of a URL that the site prints for one of its roots, because it prints no other's.
    pub(in crate::relay) fn also_of_root(&mut self, printed: &str) {
        let Some(reference) = Reference::split(printed) else {
            return;
        };
        if let Some(authority) = reference.authority.clone()
            && self.below_root(&reference).is_some()
        {
            self.also(authority);
        }
    }

    /// The public address of a URL; `None` if the edge does not stand for it, or if it is public already.
    pub(in crate::relay) fn public(&self, text: &str) -> Option<String> {
        let reference = Reference::split(text)?;
        if !self.is_of_site(&reference) {
            return None;
        }
        let public = self.of_api(&reference).or_else(|| self.of_site(&reference))?;
        let is_same = match reference.authority {
            Some(_) => public == text,
            None => public.strip_prefix(self.base) == Some(text),
        };
        (!is_same).then_some(public)
    }

    /// The root of a URL of the calendar, and the rest of the URL below that root; `None` for every other URL.
    pub(in crate::relay) fn route_of_calendar(&self, text: &str) -> Option<(usize, String)> {
        let reference = Reference::split(text).filter(|reference| self.is_of_site(reference))?;
        let below = self.below_root(&reference)?;
        self.below_namespace(&below.1).is_some().then_some(below)
    }

    fn is_of_site(&self, reference: &Reference<'_>) -> bool {
        let Some(authority) = &reference.authority else {
            return true;
        };
        let mut names = self.map.names();
        names.any(|(_, name)| name.authority == *authority) || self.further.contains(authority)
    }

    /// The public address of a root or of a route of the calendar.
    fn of_api(&self, reference: &Reference<'_>) -> Option<String> {
        let (root, route) = self.below_root(reference)?;
        if matches!(route.as_str(), "" | "/") {
            return Some(self.map.public_root(self.base, root));
        }
        let below = self.below_namespace(&route)?;
        let path = self.map.public_path(Some(root));
        Some(format!("{}{path}/{}{below}", self.base, self.namespace))
    }

    fn of_site(&self, reference: &Reference<'_>) -> Option<String> {
        let is_whole = self.other == OtherTraffic::Forward && reference.authority.is_some();
        is_whole.then(|| format!("{}{}{}", self.base, reference.path, reference.rest))
    }

    /// The longest root that a URL is below, and the rest of the URL as a path below that root.
    fn below_root(&self, reference: &Reference<'_>) -> Option<(usize, String)> {
        let route = |(root, name): (usize, &OriginRoot)| {
            let is_named = reference.authority.as_deref() == Some(name.authority.as_str());
            let rank = (is_named, name.prefix.len(), root == self.root);
            Some((rank, root, route_below(name, reference)?))
        };
        let found = self.map.names().filter_map(route).max_by_key(|(rank, ..)| *rank);
        found.map(|(_, root, route)| (root, route))
    }

    /// The part of a route behind the namespace.
    fn below_namespace<'r>(&self, route: &'r str) -> Option<&'r str> {
        let below = route
            .strip_prefix('/')?
            .strip_prefix(self.map.known.origin_namespace.as_str())?;
        (below.is_empty() || below.starts_with(['/', '?', '#'])).then_some(below)
    }
}

/// The rest of a URL below a root; `None` if it is not below it.
fn route_below(name: &OriginRoot, reference: &Reference<'_>) -> Option<String> {
    let below = reference.path.strip_prefix(name.prefix.as_str())?;
    let is_below = below.is_empty() || below.starts_with('/');
    is_below.then(|| format!("{below}{}", reference.rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;
    use crate::relay::rewrite::RootNames;

    const BASE: &str = "https://events.example.org";

    fn map(roots: &[(&str, &str, Option<&str>)]) -> UrlMap {
        let root = |url: &str| OriginRoot::from_printed(&Url::parse(url).unwrap()).unwrap();
        let names = |(path, dialled, advertised): &(&str, &str, Option<&str>)| RootNames {
            public_path: (*path).to_owned(),
            dialled: root(dialled),
            advertised: advertised.map(root),
        };
        let roots: Vec<RootNames> = roots.iter().map(names).collect();
        UrlMap::new(&roots, "tribe/events/v1", "calendar/events/v1")
    }

    fn two_roots() -> UrlMap {
        map(&[
            (
                "/wp-json",
                "http://10.0.0.5:8080/wp-json",
                Some("https://wp.example/wp-json"),
            ),
            ("/de/api", "http://10.0.0.5:8080/de/wp-json", None),
        ])
    }

    fn public(map: &UrlMap, other: OtherTraffic, text: &str) -> String {
        let addresses = PublicAddresses::new(map, BASE, 0, other);
        addresses.public(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn routes_and_roots_become_public_wherever_they_are_named() {
        let map = two_roots();
        for (text, expected) in [
            (
                "http://10.0.0.5:8080/wp-json/tribe/events/v1/events/50?a=http://10.0.0.5:8080/#b",
                "/wp-json/calendar/events/v1/events/50?a=http://10.0.0.5:8080/#b",
            ),
            (
                "HTTPS://WP.example:443/wp-json/tribe/events/v1/",
                "/wp-json/calendar/events/v1/",
            ),
            (
                "//wp.example/wp-json/tribe/events/v1",
                "/wp-json/calendar/events/v1",
            ),
            (
                "http://10.0.0.5:8080/de/wp-json/tribe/events/v1?x",
                "/de/api/calendar/events/v1?x",
            ),
            ("https://wp.example/wp-json", "/wp-json/"),
            (
                "https://events.example.org/wp-json/tribe/events/v1/x",
                "/wp-json/calendar/events/v1/x",
            ),
            (
                "http://events.example.org/wp-json/tribe/events/v1/x",
                "/wp-json/calendar/events/v1/x",
            ),
            ("/de/wp-json/tribe/events/v1/x", "/de/api/calendar/events/v1/x"),
        ] {
            for other in [OtherTraffic::Refuse, OtherTraffic::Forward] {
                assert_eq!(public(&map, other, text), format!("{BASE}{expected}"), "{text}");
            }
        }
    }

    #[test]
    fn other_addresses_of_the_site_become_public_if_the_edge_stands_for_it() {
        let map = two_roots();
        for (text, path) in [
            ("http://10.0.0.5:8080", ""),
            ("http://wp.example/?p=5", "/?p=5"),
            ("https://10.0.0.5:8080?p=5", "?p=5"),
            (
                "https://wp.example/wp-json/wp/v2/posts/1",
                "/wp-json/wp/v2/posts/1",
            ),
            (
                "https://wp.example/wp-json/tribe/events/v10/x",
                "/wp-json/tribe/events/v10/x",
            ),
            ("http://events.example.org/a", "/a"),
        ] {
            assert_eq!(
                public(&map, OtherTraffic::Forward, text),
                format!("{BASE}{path}"),
                "{text}"
            );
            assert_eq!(public(&map, OtherTraffic::Refuse, text), text);
        }
    }

    #[test]
    fn everything_else_stays() {
        let map = two_roots();
        for text in [
            "https://elsewhere.example/wp-json/tribe/events/v1/events",
            "https://wp.example.org/a",
            "https://wp.example:8443/a",
            "http://user@wp.example/a",
            "https://events.example.org/a",
            "/a",
            "a/b",
            "?p=5",
            "mailto:a@wp.example",
            "/wp-json/calendar/events/v1/events",
        ] {
            assert_eq!(public(&map, OtherTraffic::Forward, text), text);
        }
    }

    #[test]
    fn a_site_is_known_by_the_roots_that_it_prints() {
        let map = two_roots();
        let mut addresses = PublicAddresses::new(&map, BASE, 0, OtherTraffic::Forward);
        addresses.also_of_root("https://new.example/blog/wp-json/");
        assert_eq!(
            addresses.public("https://new.example/a"),
            None,
            "no root has this path"
        );
        addresses.also_of_root("https://new.example/wp-json/tribe/events/v1/events/5");
        assert_eq!(
            addresses.public("https://new.example/a"),
            Some(format!("{BASE}/a"))
        );
    }

    proptest! {
        #[test]
        fn a_public_address_is_at_the_edge_and_final(
            host in proptest::sample::select(vec![
                "http://10.0.0.5:8080", "https://wp.example", "//wp.example", "https://events.example.org", "",
                "https://elsewhere.example",
            ]),
            tail in "(/de)?(/wp-json)?(/tribe/events/v1|/calendar/events/v1)?[/a-z0-9?=&#.%]{0,16}",
        ) {
            let map = two_roots();
            let addresses = PublicAddresses::new(&map, BASE, 0, OtherTraffic::Forward);
            let text = format!("{host}{tail}");
            if let Some(public) = addresses.public(&text) {
                prop_assert!(public.starts_with(BASE), "{} of {}", public, text);
                prop_assert!(!host.contains("elsewhere"));
                prop_assert_eq!(addresses.public(&public), None, "{}", public);
            }
        }
    }
}
