//! Settings of HTTP/2 connections.

use std::time::Duration;

/// What one HTTP/2 connection of a client may do; explicit, because a library's defaults are not made for the
/// open internet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Http2Limits {
    /// Requests at once.
    pub streams: u32,
    /// Bytes of a decoded head, 32 more for each field (RFC 9113 6.5.2); four times as many end the connection.
    pub header_list_bytes: u32,
    /// Bytes of one frame, between 16384 and 16777215 (RFC 9113 4.2).
    pub frame_bytes: u32,
    /// Bytes of one request body that may wait unread.
    pub stream_window_bytes: u32,
    /// Bytes of all request bodies that may wait unread.
    pub connection_window_bytes: u32,
    /// Bytes of one answer that may wait for the client.
    pub send_buffer_bytes: usize,
    /// Streams reset before their request was begun that end the connection (CVE-2023-44487, rapid reset).
    pub pending_resets: usize,
    /// Resets provoked by breaking the protocol that end the connection (CVE-2025-8671, made you reset).
    pub provoked_resets: usize,
    /// After how much silence the client is asked whether it is still there.
    pub ping_interval: Duration,
    /// How long its reply may take before the connection is closed.
    pub ping_timeout: Duration,
    /// How many frames that carry nothing the client may send.
    pub frames: FrameRates,
}

/// Frames of a kind that a client may send each second, over ten seconds; every 64 bytes of answers that it
/// takes allow one more. More end the connection (RFC 9113 10.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameRates {
    /// `RST_STREAM`: requests taken back (CVE-2023-44487).
    pub resets: u32,
    /// SETTINGS (CVE-2019-9515).
    pub settings: u32,
    /// PING (CVE-2019-9512).
    pub pings: u32,
    /// `WINDOW_UPDATE` (CVE-2019-9511).
    pub window_updates: u32,
    /// DATA of less than 64 bytes before the end of a body (CVE-2019-9518).
    pub small_data: u32,
    /// PRIORITY (CVE-2019-9513) and what has no meaning here.
    pub others: u32,
}

impl Default for Http2Limits {
    fn default() -> Self {
        Self {
            streams: 100,
            header_list_bytes: 64 * 1024,
            frame_bytes: 16 * 1024,
            stream_window_bytes: 256 * 1024,
            connection_window_bytes: 1024 * 1024,
            send_buffer_bytes: 64 * 1024,
            pending_resets: 20,
            provoked_resets: 64,
            ping_interval: Duration::from_secs(30),
            ping_timeout: Duration::from_secs(10),
            frames: FrameRates::default(),
        }
    }
}

impl Default for FrameRates {
    fn default() -> Self {
        Self {
            resets: 50,
            settings: 5,
            pings: 20,
            window_updates: 200,
            small_data: 10_000,
            others: 100,
        }
    }
}
