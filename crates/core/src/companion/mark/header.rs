//! The name of the header that carries a mark.

use http::HeaderName;

/// Carries a mark to the origin; a client must never be able to send it there.
pub const MARK: HeaderName = HeaderName::from_static("x-calendar-edge-mark");
