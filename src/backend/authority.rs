//! Scheme, host and port of an origin, and the address that is dialled: the key of everything that is kept for one
//! backend.

use std::collections::HashSet;
use std::sync::Arc;

use url::Url;

use crate::telemetry::{BackendMetrics, Metrics};
use calendar_edge_core::settings::{BackendSettings, DialAddress, OriginSettings};

/// An origin's scheme, host and port, like `https://wp.example.org`, and the address that is dialled for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Authority {
    /// Without the scheme's own port.
    name: String,
    /// None: the one that the name resolves to.
    connect: Option<DialAddress>,
}

/// The metrics of the backend of a root.
pub(crate) fn metrics_of_root(metrics: &Metrics, site: &BackendSettings, root: &Url) -> Arc<BackendMetrics> {
    metrics.backends().of(Authority::of(root, &site.origin).as_str())
}

// === impl Authority ===

impl Authority {
    pub(super) fn of(url: &Url, origin: &OriginSettings) -> Self {
        let connect = origin.connect.clone();
        Self {
            name: url.origin().ascii_serialization(),
            connect: connect.filter(|_| url.origin() == origin.url.origin()),
        }
    }

    /// The authorities of the REST roots.
    pub(super) fn of_roots(backend: &BackendSettings) -> HashSet<Self> {
        let roots = backend.roots.iter();
        roots
            .map(|root| Self::of(&root.origin_url, &backend.origin))
            .collect()
    }

    /// The authorities of the REST roots and of the rest of the site.
    pub(super) fn all(backend: &BackendSettings) -> HashSet<Self> {
        let mut all = Self::of_roots(backend);
        all.insert(Self::of(&backend.origin.url, &backend.origin));
        all
    }

    pub(super) fn as_str(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_core::settings::Settings;

    #[test]
    fn scheme_host_and_port_tell_origins_apart() {
        let settings = Settings::for_origin("https://h.example/wp-json".parse().unwrap());
        let of = |url: &str| Authority::of(&url.parse().unwrap(), &settings.origin);
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
    }

    #[test]
    fn the_dialled_address_is_part_of_the_key() {
        let url: Url = "https://h.example/wp-json".parse().unwrap();
        let mut settings = Settings::for_origin(url.clone());
        let plain = Authority::of(&url, &settings.origin);
        settings.origin.connect = DialAddress::parse("10.0.0.5:443");
        let dialled = Authority::of(&url, &settings.origin);
        assert_ne!(plain, dialled);
        assert_eq!(plain.as_str(), dialled.as_str());
        let elsewhere = "https://de.h.example/wp-json".parse().unwrap();
        assert_eq!(Authority::of(&elsewhere, &settings.origin).connect, None);
    }
}
