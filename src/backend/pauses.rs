//! Pauses between two attempts to send.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;
use jiff::fmt::rfc2822;
use uuid::Uuid;

use crate::telemetry::unix_time;
use calendar_edge_core::limits::Backoff;

/// The longest pause, also at a receiver's demand.
const LONGEST: Duration = Duration::from_mins(5);

const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), LONGEST);

/// The pause that a receiver demands with `Retry-After`, in seconds or as a date, up to five minutes; none without the
/// header.
pub fn demanded(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = match text.parse() {
        Ok(seconds) => seconds,
        Err(_) => until(text)?,
    };
    Some(Duration::from_secs(seconds).min(LONGEST))
}

fn until(date: &str) -> Option<u64> {
    let date = u64::try_from(rfc2822::parse(date).ok()?.timestamp().as_second());
    Some(date.unwrap_or_default().saturating_sub(unix_time().as_secs()))
}

/// The pause after this many failures, from 0 on, or the one that the receiver demands if that is longer.
pub(crate) fn after(failures: u32, asked: Option<Duration>) -> Duration {
    let pause = BACKOFF.spread_after(failures, chance());
    pause.max(asked.unwrap_or_default())
}

/// A number by chance, by which a pause is made shorter.
pub(crate) fn chance() -> u8 {
    Uuid::new_v4().as_bytes()[15]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_ask_in_seconds_or_by_a_date() {
        let pause = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            demanded(&headers)
        };
        assert_eq!(pause("3"), Some(Duration::from_secs(3)));
        assert_eq!(pause("0"), Some(Duration::ZERO));
        assert_eq!(pause("99999999"), Some(LONGEST));
        assert_eq!(pause("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(pause("Fri, 06 Nov 2093 08:49:37 GMT"), Some(LONGEST));
        for odd in ["", "-1", "soon", "1.5"] {
            assert_eq!(pause(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_receiver_makes_pauses_longer_and_never_shorter() {
        for failures in 0..40 {
            assert!(
                after(failures, Some(Duration::ZERO)) >= BACKOFF.after(failures) / 2,
                "{failures}"
            );
            assert_eq!(after(failures, Some(LONGEST)), LONGEST);
        }
    }
}
