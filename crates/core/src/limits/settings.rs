//! Protection of the site: the circuit breaker and rate limits.

use std::net::IpAddr;
use std::time::Duration;

use crate::settings::keys::group::settings_group;
use crate::settings::rate::Rate;
use ipnet::{IpNet, Ipv6Net};

settings_group! {
    /// The circuit breaker. While the site fails, reads get 503 `edge_origin_unavailable` at once, so that the site
    /// can recover. Writes always pass. Each origin has its own breaker.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BreakerSettings {
        /// Number of consecutive failed reads that open the breaker. A read fails if the connection fails, times out or
        /// is reset, or if the site sends a maintenance or database error page. 0 in a dry run, which has none.
        pub failures: usize = 10;
        /// Interval at which an open breaker lets one read pass as a probe.
        pub probe_interval: Duration = Duration::from_secs(1);
    }
}

settings_group! {
    /// Maximum request rates per client; a request above the rate gets 429 `edge_rate_limited` with `Retry-After`. A
    /// rate of `60/1m` admits a burst of 60 requests, then one request per second. Refused requests count, CORS
    /// preflights do not. A calendar counts as a list for each further page that it requests from the site. The edges
    /// of a `[fleet]` have one rate together: `RateLimit` shows this one's state of it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RateLimits {
        /// Per client address; an IPv6 /64 network counts as one address.
        pub address: CallRates = CallRates::default();
        /// Per account that Basic credentials or login cookies name; other tokens count per client address.
        pub credentials: CallRates = CallRates::default();
        /// Failed logins, per client address and per account that Basic credentials or login cookies name. Above the
        /// rate, requests with credentials are refused. A login counts as failed until the response proves otherwise: a
        /// HEAD with `_envelope`, a 5xx, a timeout or a cut connection proves nothing. So the rate also limits how many
        /// requests with credentials may wait for the site at once; a client that disconnects early has spent its
        /// attempt. Basic credentials that are not exactly one blank and the base64 of `name:password` get 400
        /// `edge_bad_authorization`. With `other = "forward"` requests beside the calendar count as well: those with
        /// `Authorization` that get 401, logins at `wp-login.php` that set no login cookie, and calls to `xmlrpc.php`
        /// unless the response shows that no password was wrong. The first 64 KiB of a form or a response decide;
        /// logins whose account cannot be read count together. Calls to `xmlrpc.php`, which may try any account, have
        /// ten times the rate together, without those of addresses at which a login succeeded during the last week. The
        /// budget of an account limits neither addresses and `Authorization` values with which it logged in during that
        /// week, nor reads with an `Authorization` that has read in that time.
        pub failed_logins: Option<Rate> = None => rate(), "off";
    }
}

settings_group! {
    /// Maximum rates by the cost of a call.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CallRates {
        /// Lists; each is a query over many records.
        pub lists: Option<Rate> = None => rate(), "off";
        /// Single records, the index, descriptions, and reads without a route.
        pub items: Option<Rate> = None => rate(), "off";
        /// POST, PUT, PATCH and DELETE, with or without a route.
        pub writes: Option<Rate> = None => rate(), "off";
    }
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
