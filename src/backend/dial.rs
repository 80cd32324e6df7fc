//! Connections to an origin: the settings that decide about them, and the resolver of a dialled address.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use hyper_util::client::legacy::connect::dns;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tower::Service;
use url::Host;

use super::authority::Authority;
use super::bulkhead::most_exchanges;
use super::origin_route::OriginRoute;
use calendar_edge_core::settings::{BackendSettings, DialAddress, TrustedCertificates};

/// Lifetime of an idle connection; shorter than the keep-alive timeouts of common servers.
pub(super) const KEPT_FOR: Duration = Duration::from_secs(15);

/// The settings that decide how connections are opened and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dial {
    pub(super) connect_timeout: Duration,
    /// Maximum number of idle connections: as many as exchanges may run at once, so that none is closed only because
    /// many exchanges end together.
    pub(super) idle: usize,
    /// Trusted beside the public authorities; none: the origin does not use TLS, and reading the system's roots takes
    /// time.
    pub(super) trusted: Option<TrustedCertificates>,
    /// HTTP/2 is not offered: it takes the authority from the URL, so that it cannot name another host.
    pub(super) is_http1_only: bool,
    /// The address that the name in the URL stands for; none: the name is looked up.
    pub(super) address: Option<DialAddress>,
}

/// Resolves every name to the dialled address, or else looks it up.
#[derive(Debug, Clone)]
pub(super) struct DialNames(pub(super) Option<DialAddress>);

// === impl Dial ===

impl Dial {
    /// The way to the backend of an authority.
    pub(super) fn of(backend: &BackendSettings, authority: &Authority) -> Self {
        let site = (&backend.origin.url, OriginRoute::of_site(backend));
        let roots = backend.roots.iter().map(|root| &root.origin_url);
        let roots = roots.map(|url| (url, OriginRoute::of_root(&backend.origin, url)));
        let own: Vec<OriginRoute> = roots
            .chain([site])
            .filter(|(url, _)| Authority::of(url, &backend.origin) == *authority)
            .map(|(_, route)| route)
            .collect();
        Self::over(backend, &own)
    }

    /// The way of these routes, which lead to one authority.
    pub(super) fn over(backend: &BackendSettings, routes: &[OriginRoute]) -> Self {
        let is_tls = routes.iter().any(|route| route.base.scheme() == "https");
        Self {
            connect_timeout: backend.timeouts.origin_connect,
            idle: most_exchanges(&backend.origin),
            trusted: is_tls.then(|| backend.origin.trusted.clone()),
            is_http1_only: routes.iter().any(|route| route.host.is_some()),
            address: routes.iter().find_map(|route| route.dial.clone()),
        }
    }
}

// === impl DialNames ===

impl DialNames {
    async fn addresses(self, name: String) -> io::Result<Vec<SocketAddr>> {
        let (host, port) = match self.0 {
            Some(DialAddress { host, port }) => (host, port),
            None => (Host::Domain(name), 0),
        };
        Ok(match host {
            Host::Ipv4(address) => vec![(address, port).into()],
            Host::Ipv6(address) => vec![(address, port).into()],
            Host::Domain(name) => tokio::net::lookup_host((name, port)).await?.collect(),
        })
    }
}

impl Resolve for DialNames {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.clone().addresses(name.as_str().to_owned());
        Box::pin(async move { Ok(Box::new(found.await?.into_iter()) as Addrs) })
    }
}

impl Service<dns::Name> for DialNames {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: dns::Name) -> Self::Future {
        let found = self.clone().addresses(name.as_str().to_owned());
        Box::pin(async move { Ok(found.await?.into_iter()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_core::settings::{OriginHost, OtherTraffic, Settings};

    #[test]
    fn http2_is_offered_where_the_url_names_the_host() {
        let mut settings = Settings::for_origin("https://h.example/wp-json".parse().unwrap());
        let is_http1_only = |settings: &Settings| {
            let site = settings.site();
            Dial::of(&site, &Authority::of(&site.origin.url, &site.origin)).is_http1_only
        };
        assert!(!is_http1_only(&settings));
        settings.public_url = Some("https://events.example".parse().unwrap());
        assert!(!is_http1_only(&settings));
        settings.other = OtherTraffic::Forward;
        assert!(is_http1_only(&settings));
        settings.origin.host = OriginHost::parse("events.example");
        assert!(!is_http1_only(&settings));
    }
}
