//! TLS toward origins: one provider, verified names, root certificates of the system or built in.

use std::sync::Arc;

use calendar_edge_core::settings::TrustedCertificates;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

use super::named_certificates::NamedCertificates;

/// HTTP/1.1, as TLS names it.
pub(super) const HTTP1: &[u8] = b"http/1.1";

/// A cache of client configurations, so that the system's roots are read at most once.
#[derive(Debug, Default)]
pub(super) struct TlsConfigs {
    authorities: Vec<(TrustedCertificates, ClientConfig)>,
}

// === impl TlsConfigs ===

impl TlsConfigs {
    /// The configuration that trusts the public authorities and these; no authority without them.
    pub(super) fn for_trust(
        &mut self,
        trusted: Option<&TrustedCertificates>,
    ) -> Result<ClientConfig, rustls::Error> {
        let Some(trusted) = trusted else {
            return client_config(RootCertStore::empty());
        };
        let mut known = self.authorities.iter();
        if let Some((_, config)) = known.find(|(known, _)| known == trusted) {
            return Ok(config.clone());
        }
        let roots = authorities(trusted);
        let mut config = client_config(roots.clone())?;
        let verifier = NamedCertificates::new(roots, named(trusted).collect())?;
        config.dangerous().set_certificate_verifier(Arc::new(verifier));
        self.authorities.push((trusted.clone(), config.clone()));
        Ok(config)
    }
}

/// The certificates of the settings.
fn named(trusted: &TrustedCertificates) -> impl Iterator<Item = CertificateDer<'static>> {
    trusted.ders().map(|der| CertificateDer::from(der).into_owned())
}

/// The client configuration of every origin whose certificate these sign.
fn client_config(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), HTTP1.to_vec()];
    Ok(config)
}

/// The system's roots, because an operator may have added a private authority there, and those of the settings.
/// Container images often have no roots; then Mozilla's are used.
fn authorities(trusted: &TrustedCertificates) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots.add_parsable_certificates(named(trusted));
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_http2_and_http1() {
        let config = client_config(RootCertStore::empty()).unwrap();
        assert_eq!(config.alpn_protocols, [b"h2".to_vec(), b"http/1.1".to_vec()]);
    }

    #[test]
    fn there_are_always_authorities() {
        assert!(!authorities(&TrustedCertificates::default()).is_empty());
    }
}
