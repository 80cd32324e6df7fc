//! TLS toward the origin: one provider, verified names, roots of the system or built in.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// Whose certificates count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Those of the usual authorities.
    Authorities,
    /// Nobody's: no origin speaks TLS, and reading a system's roots takes its time.
    Nobody,
}

/// How the edge trusts an HTTPS origin, for those who look at one beforehand.
///
/// # Errors
///
/// When the provider and the protocol versions do not fit.
pub fn origin_tls() -> Result<ClientConfig, rustls::Error> {
    client_config(Trust::Authorities)
}

/// The client configuration of every HTTPS origin.
pub(super) fn client_config(trust: Trust) -> Result<ClientConfig, rustls::Error> {
    let roots = match trust {
        Trust::Authorities => authorities(),
        Trust::Nobody => RootCertStore::empty(),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The system's roots, because an operator may have added a private authority there. A container image
/// often has none: then Mozilla's roots do.
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
