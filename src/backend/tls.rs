//! TLS toward origins: one provider, verified names, root certificates of the system or built in.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// HTTP/1.1, as TLS names it.
pub(super) const HTTP1: &[u8] = b"http/1.1";

/// Which certificates are trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Those of the public certificate authorities.
    Authorities,
    /// None: the origin does not use TLS, and reading the system's roots takes time.
    Nobody,
}

/// A cache of client configurations, so that the system's roots are read at most once.
#[derive(Debug, Default)]
pub(super) struct TlsConfigs {
    authorities: Option<ClientConfig>,
}

// === impl TlsConfigs ===

impl TlsConfigs {
    pub(super) fn for_trust(&mut self, trust: Trust) -> Result<ClientConfig, rustls::Error> {
        match (trust, &self.authorities) {
            (Trust::Nobody, _) => client_config(trust),
            (Trust::Authorities, Some(config)) => Ok(config.clone()),
            (Trust::Authorities, None) => {
                let config = client_config(trust)?;
                Ok(self.authorities.insert(config).clone())
            }
        }
    }
}

/// The client configuration of every origin with this trust.
fn client_config(trust: Trust) -> Result<ClientConfig, rustls::Error> {
    let roots = match trust {
        Trust::Authorities => authorities(),
        Trust::Nobody => RootCertStore::empty(),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), HTTP1.to_vec()];
    Ok(config)
}

/// The system's roots, because an operator may have added a private authority there. Container images often have
/// none; then Mozilla's roots are used.
fn authorities() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_http2_and_http1() {
        let config = client_config(Trust::Nobody).unwrap();
        assert_eq!(config.alpn_protocols, [b"h2".to_vec(), b"http/1.1".to_vec()]);
    }

    #[test]
    fn there_are_always_authorities() {
        assert!(!authorities().is_empty());
    }
}
