//! Limits on sizes, counts and rates.

/// Sizes, counts and rates; a violation is answered with the status in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of the request target (414).
    pub target_bytes: usize,
    /// Maximum number of header fields (431).
    pub headers: usize,
    /// Maximum bytes of one header value (431).
    pub header_bytes: usize,
    /// Maximum bytes of all headers (431).
    pub header_list_bytes: usize,
    /// Maximum number of pairs in a query (400).
    pub query_pairs: usize,
    /// Maximum number of fields of a form body (400).
    pub form_fields: usize,
    /// Maximum bytes of a request body (413).
    pub body_bytes: u64,
    /// Maximum bytes of all request bodies in memory; beyond it reading waits (503).
    pub request_buffer_total: usize,
    /// Minimum rate of a request body, in bytes per second (408); 0: no minimum.
    pub min_body_rate: u64,
    /// Maximum nesting of a JSON body (400 `rest_invalid_json` code 1).
    pub json_depth: usize,
    /// Maximum bytes of a response of the origin (502).
    pub response_bytes: u64,
    /// Maximum bytes of a response that is held until complete; larger responses stream.
    pub response_buffer_bytes: usize,
    /// Maximum bytes of all responses held in memory for their clients; beyond it responses stream.
    pub response_buffer_total: usize,
    /// Minimum rate at which a client must read a response, in bytes per second. Slower clients are
    /// disconnected (HTTP/2: the stream is reset); 0: no minimum.
    pub min_response_rate: u64,
    /// Maximum number of client connections.
    pub connections: usize,
    /// Maximum number of client connections from one address, by default half of those of all; 0: no maximum.
    pub connections_per_address: usize,
}

// === impl Limits ===

impl Default for Limits {
    fn default() -> Self {
        Self {
            target_bytes: 8 * 1024,
            headers: 100,
            header_bytes: 16 * 1024,
            header_list_bytes: 32 * 1024,
            query_pairs: 500,
            form_fields: 500,
            body_bytes: 8 * 1024 * 1024,
            request_buffer_total: 64 * 1024 * 1024,
            min_body_rate: 1024,
            json_depth: 128,
            response_bytes: 32 * 1024 * 1024,
            response_buffer_bytes: 1024 * 1024,
            response_buffer_total: 64 * 1024 * 1024,
            min_response_rate: 4 * 1024,
            connections: 20_000,
            connections_per_address: 10_000,
        }
    }
}
