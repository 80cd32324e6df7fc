//! Messages of the companion plugin: sealed with the secret, made just now, and taken once.

use std::collections::HashMap;

use http::StatusCode;
use parking_lot::Mutex;
use serde::Deserialize;

use crate::secret::{Secret, sha256, unhex};

/// The header with the seal.
pub const SEAL: &str = "x-calendar-edge-purge";

/// The largest difference between two clocks, in seconds.
const SKEW: u64 = 60;

/// The content of a message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Message {
    /// The records that changed: `event:50`.
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// True if anything may have changed.
    #[serde(default)]
    pub(crate) all: bool,
    /// The numbers of the changes; with `all`, every change up to the highest one.
    #[serde(default)]
    pub(crate) changes: Vec<u64>,
}

/// Opens messages.
#[derive(Debug)]
pub(crate) struct Opener {
    secret: Secret,
    /// The random numbers of messages, with their times.
    taken: Mutex<HashMap<String, u64>>,
}

// === impl Opener ===

impl Opener {
    pub(crate) fn new(secret: Secret) -> Self {
        Self {
            secret,
            taken: Mutex::default(),
        }
    }

    /// The message in a body, by the value of [`SEAL`] and the time in seconds since 1970. One that is not sealed with the
    /// secret, or too old, is forbidden, and one that was taken before a conflict.
    pub(crate) fn open(&self, seal: &str, body: &[u8], now: u64) -> Result<Message, StatusCode> {
        let (time, number) = self.sealed(seal, body, now).ok_or(StatusCode::FORBIDDEN)?;
        let message = serde_json::from_slice(body).map_err(|_| StatusCode::FORBIDDEN)?;
        let mut taken = self.taken.lock();
        // Older ones are refused by their time.
        taken.retain(|_, time| *time + SKEW >= now);
        match taken.insert(number, time) {
            Some(_) => Err(StatusCode::CONFLICT),
            None => Ok(message),
        }
    }

    /// Time and random number of a seal that holds.
    fn sealed(&self, seal: &str, body: &[u8], now: u64) -> Option<(u64, String)> {
        let mut parts = seal.strip_prefix("v1 ")?.split(',');
        let mut part = |name: &str| parts.next()?.strip_prefix(name);
        let (time, number) = (part("t=")?, part("n=")?);
        let (digest, signature) = (part("d=")?, part("s=")?);
        let text = format!("calendar-edge purge v1\n{time}\n{number}\n{digest}");
        let holds = self.secret.has_signed(&text, &unhex(signature)?) && digest == sha256(body);
        let made: u64 = time.parse().ok()?;
        (holds && made.abs_diff(now) <= SKEW).then(|| (made, number.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    #[test]
    fn known_seals_are_opened_once_and_in_time() {
        let cases = include_str!("../../../fixtures/mark/seals.json");
        let cases: Vec<serde_json::Value> = serde_json::from_str(cases).expect("JSON");
        assert!(cases.len() > 2);
        for case in &cases {
            let text = |name: &str| case[name].as_str().unwrap_or_default();
            let secret = Secret::new(text("secret").as_bytes()).expect("long enough");
            let opener = Opener::new(secret);
            let body = STANDARD.decode(text("body_base64")).expect("base64");
            let now = case["time"].as_u64().expect("a time");
            let open = |body: &[u8], now| opener.open(text("seal"), body, now);
            assert_eq!(open(&body, now + SKEW + 1), Err(StatusCode::FORBIDDEN));
            assert_eq!(
                open(b"{\"all\":true,\"changes\":[77]}", now),
                Err(StatusCode::FORBIDDEN)
            );
            if serde_json::from_slice::<Message>(&body).is_err() {
                assert_eq!(open(&body, now), Err(StatusCode::FORBIDDEN), "no message");
                continue;
            }
            let message = open(&body, now).expect("a message");
            assert!(message.all || !message.tags.is_empty());
            assert_eq!(open(&body, now + SKEW), Err(StatusCode::CONFLICT));
        }
    }
}
