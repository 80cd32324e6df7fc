//! A secret that is shared with the companion plugin or with the edge, and what is signed with it.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use ring::{digest, hmac};

/// A key for HMAC-SHA256.
#[derive(Debug, Clone)]
pub struct Secret(hmac::Key);

// === impl Secret ===

impl Secret {
    /// The fewest bytes of a secret.
    const SHORTEST: usize = 32;

    /// The secret in a file.
    ///
    /// # Errors
    /// When the file cannot be read, or the secret is too short.
    pub fn in_file(path: &Path) -> io::Result<Self> {
        Self::new(&std::fs::read(path)?)
    }

    /// A secret of at least 32 bytes, without the white space around it.
    ///
    /// # Errors
    /// When it is shorter.
    pub fn new(bytes: &[u8]) -> io::Result<Self> {
        let bytes = bytes.trim_ascii();
        if bytes.len() < Self::SHORTEST {
            return Err(io::Error::other("a secret has at least 32 bytes"));
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, bytes)))
    }

    /// True if a signature is of this text, compared in constant time.
    pub(crate) fn has_signed(&self, text: &str, signature: &[u8]) -> bool {
        hmac::verify(&self.0, text.as_bytes(), signature).is_ok()
    }

    #[cfg(any(test, feature = "site"))]
    /// The mark of a request with this target, its path and query: the companion plugin lets no other call through.
    pub(crate) fn mark(&self, method: &str, target: &str, body: &[u8], now: u64) -> String {
        let body = sha256(body);
        let signature = self.sign(&format!(
            "calendar-edge mark v1\n{now}\n{method}\n{target}\n{body}"
        ));
        format!("v1 t={now},s={signature}")
    }

    /// The number that a copy requests for its record, for the request with this mark.
    #[cfg(feature = "site")]
    pub(crate) fn number(&self, id: u64, mark: &str) -> String {
        let signature = self.sign(&format!("calendar-edge number v1\n{id}\n{mark}"));
        format!("v1 n={id},s={signature}")
    }

    /// The seal of a message, by the time and a number that no other message of this second has.
    pub(crate) fn seal(&self, body: &str, now: u64, number: u64) -> String {
        let (number, digest) = (format!("{now:016x}{number:016x}"), sha256(body.as_bytes()));
        let signature = self.sign(&format!("calendar-edge purge v1\n{now}\n{number}\n{digest}"));
        format!("v1 t={now},n={number},d={digest},s={signature}")
    }

    fn sign(&self, text: &str) -> String {
        hex(hmac::sign(&self.0, text.as_bytes()).as_ref())
    }
}

/// SHA-256 in lower-case hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes that hexadecimal digits stand for.
pub(crate) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.len().is_multiple_of(2).then_some(())?;
    pairs.map(byte).collect()
}

/// Seconds since 1970.
pub fn unix_time() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    #[test]
    fn marks_are_the_known_ones() {
        let cases = include_str!("../../../fixtures/mark/cases.json");
        let cases: Vec<serde_json::Value> = serde_json::from_str(cases).expect("JSON");
        let mut tried = 0;
        // PHP and the edge sign a HEAD as a GET.
        for case in cases.iter().filter(|case| case["method"] != "HEAD") {
            let text = |name: &str| case[name].as_str().unwrap_or_default();
            let secret = Secret::new(text("secret").as_bytes()).expect("long enough");
            let body = STANDARD.decode(text("body_base64")).expect("base64");
            let time = case["time"].as_u64().expect("a time");
            let mark = secret.mark(text("method"), text("target"), &body, time);
            assert_eq!(mark, text("mark"), "{}", text("name"));
            tried += 1;
        }
        assert!(tried > 2);
        assert!(Secret::new(b"short").is_err());
    }
}
