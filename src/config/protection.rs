//! Settings of what stands before the site and keeps harm from it.

use std::net::IpAddr;
use std::time::Duration;

use ipnet::{IpNet, Ipv6Net};

/// A host that the site may fetch images from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageHost {
    /// The name in lower case and ASCII; no address.
    pub name: String,
    /// Whether it stands for all names below it, and not for itself: `*.example.org`.
    pub below: bool,
    /// A port beside 80 and 443.
    pub port: Option<u16>,
}

/// When reads are kept from an origin that is out of order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Reads in a row that must fail; 0: reads are never kept back.
    pub failures: usize,
    /// How often a read may try meanwhile.
    pub probe_interval: Duration,
}

/// How often visitors may call; everything is off unless set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimits {
    /// For each client address; an IPv6 network of 64 bits counts as one.
    pub address: CallRates,
    /// For each Authorization or login cookie.
    pub credentials: CallRates,
    /// Logins that the site refuses, for each address and for each account name; beyond it requests with
    /// credentials are refused.
    pub failed_logins: Option<Rate>,
    /// Most visitors that are told apart; those beyond share one budget.
    pub tracked: usize,
}

/// Rates by what a call costs the site.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallRates {
    /// Lists.
    pub lists: Option<Rate>,
    /// Single records, descriptions, and reads that lead nowhere.
    pub items: Option<Rate>,
    /// Everything that may change something.
    pub writes: Option<Rate>,
}

/// So many requests in so much time; that many may come at once, the next ones evenly spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many, 1 or more.
    pub requests: u32,
    /// In what time.
    pub period: Duration,
}

/// What counts as one client address: an IPv4 address, or the IPv6 network of 64 bits, of which a client has every
/// address.
pub(crate) fn visitor_network(address: IpAddr) -> IpNet {
    match address {
        IpAddr::V4(_) => address.into(),
        IpAddr::V6(address) => {
            Ipv6Net::new(address, 64).map_or(IpAddr::V6(address).into(), |network| network.trunc().into())
        }
    }
}

// === defaults ===

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            address: CallRates::default(),
            credentials: CallRates::default(),
            failed_logins: None,
            tracked: 100_000,
        }
    }
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self {
            failures: 10,
            probe_interval: Duration::from_secs(1),
        }
    }
}
