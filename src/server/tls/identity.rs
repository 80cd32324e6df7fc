//! A certificate and its key, as they stand in their files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::validity::not_after;
use crate::settings::TlsSettings;

/// A certificate with its intermediates, and the private key that belongs to it.
#[derive(Debug, Clone)]
pub struct TlsIdentity {
    key: Arc<CertifiedKey>,
    not_after: Option<i64>,
}

/// Why a identity cannot be used; nothing of the files' content is repeated.
#[derive(Debug, thiserror::Error)]
pub enum TlsIdentityError {
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The file of the setting.
        path: PathBuf,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// The file of the certificate holds none, or something broken.
    #[error("{} is no certificate in PEM form", path.display())]
    NoCertificate {
        /// The file of the setting.
        path: PathBuf,
    },
    /// The file of the key holds none, or something broken.
    #[error("{} is no private key in PEM form", path.display())]
    NoKey {
        /// The file of the setting.
        path: PathBuf,
    },
    /// Each is well formed, but they do not fit, or are of an unknown kind.
    #[error("{} and {} cannot be used together", certificate.display(), key.display())]
    Unfit {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// What the TLS library said.
        #[source]
        cause: rustls::Error,
    },
}

// === impl TlsIdentity ===

impl TlsIdentity {
    /// Reads both files, and makes sure that they belong together.
    ///
    /// # Errors
    ///
    /// When one cannot be read or is something else, or when the key is another certificate's.
    pub fn load(settings: &TlsSettings) -> Result<Self, TlsIdentityError> {
        let chain = chain(&settings.certificate)?;
        let not_after = chain.first().and_then(|certificate| not_after(certificate));
        let provider = rustls::crypto::ring::default_provider();
        let key = CertifiedKey::from_der(chain, key(&settings.key)?, &provider);
        let key = key.map_err(|cause| TlsIdentityError::Unfit {
            certificate: settings.certificate.clone(),
            key: settings.key.clone(),
            cause,
        })?;
        Ok(Self {
            key: Arc::new(key),
            not_after,
        })
    }

    /// When the certificate expires, in seconds since 1970; none if it does not say so legibly.
    pub const fn not_after(&self) -> Option<i64> {
        self.not_after
    }

    /// Whether both show the same certificates.
    pub(crate) fn shows_the_same_as(&self, other: &Self) -> bool {
        self.key.cert == other.key.cert
    }

    pub(super) fn key(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.key)
    }
}

/// The certificate and its intermediates.
fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsIdentityError> {
    let text = read(path)?;
    let chain: Option<Vec<_>> = CertificateDer::pem_slice_iter(&text).map(Result::ok).collect();
    let chain = chain.filter(|chain| !chain.is_empty());
    chain.ok_or_else(|| TlsIdentityError::NoCertificate {
        path: path.to_owned(),
    })
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsIdentityError> {
    // The library's words may quote the file.
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|_| TlsIdentityError::NoKey {
        path: path.to_owned(),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, TlsIdentityError> {
    fs::read(path).map_err(|cause| TlsIdentityError::Unreadable {
        path: path.to_owned(),
        cause,
    })
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
    fn a_pair_that_fits_is_taken() {
        let (certificate, key) = made();
        assert!(load("fits", &certificate, &key).is_ok());
    }

    #[test]
    fn what_does_not_fit_is_refused_without_quoting_it() {
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
    fn a_file_that_is_not_there_is_named() {
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
