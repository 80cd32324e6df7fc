//! The seal of a message of the companion plugin: its content, its time, and that the sender holds the secret.

use std::time::Duration;

use http::{HeaderName, HeaderValue};
use ring::{digest, hmac};

use super::changes::canonical_number;
use crate::settings::MarkKey;
use crate::settings::mark_text::{Hex, hex, sensitive};
use crate::unix_time::UnixTime;

/// Carries the seal of a message to the edge.
pub const SEAL: HeaderName = HeaderName::from_static("x-calendar-edge-purge");

/// The subject of the companion plugin's messages.
const PURGE: &str = "purge";

/// The most digits of a time.
const LONGEST_TIME: usize = 12;

/// A seal that holds: the sender of the message holds the secret, and made it at about this time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// When the message was made, in seconds since 1970.
    pub(crate) time: u64,
    /// The random number that no other message has.
    pub(crate) nonce: [u8; 16],
    digest: [u8; 32],
}

/// The reason why a seal does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealFault {
    /// It does not have the one form of a seal.
    #[error("the seal is not of the form `v1 t=…,n=…,d=…,s=…`")]
    Malformed,
    /// The signature is made with another secret, or for another message.
    #[error("the seal is not made with the secret of this edge")]
    Forged,
    /// The time differs from that of the edge by more than [`Seal::SKEW`] seconds.
    #[error("the seal is too old, or too new")]
    Expired,
}

// === impl Seal ===

impl Seal {
    /// The largest difference between the clocks of the site and of the edge, in seconds.
    pub const SKEW: u64 = 60;

    /// True if it was made at about this time, in seconds since 1970.
    pub fn is_timely(&self, unix_time: u64) -> bool {
        self.time.abs_diff(unix_time) <= Self::SKEW
    }

    /// The least age of the message by its time, which is in whole seconds.
    pub fn least_age(&self, now: UnixTime) -> Duration {
        now.saturating_since(UnixTime::from_secs(self.time.saturating_add(1)))
    }

    /// True if this is the body that was sealed.
    pub fn covers(&self, body: &[u8]) -> bool {
        digest::digest(&digest::SHA256, body).as_ref() == self.digest
    }
}

// === impl MarkKey ===

impl MarkKey {
    /// The seal of a message: its body exactly as it is sent, the time in seconds since 1970, and a random number.
    pub fn seal(&self, body: &[u8], unix_time: u64, nonce: [u8; 16]) -> HeaderValue {
        sensitive(&self.seal_about(PURGE, body, unix_time, nonce))
    }

    /// The same for a message about another subject, which is one line.
    pub(crate) fn seal_about(&self, subject: &str, body: &[u8], unix_time: u64, nonce: [u8; 16]) -> String {
        let digest = Hex(digest::digest(&digest::SHA256, body)).to_string();
        let nonce = Hex(nonce).to_string();
        let message = signed(subject, &unix_time.to_string(), &nonce, &digest);
        let signature = Hex(hmac::sign(self.hmac(), message.as_bytes()));
        format!("v1 t={unix_time},n={nonce},d={digest},s={signature}")
    }

    /// Opens a seal at this time, in seconds since 1970. The body is not needed: see [`Seal::covers`].
    ///
    /// # Errors
    ///
    /// When the seal does not hold.
    pub fn open(&self, seal: &[u8], unix_time: u64) -> Result<Seal, SealFault> {
        let sealed = self.open_about(PURGE, seal)?;
        if !sealed.is_timely(unix_time) {
            return Err(SealFault::Expired);
        }
        Ok(sealed)
    }

    /// Opens the seal of a message about this subject, whatever its time.
    pub(crate) fn open_about(&self, subject: &str, seal: &[u8]) -> Result<Seal, SealFault> {
        let (sealed, message, signature) = parts(subject, seal).ok_or(SealFault::Malformed)?;
        // The comparison takes the same time wherever the two differ.
        hmac::verify(self.hmac(), message.as_bytes(), &signature).map_err(|_| SealFault::Forged)?;
        Ok(sealed)
    }
}

/// The signed text: every line has a fixed alphabet without line feeds.
fn signed(subject: &str, time: &str, nonce: &str, digest: &str) -> String {
    format!("calendar-edge {subject} v1\n{time}\n{nonce}\n{digest}")
}

/// A seal in its one form: what it holds, the text that is signed, and the signature.
fn parts(subject: &str, seal: &[u8]) -> Option<(Seal, String, [u8; 32])> {
    let rest = std::str::from_utf8(seal).ok()?.strip_prefix("v1 t=")?;
    let (time, rest) = rest.split_once(",n=")?;
    let (nonce, rest) = rest.split_once(",d=")?;
    let (digest, signature) = rest.split_once(",s=")?;
    let sealed = Seal {
        time: canonical_number(time).filter(|_| time.len() <= LONGEST_TIME)?,
        nonce: hex(nonce)?,
        digest: hex(digest)?,
    };
    Some((sealed, signed(subject, time, nonce, digest), hex(signature)?))
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::process::Command;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    const SECRET: &[u8] = b"a secret of thirty-two characters";
    const NOW: u64 = 1_763_769_600;

    /// A recorded result, which the plugin must give as well.
    #[derive(Deserialize)]
    struct Case {
        name: String,
        secret: String,
        time: u64,
        nonce: String,
        body_base64: String,
        seal: String,
    }

    impl Case {
        fn all() -> Vec<Self> {
            serde_json::from_str(include_str!("../../../../../fixtures/mark/seals.json")).unwrap()
        }

        fn body(&self) -> Vec<u8> {
            STANDARD.decode(&self.body_base64).unwrap()
        }
    }

    fn key() -> MarkKey {
        MarkKey::new(SECRET).unwrap()
    }

    fn opened(seal: &str, now: u64) -> Result<Seal, SealFault> {
        key().open(seal.as_bytes(), now)
    }

    #[test]
    fn seals_are_the_known_ones_and_open() {
        for case in Case::all() {
            let key = MarkKey::new(case.secret.as_bytes()).unwrap();
            let nonce = hex(&case.nonce).unwrap();
            assert_eq!(
                key.seal(&case.body(), case.time, nonce),
                case.seal,
                "{}",
                case.name
            );
            let seal = key.open(case.seal.as_bytes(), case.time).expect(&case.name);
            assert!(seal.covers(&case.body()), "{}", case.name);
            assert_eq!((seal.time, seal.nonce), (case.time, nonce), "{}", case.name);
        }
    }

    #[test]
    fn the_plugin_writes_the_same_seals() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/mark/seals.php");
        let output = match Command::new("php").arg(script).output() {
            Ok(output) => output,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                guards::skips::skipped("no PHP here to compare with");
                return;
            }
            Err(error) => panic!("PHP does not run: {error}"),
        };
        let written = String::from_utf8(output.stdout).unwrap();
        let expected: Vec<String> = Case::all()
            .iter()
            .map(|case| format!("{}\t{}", case.name, case.seal))
            .collect();
        assert_eq!(written.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn clocks_may_differ_by_a_minute() {
        let seal = key().seal(b"x", NOW, [7; 16]);
        let at = |now| key().open(seal.as_bytes(), now).map(|seal| seal.time);
        assert_eq!(at(NOW - 60), Ok(NOW));
        assert_eq!(at(NOW + 60), Ok(NOW));
        assert_eq!(at(NOW - 61), Err(SealFault::Expired));
        assert_eq!(at(NOW + 61), Err(SealFault::Expired));
    }

    #[test]
    fn a_seal_covers_one_body() {
        let seal = key().seal(b"one", NOW, [7; 16]);
        let seal = key().open(seal.as_bytes(), NOW).unwrap();
        assert!(seal.covers(b"one"));
        assert!(!seal.covers(b"two") && !seal.covers(b""));
    }

    #[test]
    fn a_mark_is_no_seal() {
        let mark = key().mark(&http::Method::POST, "/purge", b"", NOW);
        assert_eq!(key().open(mark.as_bytes(), NOW), Err(SealFault::Malformed));
    }

    #[test]
    fn other_spellings_are_malformed() {
        let seal = key().seal(b"x", NOW, [0xab; 16]);
        let seal = seal.to_str().unwrap();
        for other in [
            String::new(),
            "v1".to_owned(),
            seal.to_uppercase(),
            seal.replace("v1", "v2"),
            seal.replace("t=", "t=0"),
            seal.replace("t=1", "t=+1"),
            seal.replace("t=", "t=999"),
            seal.replace("n=a", "n=A"),
            seal.replace("n=ab", "n="),
            seal.replace(",d=", ", d="),
            format!("{seal}0"),
            format!(" {seal}"),
            format!("{seal}, {seal}"),
        ] {
            assert_eq!(opened(&other, NOW), Err(SealFault::Malformed), "{other}");
        }
    }

    proptest! {
        #[test]
        fn whatever_changes_in_a_seal_breaks_it(at in 0usize..190, byte in 0u8..=255) {
            let seal = key().seal(b"x", NOW, [0xab; 16]);
            let mut bytes = seal.as_bytes().to_vec();
            let at = at % bytes.len();
            prop_assume!(bytes[at] != byte);
            bytes[at] = byte;
            prop_assert!(key().open(&bytes, NOW).is_err());
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(key().open(&bytes, NOW).is_err());
        }
    }

    #[test]
    fn a_seal_tells_the_least_age_of_its_message() {
        let key = MarkKey::new(b"a secret of thirty-two characters").unwrap();
        let seal = key.seal(b"x", 100, [7; 16]);
        let seal = key.open(seal.as_bytes(), 100).unwrap();
        for (now, expected) in [(90_000, 0), (100_900, 0), (101_200, 200), (130_000, 29_000)] {
            let age = seal.least_age(UnixTime::from_millis(now));
            assert_eq!(age, Duration::from_millis(expected));
        }
    }
}
