//! `Cache-Status` (RFC 9211): the handling of a request by the cache.

use std::time::Duration;

use http::{HeaderName, HeaderValue};
use strum::VariantNames as _;

use super::bypass::Bypass;

/// `Cache-Status` (RFC 9211).
pub const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// The handling of a request by the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum CacheOutcome {
    /// A stored response, fresh for this time.
    Hit(Duration),
    /// A stored response although stale for this time; the site gets a request behind it.
    Stale(Duration),
    /// A stored response although stale for this time, because the site failed.
    #[strum(serialize = "stale_on_error")]
    OnError(Duration),
    /// A stored response although stale for this time, because the request to the site has to wait.
    #[strum(serialize = "stale_while_busy")]
    Busy(Duration),
    /// Nothing was stored: the request was forwarded.
    Miss(ForwardedRequest),
    /// The stored response was stale: the request was forwarded.
    Revalidated(ForwardedRequest),
    /// The cache takes no part.
    Bypass(Bypass),
}

/// The way in which a request was forwarded, and whether its response is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForwardedRequest {
    /// True if another client's request was shared.
    pub collapsed: bool,
    /// The time for which the response is kept fresh; `None`: it is not kept.
    pub stored_for: Option<Duration>,
}

// === impl CacheOutcome ===

impl CacheOutcome {
    /// The names that [`CacheOutcome::name`] gives.
    pub const NAMES: &'static [&'static str] = Self::VARIANTS;

    /// The name in metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The value of the header.
    pub fn header(self) -> HeaderValue {
        let text = match self {
            // By far the most frequent one is written at once.
            Self::Hit(left) => {
                return value(["calendar-edge; hit; ttl=", &left.as_secs().to_string()].concat());
            }
            Self::Stale(stale) => format!("hit; ttl={}", past(stale)),
            Self::OnError(stale) => format!("hit; ttl={}; detail=origin-failed", past(stale)),
            Self::Busy(stale) => format!("hit; ttl={}; detail=origin-busy", past(stale)),
            Self::Miss(asked) => format!("fwd=uri-miss{}", asked.text()),
            Self::Revalidated(asked) => format!("fwd=stale{}", asked.text()),
            Self::Bypass(bypass) => format!("fwd=bypass; detail={}", bypass.name()),
        };
        value(format!("calendar-edge; {text}"))
    }
}

fn value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("calendar-edge"))
}

/// A time in the past, in whole seconds.
fn past(time: Duration) -> String {
    match time.as_secs() {
        0 => "0".to_owned(),
        seconds => format!("-{seconds}"),
    }
}

// === impl ForwardedRequest ===

impl ForwardedRequest {
    fn text(self) -> String {
        let stored = self
            .stored_for
            .map_or_else(String::new, |left| format!("; stored; ttl={}", left.as_secs()));
        let collapsed = if self.collapsed { "; collapsed" } else { "" };
        stored + collapsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_structured_fields() {
        let second = Duration::from_millis(1900);
        for (outcome, expected) in [
            (CacheOutcome::Hit(second), "calendar-edge; hit; ttl=1"),
            (CacheOutcome::Stale(Duration::ZERO), "calendar-edge; hit; ttl=0"),
            (
                CacheOutcome::Stale(Duration::from_secs(10)),
                "calendar-edge; hit; ttl=-10",
            ),
            (
                CacheOutcome::OnError(second),
                "calendar-edge; hit; ttl=-1; detail=origin-failed",
            ),
            (
                CacheOutcome::Busy(second),
                "calendar-edge; hit; ttl=-1; detail=origin-busy",
            ),
            (
                CacheOutcome::Miss(ForwardedRequest {
                    collapsed: true,
                    stored_for: Some(second),
                }),
                "calendar-edge; fwd=uri-miss; stored; ttl=1; collapsed",
            ),
            (
                CacheOutcome::Revalidated(ForwardedRequest {
                    collapsed: false,
                    stored_for: None,
                }),
                "calendar-edge; fwd=stale",
            ),
            (
                CacheOutcome::Bypass(Bypass::LoginCookie),
                "calendar-edge; fwd=bypass; detail=login-cookie",
            ),
        ] {
            assert_eq!(outcome.header(), expected);
            assert!(CacheOutcome::NAMES.contains(&outcome.name()));
        }
    }
}
