//! The token that operators on other machines show.

use std::fmt;

use ring::hmac;

use super::UnfitFile;
use super::mark_key::long_enough;

/// A token, compared in a time that does not depend on how much of it was right.
#[derive(Clone)]
pub struct AdminToken(hmac::Tag);

// === impl AdminToken ===

impl AdminToken {
    /// Takes a token as a file holds it; white space around it does not count.
    ///
    /// # Errors
    ///
    /// When it is shorter than [`MarkKey::SHORTEST_SECRET`](super::MarkKey::SHORTEST_SECRET).
    pub fn new(token: &[u8]) -> Result<Self, UnfitFile> {
        long_enough(token).map(|token| Self(hmac::sign(&key(), token)))
    }

    /// Returns true if this is the token.
    pub fn is(&self, presented: &[u8]) -> bool {
        hmac::verify(&key(), presented, self.0.as_ref()).is_ok()
    }
}

impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdminToken(redacted)")
    }
}

/// It makes both sides of the comparison equally long.
fn key() -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, b"calendar-edge admin token")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_token_is_taken_and_none_is_printed() {
        let token = AdminToken::new(b" 0123456789abcdef0123456789abcdef\n").unwrap();
        for (presented, expected) in [
            (&b"0123456789abcdef0123456789abcdef"[..], true),
            (b"0123456789abcdef0123456789abcdee", false),
            (b"0123456789abcdef0123456789abcdef0", false),
            (b"", false),
        ] {
            assert_eq!(token.is(presented), expected, "{presented:?}");
        }
        assert!(AdminToken::new(b"short").is_err());
        assert_eq!(format!("{token:?}"), "AdminToken(redacted)");
    }
}
