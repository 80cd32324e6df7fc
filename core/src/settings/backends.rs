//! Further backends beside the site, by name.

use std::time::Duration;

use url::Url;

use super::{OriginNamespace, OriginSettings, OtherTraffic, Root, Settings, Timeouts};
use crate::contract::SPECIFIED_NAMESPACE;

/// A backend beside the site, `[backends.NAME]`.
#[derive(Debug, Clone)]
pub struct BackendSettings {
    /// The name of its table.
    pub name: String,
    /// The software behind it.
    pub kind: BackendSoftware,
    /// Its REST root, without a trailing slash.
    pub url: Url,
    /// The namespace below that root.
    pub namespace: String,
    /// The REST root that it prints, if it differs from `url`.
    pub advertised_url: Option<Url>,
    /// The treatment of calls with credentials.
    pub credentials: CredentialsPolicy,
    /// Maximum number of concurrent calls, 1 or more.
    pub max_in_flight: usize,
    /// Maximum number of calls that wait for one of these, 1 or more.
    pub max_pending: usize,
    /// Connect, TLS included.
    pub connect_timeout: Duration,
    /// The first byte of the response.
    pub first_byte_timeout: Duration,
    /// A whole read.
    pub read_timeout: Duration,
    /// A whole write.
    pub write_timeout: Duration,
}

/// The software behind a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackendSoftware {
    /// A WordPress site with the calendar plugin, which publishes an index.
    WordPress,
    /// Another service that answers the calendar API.
    #[default]
    Service,
}

/// The treatment of calls with credentials at a further backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CredentialsPolicy {
    /// They are not sent there.
    #[default]
    Withhold,
    /// They are sent there with their credentials.
    Forward,
}

/// The name of the site itself among the backends.
pub const OWNER: &str = "origin";

// === impl BackendSettings ===

impl BackendSettings {
    /// The defaults for the REST root `url`.
    pub fn at(name: String, url: Url) -> Self {
        let origin = OriginSettings::at(url);
        let timeouts = Timeouts::default();
        Self {
            name,
            kind: BackendSoftware::default(),
            url: origin.url,
            namespace: SPECIFIED_NAMESPACE.to_owned(),
            advertised_url: None,
            credentials: CredentialsPolicy::default(),
            max_in_flight: origin.max_in_flight,
            max_pending: origin.max_pending,
            connect_timeout: timeouts.origin_connect,
            first_byte_timeout: timeouts.origin_first_byte,
            read_timeout: timeouts.origin_read,
            write_timeout: timeouts.origin_write,
        }
    }

    /// The settings of an edge that has this backend for its site, and serves the first root of `settings` only.
    ///
    /// So a further backend has its own clients, permits, breaker and names, and its answers are checked and presented
    /// as those of the site are.
    pub fn as_site(&self, settings: &Settings) -> Settings {
        let timeouts = Timeouts {
            origin_connect: self.connect_timeout,
            origin_first_byte: self.first_byte_timeout,
            origin_read: self.read_timeout,
            origin_write: self.write_timeout,
            ..settings.timeouts.clone()
        };
        let origin = OriginSettings {
            software: self.kind,
            namespace: OriginNamespace::set(self.namespace.as_str()),
            advertised_url: self.advertised_url.clone(),
            max_in_flight: self.max_in_flight,
            max_pending: self.max_pending,
            ..OriginSettings::at(self.url.clone())
        };
        let first = settings.roots.iter().take(1);
        let at_backend = |root: &Root| Root {
            origin_url: self.url.clone(),
            ..root.clone()
        };
        Settings {
            roots: first.map(at_backend).collect(),
            origin,
            timeouts,
            other: OtherTraffic::Refuse,
            backends: Vec::new(),
            shadow: Vec::new(),
            cutover: Vec::new(),
            ..settings.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_stands_for_the_site() {
        let mut settings = Settings::for_origin("https://wp.example/wp-json".parse().unwrap());
        settings.public_url = Some("https://events.example".parse().unwrap());
        settings.origin.tunnel_delete = true;
        settings.roots.push(Root {
            path: "/de/wp-json".to_owned(),
            ..settings.roots[0].clone()
        });
        let mut backend =
            BackendSettings::at("next".to_owned(), "http://127.0.0.1:9000/api".parse().unwrap());
        backend.max_in_flight = 3;
        backend.read_timeout = Duration::from_secs(4);
        let derived = backend.as_site(&settings);
        assert_eq!(derived.origin.url, backend.url);
        assert_eq!(derived.roots.len(), 1);
        assert_eq!(derived.roots[0].origin_url, backend.url);
        assert_eq!(derived.roots[0].path, "/wp-json");
        assert_eq!(
            (derived.origin.max_in_flight, derived.origin.tunnel_delete),
            (3, false)
        );
        assert_eq!(derived.timeouts.origin_read, Duration::from_secs(4));
        assert_eq!(derived.public_url, settings.public_url);
    }
}
