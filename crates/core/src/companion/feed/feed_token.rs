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
pub struct FeedPosition {
    /// The number of the last change that was sent.
    pub number: u64,
    /// A time at which this was the last one. It distinguishes two counts of one site.
    pub at: UnixTime,
}

/// Writes and reads the tokens of one site. Edges with the secret of the site and the same address of its root take each
/// other's tokens.
#[derive(Debug, Clone)]
pub struct FeedKey {
    key: hmac::Key,
    log: [u8; LOG_BYTES],
}

/// A text that is no token, or one that was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a token of this feed")]
pub struct MalformedToken;

/// The version of the form below.
const VERSION: u8 = 1;

const LOG_BYTES: usize = 8;
const SEAL_BYTES: usize = 8;

/// Version and log.
const HEAD_BYTES: usize = 1 + LOG_BYTES;

/// Number and time.
pub(super) const POSITION_BYTES: usize = 8 + 8;

// === impl FeedPosition ===

impl FeedPosition {
    pub(super) fn to_bytes(self) -> [u8; POSITION_BYTES] {
        let (number, at) = (self.number.to_be_bytes(), self.at.as_millis().to_be_bytes());
        first(&[number, at].concat())
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let (number, at) = bytes.split_at_checked(8).unwrap_or_default();
        Self {
            number: u64::from_be_bytes(first(number)),
            at: UnixTime::from_millis(u64::from_be_bytes(first(at))),
        }
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
        self.sealed(VERSION, &position.to_bytes())
    }

    /// The position of a token; none if it is of another site, of another secret or of another version.
    ///
    /// # Errors
    ///
    /// When it is no token, or was changed.
    pub fn read(&self, token: &str) -> Result<Option<FeedPosition>, MalformedToken> {
        let position = self.opened::<POSITION_BYTES>(VERSION, token)?;
        Ok(position.map(|bytes| FeedPosition::from_bytes(&bytes)))
    }

    /// A text with this content that only this key makes: version, log, content and seal.
    pub(super) fn sealed(&self, version: u8, content: &[u8]) -> String {
        let mut token = [&[version], &self.log[..], content].concat();
        token.extend(self.seal(&token));
        URL_SAFE_NO_PAD.encode(token)
    }

    /// The content of such a text; none if it is of another version or another log.
    pub(super) fn opened<const N: usize>(
        &self,
        version: u8,
        text: &str,
    ) -> Result<Option<[u8; N]>, MalformedToken> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| MalformedToken)?;
        let (sealed, seal) = bytes
            .split_at_checked(HEAD_BYTES + N)
            .filter(|(_, seal)| seal.len() == SEAL_BYTES)
            .ok_or(MalformedToken)?;
        let (head, content) = sealed.split_at_checked(HEAD_BYTES).ok_or(MalformedToken)?;
        if head.first() != Some(&version) || head.get(1..) != Some(&self.log[..]) {
            return Ok(None);
        }
        if seal != self.seal(sealed) {
            return Err(MalformedToken);
        }
        Ok(Some(first(content)))
    }

    /// The name of something else that is kept beside the log, by which the file of the log is recognized.
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

/// The first bytes; zeros if there are fewer.
pub(super) fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
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

    const TOKEN_BYTES: usize = HEAD_BYTES + POSITION_BYTES + SEAL_BYTES;

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
