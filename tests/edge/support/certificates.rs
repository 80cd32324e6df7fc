//! Certificates made on the target, and clients that trust them.

use std::sync::Arc;

use rcgen::{CertificateParams, DnType, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate with its key.
#[derive(Debug)]
pub(crate) struct Certificate {
    /// The contents of a certificate file.
    pub(crate) pem: String,
    /// The contents of a key file.
    pub(crate) key_pem: String,
    pub(crate) der: CertificateDer<'static>,
    key_der: Vec<u8>,
}

/// An authority of one test.
#[derive(Debug)]
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its own certificate.
    pub(crate) pem: String,
    der: CertificateDer<'static>,
}

// === impl Authority ===

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        // Some clients take a certificate whose name is its issuer's for one that signed itself.
        params.distinguished_name.push(DnType::CommonName, "an authority");
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let own = params.self_signed(&key).expect("a certificate");
        Self {
            pem: own.pem(),
            der: own.der().clone(),
            issuer: Issuer::new(params, key),
        }
    }

    /// A certificate for a name or an address.
    pub(crate) fn certify(&self, name: &str) -> Certificate {
        self.certify_until(name, 2100)
    }

    /// A certificate that expires with the beginning of a year.
    pub(crate) fn certify_until(&self, name: &str, year: i32) -> Certificate {
        let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().expect("a key");
        let made = params.signed_by(&key, &self.issuer).expect("a certificate");
        Certificate {
            pem: made.pem(),
            key_pem: key.serialize_pem(),
            der: made.der().clone(),
            key_der: key.serialize_der(),
        }
    }

    /// A certificate for a name or an address that signed itself, and may sign others or not.
    pub(crate) fn of_itself(name: &str, is_ca: rcgen::IsCa) -> Certificate {
        let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
        params.is_ca = is_ca;
        let key = KeyPair::generate().expect("a key");
        let made = params.self_signed(&key).expect("a certificate");
        Certificate {
            pem: made.pem(),
            key_pem: key.serialize_pem(),
            der: made.der().clone(),
            key_der: key.serialize_der(),
        }
    }

    /// Its own certificate, as a client trusts it.
    pub(crate) fn der(&self) -> &[u8] {
        &self.der
    }

    /// The configuration of a client that trusts only this authority.
    pub(crate) fn trust(&self) -> rustls::ClientConfig {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(self.der.clone()).expect("a certificate");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider's own versions")
            .with_root_certificates(roots)
            .with_no_client_auth()
    }
}

// === impl Certificate ===

impl Certificate {
    /// Accepts TLS with this certificate.
    pub(crate) fn acceptor(&self) -> tokio_rustls::TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(self.key_der.clone()).expect("a key");
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider's own versions")
            .with_no_client_auth()
            .with_single_cert(vec![self.der.clone()], key);
        tokio_rustls::TlsAcceptor::from(Arc::new(config.expect("they belong together")))
    }
}
