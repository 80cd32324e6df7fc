//! URLs in responses, and the clients on other hosts that cannot follow them.

use std::net::IpAddr;

use crate::settings::{ListenAddress, Settings};
use url::Url;

/// The finding if clients on other hosts cannot follow the URLs in responses; none if they can, or if no such client is
/// expected.
pub fn unreachable_names(settings: &Settings) -> Option<String> {
    if !expects_foreign_clients(settings) {
        return None;
    }
    match &settings.public_url {
        Some(url) if is_loopback(url) => Some(format!(
            "`public_url` is {url}, an address of the client's own machine, and clients on other hosts are expected: \
             they cannot follow the URLs in responses"
        )),
        Some(_) => None,
        None => named_instead(settings).map(|name| {
            format!(
                "`public_url` is not set: responses to requests for a host name contain {name}, which clients on other \
                 hosts cannot follow. Set it to the scheme and host that clients use"
            )
        }),
    }
}

/// Clients come from elsewhere if a listener can be reached from there, or if a proxy or a name is configured for them.
pub(super) fn expects_foreign_clients(settings: &Settings) -> bool {
    let is_open = |listen: &ListenAddress| listen.tcp().is_none_or(|address| !address.ip().is_loopback());
    settings.listen.iter().any(is_open)
        || !settings.trusted_proxies.is_empty()
        || settings.hosts.iter().any(|host| !is_local_name(host))
}

/// The address in URLs where no public one is known, if it is loopback, private, or the address of the connection.
fn named_instead(settings: &Settings) -> Option<String> {
    settings.listen.iter().find_map(|listen| match listen.tcp() {
        None if listen.passed().is_some() => Some("the address of the connection".to_owned()),
        None => Some("`localhost`".to_owned()),
        Some(address) if address.ip().is_unspecified() => {
            Some(format!("the address of the connection (port {})", address.port()))
        }
        Some(address) => is_internal(address.ip()).then(|| address.to_string()),
    })
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str();
    host.is_some_and(|host| is_local_name(host) || matches!(host, "0.0.0.0" | "[::]"))
}

/// A name that leads every client to itself, or an address that does.
fn is_local_name(name: &str) -> bool {
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
}

fn is_internal(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(listen: &str, public_url: Option<&str>) -> Settings {
        let mut settings = Settings::for_origin(Url::parse("http://wp.example/wp-json").unwrap());
        settings.listen = vec![match listen.strip_prefix("unix:") {
            Some(path) => ListenAddress::Unix(path.into()),
            None => ListenAddress::Tcp(listen.parse().unwrap()),
        }];
        settings.public_url = public_url.map(|url| Url::parse(url).unwrap());
        settings
    }

    #[test]
    fn a_listener_for_others_needs_a_public_address() {
        let public = Some("https://events.example.org");
        for (listen, public_url, expected) in [
            ("127.0.0.1:8787", None, None),
            ("[::1]:8787", Some("http://localhost:8787"), None),
            (
                "0.0.0.0:8787",
                None,
                Some("the address of the connection (port 8787)"),
            ),
            ("[::]:80", None, Some("the address of the connection (port 80)")),
            ("10.1.2.3:80", None, Some("10.1.2.3:80")),
            ("[fd00::1]:80", None, Some("[fd00::1]:80")),
            ("203.0.113.5:80", None, None),
            ("unix:/run/edge.sock", None, Some("`localhost`")),
            ("0.0.0.0:8787", public, None),
            ("unix:/run/edge.sock", public, None),
            (
                "0.0.0.0:80",
                Some("http://127.0.0.1:80"),
                Some("client's own machine"),
            ),
            ("0.0.0.0:80", Some("http://[::1]"), Some("client's own machine")),
            (
                "0.0.0.0:80",
                Some("http://localhost"),
                Some("client's own machine"),
            ),
            (
                "0.0.0.0:80",
                Some("http://events.localhost"),
                Some("client's own machine"),
            ),
            ("0.0.0.0:80", Some("http://10.0.0.9"), None),
        ] {
            let found = unreachable_names(&settings(listen, public_url));
            assert_eq!(
                found.is_some(),
                expected.is_some(),
                "{listen} {public_url:?}: {found:?}"
            );
            let found = found.unwrap_or_default();
            assert!(found.contains(expected.unwrap_or_default()), "{found}");
        }
    }

    #[test]
    fn a_proxy_or_a_name_announces_clients_from_elsewhere() {
        let mut proxied = settings("127.0.0.1:8787", None);
        proxied.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
        assert!(unreachable_names(&proxied).is_some());
        let mut named = settings("127.0.0.1:8787", None);
        named.hosts = vec!["localhost".to_owned()];
        assert_eq!(unreachable_names(&named), None);
        named.hosts.push("events.example.org".to_owned());
        assert!(unreachable_names(&named).is_some());
        named.public_url = Some(Url::parse("http://127.0.0.1:8787").unwrap());
        assert!(unreachable_names(&named).is_some());
    }
}
