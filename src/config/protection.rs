//! Settings of what stands before the site and keeps harm from it.

use std::time::Duration;

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

// === defaults ===

impl Default for BreakerSettings {
    fn default() -> Self {
        Self {
            failures: 10,
            probe_interval: Duration::from_secs(1),
        }
    }
}
