//! Cross-origin settings.

use super::keys::form::WEB_ORIGIN;
use super::keys::group::settings_group;
use http::HeaderValue;

settings_group! {
    /// Cross-origin rules. Every web origin may read public data without credentials, except in the strict profile.
    #[derive(Debug, Clone)]
    pub struct CorsSettings {
        /// Web origins that may send credentials, matched exactly.
        pub credentialed_origins: Vec<HeaderValue> = Vec::new() => list(WEB_ORIGIN, 0), "none";
        /// True if every web origin may read public data. No key sets it: see
        /// [`Settings::cors_rules`](super::Settings::cors_rules).
        pub public_reads: bool = true;
    }
}
