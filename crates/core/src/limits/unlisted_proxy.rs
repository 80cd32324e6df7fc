//! A proxy before the edge that the settings do not list: then all its clients share the limits of one address.

use std::net::IpAddr;

/// Finds the one address that all requests come from, where it names several clients.
#[derive(Debug, Default)]
pub struct UnlistedProxy {
    peer: Option<IpAddr>,
    /// The client that it named first.
    first: Vec<u8>,
    /// It has named another one since.
    is_varied: bool,
    /// Its requests in a row.
    requests: u32,
    is_reported: bool,
}

/// So many requests in a row are no accident.
const RUN: u32 = 20;

/// The bytes of a named client that are compared.
const COMPARED: usize = 64;

// === impl UnlistedProxy ===

impl UnlistedProxy {
    /// Takes a request of a peer that is not trusted, with the client that it names in `X-Forwarded-For`. Returns true when
    /// the proxy is found for the first time.
    pub fn request(&mut self, peer: Option<IpAddr>, named: Option<&[u8]>) -> bool {
        let named = named.map(|named| named.get(..COMPARED).unwrap_or(named));
        match named {
            Some(named) if peer.is_some() && peer == self.peer => {
                self.is_varied |= named != self.first;
                self.requests = self.requests.saturating_add(1);
            }
            Some(named) => self.begin(peer, named),
            None => self.begin(None, b""),
        }
        let is_new = self.found().is_some() && !self.is_reported;
        self.is_reported |= is_new;
        is_new
    }

    /// The proxy, while all requests come from it.
    pub fn found(&self) -> Option<IpAddr> {
        self.peer.filter(|_| self.is_varied && self.requests >= RUN)
    }

    fn begin(&mut self, peer: Option<IpAddr>, named: &[u8]) {
        *self = Self {
            peer,
            first: named.to_owned(),
            is_varied: false,
            requests: 1,
            is_reported: self.is_reported,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 9)));

    const OTHER: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    /// The number of reports, and what is found, after 30 requests that name these clients in turn.
    fn after(seen: &mut UnlistedProxy, named: &[&str]) -> (usize, Option<IpAddr>) {
        let named = named.iter().cycle().take(30);
        let reports = named.filter(|named| seen.request(PROXY, Some(named.as_bytes())));
        (reports.count(), seen.found())
    }

    #[test]
    fn one_address_that_names_several_clients_is_reported_once() {
        let mut seen = UnlistedProxy::default();
        assert_eq!(after(&mut seen, &["192.0.2.1", "192.0.2.2"]), (1, PROXY));
        seen.request(OTHER, None);
        assert_eq!(seen.found(), None);
        assert_eq!(after(&mut seen, &["192.0.2.1", "192.0.2.2"]), (0, PROXY));
    }

    #[test]
    fn one_client_or_several_addresses_are_no_proxy() {
        assert_eq!(after(&mut UnlistedProxy::default(), &["192.0.2.1"]), (0, None));
        let mut seen = UnlistedProxy::default();
        for turn in 0..100 {
            let peer = if turn % 15 == 0 { OTHER } else { PROXY };
            let named = format!("192.0.2.{turn}");
            assert!(!seen.request(peer, Some(named.as_bytes())));
        }
    }
}
