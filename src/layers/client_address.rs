//! The client's address and scheme: those of the peer, or those that trusted proxies report.

use std::net::IpAddr;

use http::HeaderMap;
use ipnet::IpNet;

use crate::server::Peer;
use calendar_edge_core::gateway::authority::Scheme;

/// The client's address and scheme, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientAddress {
    /// The address; none for a client of a Unix socket without a reported address.
    pub(crate) address: Option<IpAddr>,
    /// The scheme of the URL that the client requested.
    pub(crate) scheme: Scheme,
    /// A trusted proxy sent the request.
    pub(crate) is_of_trusted_proxy: bool,
}

/// The right-most address of the chain that is not a trusted proxy.
///
/// Entries further left were written by untrusted parties.
pub(super) fn client_address(trusted: &[IpNet], peer: Peer, headers: &HeaderMap) -> ClientAddress {
    let mut client = ClientAddress {
        address: peer.address(),
        scheme: scheme(peer),
        is_of_trusted_proxy: peer.is_in(trusted),
    };
    if !client.is_of_trusted_proxy {
        return client;
    }
    if let Some(scheme) = forwarded_scheme(headers) {
        client.scheme = scheme;
    }
    for entry in forwarded_for(headers).iter().rev() {
        let Some(address) = parse(entry) else {
            // The proxy's entry is invalid: the last known hop counts as the client.
            return client;
        };
        client.address = Some(address);
        if !trusted.iter().any(|network| network.contains(&address)) {
            return client;
        }
    }
    client
}

/// The scheme of URLs that lead to the peer's listener.
const fn scheme(peer: Peer) -> Scheme {
    if peer.is_tls { Scheme::Https } else { Scheme::Http }
}

fn forwarded_scheme(headers: &HeaderMap) -> Option<Scheme> {
    match headers.get("x-forwarded-proto")?.as_bytes() {
        b"https" => Some(Scheme::Https),
        b"http" => Some(Scheme::Http),
        _ => None,
    }
}

/// All entries of all `X-Forwarded-For` fields, in order.
fn forwarded_for(headers: &HeaderMap) -> Vec<&str> {
    headers
        .get_all("x-forwarded-for")
        .iter()
        // A field that is not text becomes an entry that is not an address.
        .flat_map(|field| field.to_str().unwrap_or("?").split(','))
        .map(str::trim)
        .collect()
}

/// Parses an address, with or without brackets and port.
fn parse(entry: &str) -> Option<IpAddr> {
    let address = entry
        .parse::<IpAddr>()
        .or_else(|_| entry.parse::<std::net::SocketAddr>().map(|socket| socket.ip()))
        .ok()
        .or_else(|| entry.strip_prefix('[')?.strip_suffix(']')?.parse().ok())?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn found(peer: &str, fields: &[&str]) -> String {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let peer = Peer {
            remote: Some(peer.parse().unwrap()),
            ..Peer::default()
        };
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(
                "x-forwarded-for",
                HeaderValue::from_bytes(field.as_bytes()).unwrap(),
            );
        }
        client_address(&trusted, peer, &headers)
            .address
            .unwrap()
            .to_string()
    }

    #[test]
    fn strangers_are_not_believed() {
        assert_eq!(found("192.0.2.1:5", &["198.51.100.7"]), "192.0.2.1");
    }

    #[test]
    fn the_rightmost_untrusted_entry_counts() {
        for (fields, expected) in [
            (&["198.51.100.7"][..], "198.51.100.7"),
            (&["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            (&["203.0.113.9, 198.51.100.7, 10.1.1.1"], "198.51.100.7"),
            (&["203.0.113.9", "198.51.100.7, 10.1.1.1"], "198.51.100.7"),
            (&["10.2.2.2, 10.1.1.1"], "10.2.2.2"),
            (&["198.51.100.7:4711"], "198.51.100.7"),
            (&["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["[2001:db8::1]"], "2001:db8::1"),
            (&["::ffff:198.51.100.7"], "198.51.100.7"),
            (&["198.51.100.7, unknown"], "10.0.0.1"),
            (&["198.51.100.7, unknown, 10.1.1.1"], "10.1.1.1"),
            (&["198.51.100.7, \u{fc}"], "10.0.0.1"),
            (&[], "10.0.0.1"),
        ] {
            assert_eq!(found("10.0.0.1:5", fields), expected, "{fields:?}");
        }
    }

    fn scheme_of(peer: Peer, proto: Option<&'static str>) -> Scheme {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let field = proto.map(|proto| {
            (
                "x-forwarded-proto".parse().unwrap(),
                HeaderValue::from_static(proto),
            )
        });
        client_address(&trusted, peer, &field.into_iter().collect()).scheme
    }

    #[test]
    fn tls_that_ends_here_names_the_scheme_unless_a_proxy_does() {
        let stranger = Peer {
            is_tls: true,
            ..Peer::default()
        };
        assert_eq!(scheme_of(stranger, None), Scheme::Https);
        let proxy = Peer {
            remote: Some("10.0.0.1:5".parse().unwrap()),
            ..stranger
        };
        assert_eq!(scheme_of(proxy, None), Scheme::Https);
        assert_eq!(scheme_of(proxy, Some("http")), Scheme::Http);
    }

    #[test]
    fn only_a_trusted_proxy_names_the_scheme() {
        let stranger = Peer::default();
        assert_eq!(scheme_of(stranger, Some("https")), Scheme::Http);
        let proxy = Peer {
            remote: Some("10.0.0.1:5".parse().unwrap()),
            ..stranger
        };
        assert_eq!(scheme_of(proxy, Some("https")), Scheme::Https);
        assert_eq!(scheme_of(proxy, Some("HTTPS")), Scheme::Http);
    }

    #[test]
    fn mapped_addresses_of_proxies_are_recognised() {
        assert_eq!(found("[::ffff:10.0.0.1]:5", &["198.51.100.7"]), "198.51.100.7");
    }
}
