//! Tokens: the position of a reader in the changes of one site, as a text that readers do not look into.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::settings::MarkKey;
use crate::unix_time::UnixTime;

/// A place in the changes of a site: each change up to the number was sent, at a time when the site was as far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct FeedPosition {
    /// The number of the last change that was sent.
    pub number: u64,
    /// A time at which this was the last one. It tells two counts of one site apart.
    pub at: UnixTime,
}

/// Writes and reads the tokens of one site. Edges with the secret of the site and the same address of its root take each
/// other's tokens.
#[derive(Debug, Clone)]
pub struct FeedKey {
    key: hmac::Key,
    log: [u8; LOG_BYTES],
}

/// A text that is no token, or one that somebody has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a token of this feed")]
pub struct MalformedToken;

/// The version of the form below.
const VERSION: u8 = 1;

const LOG_BYTES: usize = 8;
const SEAL_BYTES: usize = 8;

/// Version, log, number, time and seal.
const TOKEN_BYTES: usize = 1 + LOG_BYTES + 8 + 8 + SEAL_BYTES;

// === impl FeedPosition ===

impl From<(u64, u64)> for FeedPosition {
    fn from((number, millis): (u64, u64)) -> Self {
        Self {
            number,
            at: UnixTime::from_millis(millis),
        }
    }
}

impl From<FeedPosition> for (u64, u64) {
    fn from(position: FeedPosition) -> Self {
        (position.number, position.at.as_millis())
    }
}

// === impl FeedKey ===

impl FeedKey {
    /// The tokens of the site with this secret, and with this REST root as the edge reaches it.
    pub fn new(secret: &MarkKey, root: &Url) -> Self {
        let signed = |text: &str| {
            hmac::sign(
                secret.hmac(),
                format!("calendar-edge feed {text} v1\n{root}").as_bytes(),
            )
        };
        let (key, log) = (signed("key"), signed("log"));
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, key.as_ref()),
            log: first(log.as_ref()),
        }
    }

    /// The token of a position.
    pub fn write(&self, position: FeedPosition) -> String {
        let mut token = Vec::with_capacity(TOKEN_BYTES);
        token.push(VERSION);
        token.extend(self.log);
        token.extend(position.number.to_be_bytes());
        token.extend(position.at.as_millis().to_be_bytes());
        token.extend(self.seal(&token));
        URL_SAFE_NO_PAD.encode(token)
    }

    /// The position of a token; none if it is of another site, of another secret or of another version.
    ///
    /// # Errors
    ///
    /// When it is no token, or was changed.
    pub fn read(&self, token: &str) -> Result<Option<FeedPosition>, MalformedToken> {
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| MalformedToken)?;
        let (sealed, seal) = bytes
            .split_at_checked(TOKEN_BYTES - SEAL_BYTES)
            .filter(|(_, seal)| seal.len() == SEAL_BYTES)
            .ok_or(MalformedToken)?;
        let (head, position) = sealed.split_at_checked(1 + LOG_BYTES).ok_or(MalformedToken)?;
        if head.first() != Some(&VERSION) || head.get(1..) != Some(&self.log[..]) {
            return Ok(None);
        }
        if seal != self.seal(sealed) {
            return Err(MalformedToken);
        }
        let (number, at) = position.split_at_checked(8).ok_or(MalformedToken)?;
        Ok(Some(FeedPosition {
            number: u64::from_be_bytes(first(number)),
            at: UnixTime::from_millis(u64::from_be_bytes(first(at))),
        }))
    }

    /// The name of something else that is kept beside the log, such as the address of a webhook, which may be secret.
    pub fn name_of(&self, text: &str) -> String {
        let name: [u8; 16] = first(hmac::sign(&self.key, format!("name\n{text}").as_bytes()).as_ref());
        URL_SAFE_NO_PAD.encode(name)
    }

    fn seal(&self, sealed: &[u8]) -> [u8; SEAL_BYTES] {
        first(hmac::sign(&self.key, sealed).as_ref())
    }
}

impl PartialEq for FeedKey {
    /// Keys are the same if their tokens are of one log.
    fn eq(&self, other: &Self) -> bool {
        self.log == other.log
    }
}

impl Eq for FeedKey {}

/// The first bytes, with zeros where there are fewer.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut first = [0; N];
    for (to, from) in first.iter_mut().zip(bytes) {
        *to = *from;
    }
    first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn feed_key(secret: &str, root: &str) -> FeedKey {
        let secret = MarkKey::new(secret.as_bytes()).unwrap();
        FeedKey::new(&secret, &root.parse().unwrap())
    }

    fn ours() -> FeedKey {
        feed_key("a secret of thirty-two characters", "http://wp.example/wp-json")
    }

    const HERE: FeedPosition = FeedPosition {
        number: 812,
        at: UnixTime::from_secs(1_763_769_600),
    };

    #[test]
    fn tokens_hold_at_every_edge_of_the_site_and_nowhere_else() {
        let token = ours().write(HERE);
        assert_eq!(ours().read(&token), Ok(Some(HERE)));
        for other in [
            feed_key("another secret with 32 characters", "http://wp.example/wp-json"),
            feed_key(
                "a secret of thirty-two characters",
                "http://wp.example/de/wp-json",
            ),
        ] {
            assert_eq!(other.read(&token), Ok(None));
            assert_ne!(other.name_of("x"), ours().name_of("x"));
        }
    }

    #[test]
    fn other_texts_are_no_tokens() {
        let token = ours().write(HERE);
        let longer = format!("{token}AAAA");
        for text in [
            "",
            "0",
            "812",
            "next",
            "ä",
            &token[1..],
            &longer,
            &format!("{token}="),
        ] {
            assert_eq!(ours().read(text), Err(MalformedToken), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_changed_token_is_taken(place in 0..TOKEN_BYTES, bit in 0..8) {
            let mut bytes = URL_SAFE_NO_PAD.decode(ours().write(HERE)).unwrap();
            bytes[place] ^= 1_u8 << bit;
            let read = ours().read(&URL_SAFE_NO_PAD.encode(bytes));
            prop_assert!(matches!(read, Ok(None) | Err(MalformedToken)), "{read:?}");
        }

        #[test]
        fn every_position_has_a_token(number: u64, millis: u64) {
            let position = FeedPosition { number, at: UnixTime::from_millis(millis) };
            prop_assert_eq!(ours().read(&ours().write(position)), Ok(Some(position)));
        }
    }
}
