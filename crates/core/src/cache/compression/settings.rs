//! Compressed responses to clients.

use crate::settings::keys::group::settings_group;

settings_group! {
    /// Compressed responses: gzip, brotli and zstd by `Accept-Encoding`, for JSON, JavaScript and text of 1 KiB or
    /// more. Responses of the rest of the site leave as the site sent them.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CompressionSettings {
        /// Compress responses of the calendar for clients that accept it.
        pub enabled: bool = true => flag();
    }
}
