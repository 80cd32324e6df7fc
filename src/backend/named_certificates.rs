//! Servers that are known by their certificate itself: an operator has named it, and it is that of an authority.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Verifies servers as usual. Hosts make certificates by a line of `openssl` that may sign others, which the usual
/// rules refuse for a server; one that an operator has named is taken for its own names.
#[derive(Debug)]
pub(super) struct NamedCertificates {
    usual: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

// === impl NamedCertificates ===

impl NamedCertificates {
    /// A verifier that trusts these authorities, of which there must be one, and these servers.
    pub(super) fn new(roots: RootCertStore, named: Vec<CertificateDer<'static>>) -> Result<Self, Error> {
        let usual =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider()));
        let usual = usual.build().map_err(|error| Error::General(error.to_string()))?;
        Ok(Self { usual, named })
    }
}

impl ServerCertVerifier for NamedCertificates {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        further: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self
            .usual
            .verify_server_cert(certificate, further, name, ocsp, now);
        // The usual rules look at its time first: one that is overdue has another error.
        let is_authority = matches!(
            &verified,
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
        );
        if is_authority && self.named.iter().any(|named| named == certificate) {
            verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
            return Ok(ServerCertVerified::assertion());
        }
        verified
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}
