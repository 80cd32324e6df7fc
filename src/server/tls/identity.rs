//! A certificate and its private key, loaded from their files.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::validity::not_after;
use calendar_edge_core::settings::TlsSettings;

/// A certificate with its intermediates, and the matching private key.
#[derive(Debug, Clone)]
pub struct TlsIdentity {
    pub(super) key: Arc<CertifiedKey>,
    /// The time when the certificate expires, in seconds since 1970; `None` if the certificate does not state
    /// it readably.
    pub(crate) not_after: Option<i64>,
}

/// The reason why an identity cannot be used. It never quotes the content of the files.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TlsIdentityError {
    message: String,
    /// The error of the operating system or of the TLS library.
    #[source]
    cause: Option<Box<dyn Error + Send + Sync>>,
}

// === impl TlsIdentity ===

impl TlsIdentity {
    /// Reads both files and checks that they match.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or has another content, or if the key does not belong to the
    /// certificate.
    pub fn load(settings: &TlsSettings) -> Result<Self, TlsIdentityError> {
        let chain = chain(&settings.certificate)?;
        let not_after = chain.first().and_then(|certificate| not_after(certificate));
        let provider = rustls::crypto::ring::default_provider();
        let key = CertifiedKey::from_der(chain, key(&settings.key)?, &provider);
        let key = key.map_err(|cause| {
            let (certificate, key) = (settings.certificate.display(), settings.key.display());
            TlsIdentityError {
                message: format!("{certificate} and {key} cannot be used together"),
                cause: Some(cause.into()),
            }
        })?;
        Ok(Self {
            key: Arc::new(key),
            not_after,
        })
    }

    /// True if both identities have the same certificates.
    pub(crate) fn shows_the_same_as(&self, other: &Self) -> bool {
        self.key.cert == other.key.cert
    }
}

/// The certificate and its intermediates.
fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsIdentityError> {
    let text = read(path)?;
    let chain: Option<Vec<_>> = CertificateDer::pem_slice_iter(&text).map(Result::ok).collect();
    let chain = chain.filter(|chain| !chain.is_empty());
    chain.ok_or_else(|| TlsIdentityError::about(path, "is no certificate in PEM form"))
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsIdentityError> {
    // The library's message may quote the file, so it is dropped.
    PrivateKeyDer::from_pem_slice(&read(path)?)
        .map_err(|_| TlsIdentityError::about(path, "is no private key in PEM form"))
}

fn read(path: &Path) -> Result<Vec<u8>, TlsIdentityError> {
    fs::read(path).map_err(|cause| TlsIdentityError {
        cause: Some(cause.into()),
        ..TlsIdentityError::about(path, "cannot be read")
    })
}

// === impl TlsIdentityError ===

impl TlsIdentityError {
    fn about(path: &Path, fault: &str) -> Self {
        Self {
            message: format!("{} {fault}", path.display()),
            cause: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str, certificate: &str, key: &str) -> Result<TlsIdentity, TlsIdentityError> {
        let directory = std::env::temp_dir().join(format!("edge-identity-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let settings = TlsSettings {
            certificate: directory.join("certificate.pem"),
            key: directory.join("key.pem"),
        };
        fs::write(&settings.certificate, certificate).unwrap();
        fs::write(&settings.key, key).unwrap();
        let loaded = TlsIdentity::load(&settings);
        fs::remove_dir_all(&directory).unwrap();
        loaded
    }

    fn made() -> (String, String) {
        let made = rcgen::generate_simple_self_signed(["events.example".to_owned()]).unwrap();
        (made.cert.pem(), made.signing_key.serialize_pem())
    }

    #[test]
    fn a_matching_pair_is_accepted() {
        let (certificate, key) = made();
        assert!(load("fits", &certificate, &key).is_ok());
    }

    #[test]
    fn a_pair_that_does_not_match_is_refused_without_quoting_it() {
        let (certificate, key) = made();
        let (_, other) = made();
        let cut = &key[..key.len() / 2];
        let secret = "-----BEGIN hunter2-----\nhunter2\n";
        for (name, certificate, key, expected) in [
            (
                "other",
                certificate.as_str(),
                other.as_str(),
                "cannot be used together",
            ),
            ("swapped", &key, &certificate, "certificate.pem is no certificate"),
            ("cut", &certificate, cut, "key.pem is no private key"),
            ("empty", "", &key, "certificate.pem is no certificate"),
            ("no key", &certificate, "", "key.pem is no private key"),
            ("secret", &certificate, secret, "key.pem is no private key"),
        ] {
            let error = load(name, certificate, key).expect_err(name);
            assert!(error.to_string().contains(expected), "{name}: {error}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let nowhere = TlsSettings {
            certificate: "/nowhere/certificate.pem".into(),
            key: "/nowhere/key.pem".into(),
        };
        let error = TlsIdentity::load(&nowhere).expect_err("no file").to_string();
        assert!(
            error.contains("/nowhere/certificate.pem cannot be read"),
            "{error}"
        );
    }
}
