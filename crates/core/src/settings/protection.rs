//! Protection of the site: the circuit breaker and rate limits.

use std::net::IpAddr;
use std::time::Duration;

use ipnet::{IpNet, Ipv6Net};

/// The circuit breaker, which refuses reads while the origin fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Consecutive failed reads that open it; 0: it never opens.
    pub failures: usize,
    /// Interval at which an open breaker lets one read pass as a probe.
    pub probe_interval: Duration,
}

/// Maximum request rates of clients; each is off unless set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimits {
    /// Per client address; an IPv6 /64 network counts as one address.
    pub address: CallRates,
    /// Per account that Basic credentials or login cookies name; other tokens count per client address.
    pub credentials: CallRates,
    /// Failed logins per address and per account name; above the rate, requests with credentials are refused. Logins
    /// count as failed until the site has answered.
    pub failed_logins: Option<Rate>,
    /// Maximum number of buckets; further clients share one.
    pub max_buckets: usize,
}

/// Maximum rates by the cost of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallRates {
    /// Lists.
    pub lists: Option<Rate>,
    /// Single records, descriptions, and reads without a route.
    pub items: Option<Rate>,
    /// Unsafe methods.
    pub writes: Option<Rate>,
}

/// A number of requests per period. They may come as one burst; further ones are admitted evenly over the
/// period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Requests, 1 or more.
    pub requests: u32,
    /// The period.
    pub period: Duration,
}

/// The network that counts as one client address: an IPv4 address, or an IPv6 /64 network, since a client
/// usually controls all of it.
pub fn client_network(address: IpAddr) -> IpNet {
    match address {
        IpAddr::V4(_) => address.into(),
        IpAddr::V6(address) => {
            Ipv6Net::new(address, 64).map_or(IpAddr::V6(address).into(), |network| network.trunc().into())
        }
    }
}

// === defaults ===

impl RateLimits {
    /// True if none of them is set, so that every call passes.
    pub fn are_unset(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            address: CallRates::default(),
            credentials: CallRates::default(),
            failed_logins: None,
            max_buckets: 100_000,
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
