//! Limits on sizes, counts and rates.

use super::keys::group::settings_group;

settings_group! {
    /// Limits on sizes, counts and rates. A request that violates one is refused with the status in brackets.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Limits {
        /// Maximum size of the request target, path and query (414).
        pub target_bytes: usize = 8 << 10;
        /// Maximum number of header fields (431).
        pub headers: usize = 100;
        /// Maximum bytes of one header value (431).
        pub header_bytes: usize = 16 << 10;
        /// Maximum bytes of all headers (431).
        pub header_list_bytes: usize = 32 << 10;
        /// Maximum size of a request body (413).
        pub body_bytes: u64 = 8 << 20 => size(1 << 10..=1 << 30);
        /// Maximum bytes of all request bodies in memory; beyond it reading waits (503).
        pub request_buffer_total: usize = 64 << 20;
        /// Minimum rate of a request body, in bytes per second (408); 0: no minimum.
        pub min_body_rate: u64 = 1 << 10;
        /// Maximum size of a response of the site (502).
        pub response_bytes: u64 = 32 << 20;
        /// Maximum bytes of a response that is held until complete; larger responses stream.
        pub response_buffer_bytes: usize = 1 << 20;
        /// Maximum bytes of all responses held in memory for their clients; beyond it responses stream.
        pub response_buffer_total: usize = 64 << 20;
        /// Minimum rate at which a client must read a response, in bytes per second. Slower clients are disconnected
        /// (HTTP/2: the stream is reset); 0: no minimum.
        pub min_response_rate: u64 = 4 << 10;
        /// Maximum number of client connections. The edge lowers it, and logs that, if the process may not open that
        /// many files.
        pub connections: usize = 20_000 => count(1..=1_000_000);
        /// Maximum number of connections from one client address; further ones are closed at once. All addresses of
        /// an IPv6 /64 network count as one; `trusted_proxies` are exempt. 0: no maximum.
        pub connections_per_address: usize = 10_000 => count(0..=1_000_000);
    }
}
