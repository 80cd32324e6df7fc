//! Cross-origin settings.

use std::time::Duration;

use http::HeaderValue;

/// Cross-origin rules.
#[derive(Debug, Clone)]
pub struct CorsSettings {
    /// Web origins that may send credentials, matched exactly: `https://app.example.org`.
    pub credentialed_origins: Vec<HeaderValue>,
    /// Maximum time that a browser may cache a preflight response.
    pub max_age: Duration,
    /// True if every web origin may read public data. No key sets it: see
    /// [`Settings::cors_rules`](super::Settings::cors_rules).
    pub public_reads: bool,
}

// === impl CorsSettings ===

impl Default for CorsSettings {
    fn default() -> Self {
        Self {
            credentialed_origins: Vec::new(),
            max_age: Duration::from_mins(10),
            public_reads: true,
        }
    }
}
