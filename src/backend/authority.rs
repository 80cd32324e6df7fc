//! Scheme, host and port of an origin: the key of a backend's shared state.

use std::collections::HashSet;

use url::Url;

use crate::settings::Settings;

/// An origin's scheme, host and port, like `https://wp.example.org`; the scheme's default port is omitted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Authority(String);

// === impl Authority ===

impl Authority {
    pub(super) fn of(url: &Url) -> Self {
        Self(url.origin().ascii_serialization())
    }

    /// The authorities of the REST roots.
    pub(super) fn of_roots(settings: &Settings) -> HashSet<Self> {
        let roots = settings.roots.iter();
        roots.map(|root| Self::of(&root.origin_url)).collect()
    }

    /// The authorities of the REST roots and of the rest of the site.
    pub(super) fn all(settings: &Settings) -> HashSet<Self> {
        let mut all = Self::of_roots(settings);
        all.insert(Self::of(&settings.origin.url));
        all
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_tls(&self) -> bool {
        self.0.starts_with("https:")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scheme_host_and_port_tell_origins_apart() {
        let of = |url: &str| Authority::of(&url.parse().unwrap());
        let usual = of("https://h.example/wp-json");
        for (url, is_same) in [
            ("https://h.example/de/wp-json", true),
            ("https://H.example:443/", true),
            ("http://h.example/wp-json", false),
            ("https://h.example:8443/wp-json", false),
            ("https://de.h.example/wp-json", false),
        ] {
            assert_eq!(of(url) == usual, is_same, "{url}");
        }
        assert_eq!(usual.as_str(), "https://h.example");
        assert!(usual.is_tls());
        assert!(!of("http://h.example/").is_tls());
    }
}
