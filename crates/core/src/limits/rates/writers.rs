//! Clients that may write: their addresses and account names.

use ipnet::IpNet;

use super::client::Client;

/// The lists of clients that may write; an empty list admits everyone.
#[derive(Debug, Clone)]
pub struct Writers {
    networks: Vec<IpNet>,
    /// The account names, in lower case.
    names: Vec<String>,
}

// === impl Writers ===

impl Writers {
    /// The lists of networks and of account names.
    pub fn new(networks: &[IpNet], names: &[String]) -> Self {
        Self {
            networks: networks.to_vec(),
            names: names.iter().map(|name| name.to_ascii_lowercase()).collect(),
        }
    }

    /// Returns true if writes may come from a client's address. An unknown address is on no list.
    pub fn are_at(&self, client: Client<'_>) -> bool {
        let is_listed = |address| self.networks.iter().any(|network| network.contains(&address));
        self.networks.is_empty() || client.address.is_some_and(is_listed)
    }

    /// Returns true if a client claims to be a listed account; the site checks the password.
    ///
    /// A name with a login cookie beside it does not count: the cookie takes precedence at the site and may
    /// belong to another account.
    pub fn include(&self, client: Client<'_>) -> bool {
        let is_listed = |account: &str| self.names.iter().any(|name| name == account);
        self.names.is_empty() || client.identity.sole_account().is_some_and(is_listed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Profile, Settings};
    use calendar_edge_judge::call::credentials::{Credentials, Identity};
    use http::header::{AUTHORIZATION, COOKIE, HeaderName};
    use http::{HeaderMap, HeaderValue};

    fn writers(change: impl FnOnce(&mut Settings)) -> Writers {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        change(&mut settings);
        Writers::new(&settings.write_addresses, &settings.writers)
    }

    const ALICE: (HeaderName, &str) = (AUTHORIZATION, "Basic YUxpY2U6eA==");

    #[test]
    fn everyone_may_write_by_default() {
        let identity = Identity::default();
        let client = Client::new(None, &identity);
        let all = writers(|_| {});
        assert!(all.are_at(client) && all.include(client));
    }

    #[test]
    fn writes_come_from_listed_addresses() {
        let identity = Identity::default();
        let listed = writers(|settings| {
            settings.write_addresses = ["10.0.0.0/8", "2001:db8::/32"]
                .map(|text| text.parse().unwrap())
                .to_vec();
        });
        for (address, expected) in [
            (Some("10.1.2.3"), true),
            (Some("2001:db8::1"), true),
            (Some("192.0.2.1"), false),
            (None, false),
        ] {
            let address = address.map(|text| text.parse().unwrap());
            assert_eq!(
                listed.are_at(Client::new(address, &identity)),
                expected,
                "{address:?}"
            );
        }
    }

    #[test]
    fn only_basic_credentials_without_a_cookie_beside_them_name_a_writer() {
        let listed = writers(|settings| settings.writers = vec!["Alice".to_owned()]);
        for (fields, expected) in [
            (&[ALICE][..], true),
            (&[ALICE, (COOKIE, "a=b; wp-postpass_x=1")], true),
            (&[ALICE, (COOKIE, "a=b;wordpress_logged_in_x=bob")], false),
            (&[ALICE, (COOKIE, "wordpress_sec_x=bob")], false),
            (&[ALICE, ALICE], false),
            (&[(AUTHORIZATION, "Basic Ym9iOng=")], false),
            (&[(AUTHORIZATION, "Bearer alice:x")], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                headers.append(name, HeaderValue::from_static(value));
            }
            let included = match Credentials::read(&headers, Profile::Compatible) {
                Ok(credentials) => listed.include(Client::new(None, credentials.identity())),
                Err(rejected) => listed.include(Client::new(None, &rejected)),
            };
            assert_eq!(included, expected, "{fields:?}");
        }
    }
}
