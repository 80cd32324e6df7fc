//! A proxy before the edge that `trusted_proxies` does not list: found by requests, reported once.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderValue;
use parking_lot::Mutex;

use calendar_edge_core::limits::UnlistedProxy;

/// Looks at requests of peers that are not trusted.
#[derive(Debug, Default)]
pub(crate) struct ProxyWatch {
    /// A request named another client: only then there is something to compare or to forget.
    is_watched: AtomicBool,
    seen: Mutex<UnlistedProxy>,
}

// === impl ProxyWatch ===

impl ProxyWatch {
    /// Takes a request of a peer that is not trusted, with the client that it names.
    pub(crate) fn request(&self, peer: Option<IpAddr>, named: Option<&HeaderValue>) {
        if named.is_none() && !self.is_watched.load(Ordering::Relaxed) {
            return;
        }
        self.is_watched.store(named.is_some(), Ordering::Relaxed);
        let is_new = self.seen.lock().request(peer, named.map(HeaderValue::as_bytes));
        if let (true, Some(peer)) = (is_new, peer) {
            tracing::warn!(
                %peer,
                advice = "if it is your proxy, list it in trusted_proxies",
                "all requests come from one address and name other clients, so that all clients share one limit"
            );
        }
    }

    /// The proxy, if there seems to be one.
    pub(crate) fn found(&self) -> Option<IpAddr> {
        self.seen.lock().found()
    }

    /// Begins anew: the settings may list it now.
    pub(crate) fn forget(&self) {
        *self.seen.lock() = UnlistedProxy::default();
    }
}
