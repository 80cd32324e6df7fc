//! Limits of HTTP/2 connections.

use std::time::Duration;

use super::keys::group::settings_group;

settings_group! {
    /// Limits of one HTTP/2 connection. They are explicit, because a library's defaults are not made for the open
    /// internet.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Http2Limits {
        /// Maximum number of concurrent streams.
        pub max_concurrent_streams: u32 = 100;
        /// Maximum bytes of a decoded head, plus 32 for each field (RFC 9113 6.5.2). A head four times as large
        /// ends the connection.
        pub header_list_bytes: u32 = 64 * 1024;
        /// Maximum bytes of one frame, between 16384 and 16777215 (RFC 9113 4.2).
        pub frame_bytes: u32 = 16 * 1024;
        /// Flow-control window of a stream: maximum bytes of one request body that the edge has not read.
        pub stream_window_bytes: u32 = 256 * 1024;
        /// Flow-control window of the connection: maximum bytes of all request bodies that the edge has not read.
        pub connection_window_bytes: u32 = 1024 * 1024;
        /// Maximum bytes of one response that are buffered for the client.
        pub send_buffer_bytes: usize = 64 * 1024;
        /// Maximum number of streams that the client reset before the edge accepted them; more end the connection
        /// (CVE-2023-44487, rapid reset).
        pub pending_resets: usize = 20;
        /// Maximum number of streams that the edge reset because of a protocol error; more end the connection
        /// (CVE-2025-8671, made you reset).
        pub local_error_resets: usize = 64;
        /// Time without traffic after which the edge sends a PING.
        pub ping_interval: Duration = Duration::from_secs(30);
        /// Time after which the connection is closed if the PING is not acknowledged.
        pub ping_timeout: Duration = Duration::from_secs(10);
        /// Maximum rate of frames that carry nothing, in frames per second, with a burst of ten seconds: `RST_STREAM`
        /// (CVE-2023-44487), SETTINGS (CVE-2019-9515), PING (CVE-2019-9512), `WINDOW_UPDATE` (CVE-2019-9511), PRIORITY
        /// (CVE-2019-9513), empty DATA (CVE-2019-9518) and frames of unknown types. `RST_STREAM` and
        /// SETTINGS count as four. DATA that carries less than 64 bytes before the end of a body counts as a fiftieth. Every 64 bytes of responses that the client reads
        /// allow one more. A client above the rate is disconnected (RFC 9113 10.5).
        pub frames: u32 = 200;
    }
}
