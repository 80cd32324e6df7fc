//! The client and the cost of a call, as far as budgets depend on them.

use std::net::IpAddr;

use http::Method;
use ipnet::IpNet;

use crate::settings::client_network;
use calendar_edge_judge::call::credentials::{Identity, Principal};
use calendar_edge_judge::contract::{Action, Operation};

/// The cost of a call at the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CostClass {
    /// A list: a query over many records.
    List,
    /// One record, the index, a description, or a call without a route.
    Item,
    /// Any call that may change something.
    Write,
}

/// The address of a client and the identity that it counts as.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    /// Its address, if that is known.
    pub address: Option<IpAddr>,
    /// The identity in its credentials.
    pub identity: &'a Identity,
    /// The value of its `Authorization` field, if it shows one.
    pub authorization: Option<&'a [u8]>,
    /// The scheme of its request.
    pub scheme: &'a str,
    /// True if its request changes nothing.
    pub is_read: bool,
}

// === impl CostClass ===

impl CostClass {
    /// The cost of a call, whether or not its target leads to an operation.
    pub fn of(method: &Method, operation: Option<&Operation>) -> Self {
        match operation.map(|operation| operation.id.action) {
            _ if !method.is_safe() => Self::Write,
            Some(Action::List) => Self::List,
            _ => Self::Item,
        }
    }
}

// === impl Client ===

impl<'a> Client<'a> {
    /// A client of which no more is known than its address and the identity in its credentials.
    pub const fn new(address: Option<IpAddr>, identity: &'a Identity) -> Self {
        Self {
            address,
            identity,
            authorization: None,
            scheme: "",
            is_read: false,
        }
    }

    /// The network that counts as one address; `None` for a client whose address is not known.
    pub(super) fn network(&self) -> Option<IpNet> {
        self.address.map(client_network)
    }

    /// The accounts that its credentials may be of.
    pub(super) fn accounts(&self) -> impl Iterator<Item = &'a Principal> + use<'a> {
        let principals = self.identity.principals.iter();
        principals.filter(|principal| !matches!(principal, Principal::Token(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv6_clients_are_distinguished_by_network() {
        let identity = Identity::default();
        let network = |address: &str| Client::new(Some(address.parse().unwrap()), &identity).network();
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:2"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(Client::new(None, &identity).network(), None);
    }
}
