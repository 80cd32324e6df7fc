//! The place of a client among all clients: the same for every call, unknown to others.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::net::IpAddr;

use ring::hmac;
use serde::{Deserialize, Serialize};

use crate::settings::client_network;
use crate::settings::mark_text::{Hex, hex};
use calendar_edge_judge::call::credentials::Identity;

/// The secret that places depend on. Without it no client can choose its share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ShareKey([u8; Self::BYTES]);

/// A client as guards distinguish clients: the keyed hash of its network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClientId(pub(super) u64);

/// Finds the places of clients.
#[derive(Debug, Clone)]
pub struct Placer(hmac::Key);

/// Takes what a value consists of for its HMAC.
struct Feed(hmac::Context);

// === impl ShareKey ===

impl ShareKey {
    /// The length of a key.
    pub const BYTES: usize = 32;

    /// A key of random bytes.
    pub const fn new(random: [u8; Self::BYTES]) -> Self {
        Self(random)
    }

    /// The key as 64 hexadecimal digits.
    pub fn to_hex(&self) -> String {
        Hex(self.0).to_string()
    }

    /// Reads what [`Self::to_hex`] writes.
    pub fn of_hex(text: &str) -> Option<Self> {
        hex(text).map(Self)
    }
}

impl fmt::Debug for ShareKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShareKey(redacted)")
    }
}

// === impl Placer ===

impl Placer {
    /// Places by this key.
    pub fn new(key: ShareKey) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, &key.0))
    }

    /// The place of a client for rules about one backend: by the accounts and tokens in its credentials, or else by its
    /// address, of which an IPv6 /64 network counts as one.
    ///
    /// All rules about a backend find a client at the same place, so that it sees the backend everywhere or nowhere.
    /// Places for different backends have nothing to do with each other.
    pub fn place(&self, backend: &str, address: Option<IpAddr>, identity: &Identity) -> u64 {
        let mut feed = self.feed();
        backend.hash(&mut feed);
        match identity.principals.as_slice() {
            [] => address.map(client_network).hash(&mut feed),
            principals => principals.hash(&mut feed),
        }
        feed.first_bytes()
    }

    /// The client of an address, by its [network](client_network); all of unknown address are one.
    pub fn client(&self, address: Option<IpAddr>) -> ClientId {
        let mut feed = self.feed();
        address.map(client_network).hash(&mut feed);
        ClientId(feed.first_bytes())
    }

    fn feed(&self) -> Feed {
        Feed(hmac::Context::with_key(&self.0))
    }
}

// === impl Feed ===

impl Feed {
    fn first_bytes(self) -> u64 {
        let tag = self.0.sign();
        let first = tag.as_ref().first_chunk::<8>().copied();
        u64::from_be_bytes(first.unwrap_or_default())
    }
}

impl Hasher for Feed {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Nothing: the HMAC is the result.
    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use http::header::AUTHORIZATION;
    use http::{HeaderMap, HeaderValue};
    use proptest::prelude::*;

    use super::*;
    use crate::settings::{Percentage, Profile};
    use calendar_edge_judge::call::credentials::Credentials;

    fn identity(authorization: Option<&'static str>) -> Identity {
        let mut headers = HeaderMap::new();
        if let Some(value) = authorization {
            headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
        }
        let credentials = Credentials::read(&headers, Profile::Compatible).unwrap();
        credentials.identity().clone()
    }

    fn place(key: u8, backend: &str, address: &str, authorization: Option<&'static str>) -> u64 {
        let placer = Placer::new(ShareKey::new([key; 32]));
        placer.place(backend, Some(address.parse().unwrap()), &identity(authorization))
    }

    #[test]
    fn a_client_is_its_account_or_else_its_network() {
        let of_address = place(1, "next", "10.0.0.1", None);
        assert_eq!(of_address, place(1, "next", "10.0.0.1", None));
        assert_ne!(of_address, place(1, "next", "10.0.0.2", None));
        assert_ne!(of_address, place(2, "next", "10.0.0.1", None));
        assert_ne!(of_address, place(1, "other", "10.0.0.1", None));
        assert_eq!(
            place(1, "next", "2001:db8::1", None),
            place(1, "next", "2001:db8::2:3", None)
        );
        let of_account = place(1, "next", "10.0.0.1", Some("Basic YTpi"));
        assert_ne!(of_account, of_address);
        // Another address and another password: the same account.
        assert_eq!(of_account, place(1, "next", "10.9.9.9", Some("Basic YTpj")));
        assert_ne!(of_account, place(1, "next", "10.0.0.1", Some("Basic Yjpi")));
    }

    #[test]
    fn clients_spread_evenly() {
        let placer = Placer::new(ShareKey::new([7; 32]));
        let share = Percentage::parse("10%").unwrap();
        let anonymous = identity(None);
        let inside = (0..20_000_u32)
            .filter(|number| {
                let address = IpAddr::from(Ipv4Addr::from(0x0a00_0000 + number));
                share.covers(placer.place("next", Some(address), &anonymous))
            })
            .count();
        assert!((1_800..2_200).contains(&inside), "{inside}");
    }

    proptest! {
        #[test]
        fn keys_print_as_they_are_read(bytes: [u8; 32]) {
            let key = ShareKey::new(bytes);
            prop_assert_eq!(ShareKey::of_hex(&key.to_hex()), Some(key));
            let shown = format!("{key:?}");
            prop_assert!(!shown.contains(&key.to_hex()));
        }

        #[test]
        fn no_text_panics_the_reader(text in "\\PC{0,70}") {
            let _ = ShareKey::of_hex(&text);
        }
    }
}
