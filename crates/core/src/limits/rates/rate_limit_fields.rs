//! A client's remaining calls, as response headers (draft-ietf-httpapi-ratelimit-headers).

use std::fmt::Write as _;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::settings::Rate;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// A client's remaining calls in one budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BudgetStatus {
    pub(super) budget: &'static str,
    pub(super) rate: Rate,
    pub(super) left: u32,
    pub(super) full_in: Duration,
}

/// A client's remaining calls in the budgets that a call was paid from; empty if no budget limits the call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RateLimitStatus(pub(super) Vec<BudgetStatus>);

/// A budget that is used up.
#[derive(Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Its name, from a closed set.
    pub budget: &'static str,
    /// The time until the budget has a call again.
    pub wait: Duration,
    /// The remaining calls of the client.
    pub status: RateLimitStatus,
}

// === impl RateLimitStatus ===

impl RateLimitStatus {
    /// Writes `RateLimit` and `RateLimit-Policy`: quota and window in seconds, the remaining calls, and the
    /// seconds until the whole quota is available again.
    pub fn write(&self, headers: &mut HeaderMap) {
        if self.0.is_empty() {
            return;
        }
        let (mut limit, mut policy) = (String::new(), String::new());
        for status in &self.0 {
            let BudgetStatus {
                budget, rate, left, ..
            } = status;
            let comma = if limit.is_empty() { "" } else { ", " };
            let (window, full_in) = (whole_seconds(rate.period), whole_seconds(status.full_in));
            let written = write!(limit, "{comma}\"{budget}\";r={left};t={full_in}")
                .and_then(|()| write!(policy, "{comma}\"{budget}\";q={};w={window}", rate.requests));
            debug_assert!(written.is_ok(), "a String takes everything");
        }
        for (name, text) in [(RATE_LIMIT, limit), (RATE_LIMIT_POLICY, policy)] {
            // Numbers and names from a closed set always form a valid header value.
            if let Ok(value) = HeaderValue::try_from(text) {
                headers.insert(name, value);
            }
        }
    }
}

/// Seconds, rounded up.
pub fn whole_seconds(time: Duration) -> u64 {
    time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_quota_window_and_remaining_calls() {
        let mut status = RateLimitStatus::default();
        let mut headers = HeaderMap::new();
        status.write(&mut headers);
        assert!(headers.is_empty());
        for (budget, left) in [("address-lists", 59), ("credentials-lists", 0)] {
            status.0.push(BudgetStatus {
                budget,
                rate: Rate {
                    requests: 60,
                    period: Duration::from_mins(1),
                },
                left,
                full_in: Duration::from_millis(1200),
            });
        }

        status.write(&mut headers);

        let limit = r#""address-lists";r=59;t=2, "credentials-lists";r=0;t=2"#;
        let policy = r#""address-lists";q=60;w=60, "credentials-lists";q=60;w=60"#;
        assert_eq!(headers.get("ratelimit").unwrap(), limit);
        assert_eq!(headers.get("ratelimit-policy").unwrap(), policy);
    }
}
