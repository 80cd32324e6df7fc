//! Pauses between two attempts to send.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;
use jiff::fmt::rfc2822;
use uuid::Uuid;

use crate::telemetry::unix_time;

/// The first pause; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(1);

/// The longest pause, also at a receiver's demand.
const LONGEST: Duration = Duration::from_mins(5);

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
    growing(failures).max(asked.unwrap_or_default())
}

/// It differs by chance, so that many edges do not come at once.
fn growing(failures: u32) -> Duration {
    let pause = FIRST.saturating_mul(2_u32.saturating_pow(failures)).min(LONGEST);
    let (_, chance) = Uuid::now_v7().as_u64_pair();
    // From half of it to all of it.
    let part = u32::try_from(chance % 1000).unwrap_or_default();
    pause / 2 + pause * part / 2000
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
    fn pauses_grow_to_a_bound() {
        for failures in 0..40 {
            let whole = FIRST.saturating_mul(2_u32.saturating_pow(failures)).min(LONGEST);
            let pause = after(failures, None);
            assert!(whole / 2 <= pause && pause <= whole, "{failures}: {pause:?}");
        }
    }

    #[test]
    fn a_receiver_makes_pauses_longer_and_never_shorter() {
        for failures in 0..40 {
            let whole = FIRST.saturating_mul(2_u32.saturating_pow(failures)).min(LONGEST);
            assert!(after(failures, Some(Duration::ZERO)) >= whole / 2, "{failures}");
            assert_eq!(after(failures, Some(LONGEST)), LONGEST);
        }
    }
}
