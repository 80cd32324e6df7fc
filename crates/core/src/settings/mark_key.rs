//! Signs requests with the secret that the edge and the site share.

use std::fmt;

use http::{HeaderValue, Method};
use ring::{digest, hmac};

use super::mark_text::{Hex, sensitive};
use super::origin_access::UnfitFile;

/// The key of all marks, made from the shared secret.
#[derive(Clone)]
pub struct MarkKey(hmac::Key);

/// A secret as a file holds it, without the white space around it; an error if it is too short to be one.
pub(super) fn long_enough(secret: &[u8]) -> Result<&[u8], UnfitFile> {
    let secret = secret.trim_ascii();
    if secret.len() < MarkKey::SHORTEST_SECRET {
        let reason = format!("a secret has at least {} bytes", MarkKey::SHORTEST_SECRET);
        return Err(UnfitFile(reason.into()));
    }
    Ok(secret)
}

// === impl MarkKey ===

impl MarkKey {
    /// The fewest bytes of a secret, without the white space around it.
    pub const SHORTEST_SECRET: usize = 32;

    /// Takes a secret as a file holds it; white space around it does not count.
    ///
    /// # Errors
    ///
    /// When fewer than [`Self::SHORTEST_SECRET`] bytes remain.
    pub fn new(secret: &[u8]) -> Result<Self, UnfitFile> {
        long_enough(secret).map(|secret| Self(hmac::Key::new(hmac::HMAC_SHA256, secret)))
    }

    /// The mark of one request: the method that WordPress dispatches, the target and the body exactly as they
    /// are sent, and the time in seconds since 1970.
    pub fn mark(&self, method: &Method, path_and_query: &str, body: &[u8], unix_time: u64) -> HeaderValue {
        // Caches turn HEAD into GET, which shows nothing more.
        let method = if *method == Method::HEAD {
            "GET"
        } else {
            method.as_str()
        };
        let body = Hex(digest::digest(&digest::SHA256, body));
        let message = format!("calendar-edge mark v1\n{unix_time}\n{method}\n{path_and_query}\n{body}");
        let signature = Hex(hmac::sign(&self.0, message.as_bytes()));
        sensitive(&format!("v1 t={unix_time},s={signature}"))
    }

    pub(crate) fn hmac(&self) -> &hmac::Key {
        &self.0
    }
}

impl PartialEq for MarkKey {
    /// Keys are made from the same secret if they sign one text alike.
    fn eq(&self, other: &Self) -> bool {
        const TEXT: &[u8] = b"calendar-edge same key v1";
        hmac::verify(&self.0, TEXT, hmac::sign(&other.0, TEXT).as_ref()).is_ok()
    }
}

impl Eq for MarkKey {}

impl fmt::Debug for MarkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MarkKey(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::process::Command;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::Deserialize;

    use super::*;

    const SECRET: &[u8] = b"a secret of thirty-two characters";

    /// A recorded result, which the plugin must give as well.
    #[derive(Deserialize)]
    struct Case {
        name: String,
        secret: String,
        method: String,
        target: String,
        body_base64: String,
        time: u64,
        mark: String,
    }

    impl Case {
        fn all() -> Vec<Self> {
            serde_json::from_str(include_str!("../../../../fixtures/mark/cases.json")).unwrap()
        }

        fn signed(&self) -> HeaderValue {
            let method: Method = self.method.parse().unwrap();
            let body = STANDARD.decode(&self.body_base64).unwrap();
            let key = MarkKey::new(self.secret.as_bytes()).unwrap();
            key.mark(&method, &self.target, &body, self.time)
        }
    }

    #[test]
    fn marks_are_the_known_ones() {
        for case in Case::all() {
            assert_eq!(case.signed(), case.mark, "{}", case.name);
        }
    }

    #[test]
    fn the_plugin_writes_and_takes_the_same_marks() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/mark/verdicts.php");
        let output = match Command::new("php").arg(script).output() {
            Ok(output) => output,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                guards::skips::skipped("no PHP here to compare with");
                return;
            }
            Err(error) => panic!("PHP does not run: {error}"),
        };
        let expected: Vec<String> = Case::all()
            .iter()
            .map(|case| format!("{}\t{}\ttaken", case.name, case.mark))
            .collect();
        let verdicts = String::from_utf8(output.stdout).unwrap();
        assert_eq!(verdicts.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn whatever_is_signed_changes_the_mark() {
        let key = MarkKey::new(SECRET).unwrap();
        let marks = [
            key.mark(&Method::GET, "/a?b", b"", 7),
            key.mark(&Method::POST, "/a?b", b"", 7),
            key.mark(&Method::GET, "/a", b"", 7),
            key.mark(&Method::GET, "/a?b", b"x", 7),
            key.mark(&Method::GET, "/a?b", b"", 8),
            MarkKey::new(b"another secret with 32 characters")
                .unwrap()
                .mark(&Method::GET, "/a?b", b"", 7),
        ];
        for (index, mark) in marks.iter().enumerate() {
            assert!(
                !marks.iter().skip(index + 1).any(|other| other == mark),
                "{index}"
            );
        }
    }

    #[test]
    fn short_secrets_are_refused() {
        for secret in [
            "",
            " ",
            "x".repeat(31).as_str(),
            &format!(" {} \n", "x".repeat(31)),
        ] {
            let error = MarkKey::new(secret.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), "a secret has at least 32 bytes");
        }
        assert!(MarkKey::new("x".repeat(32).as_bytes()).is_ok());
    }

    #[test]
    fn debug_output_shows_neither_secret_nor_mark() {
        let key = MarkKey::new(SECRET).unwrap();
        assert_eq!(format!("{key:?}"), "MarkKey(redacted)");
        assert_eq!(format!("{:?}", key.mark(&Method::GET, "/", b"", 0)), "Sensitive");
    }
}
