//! TLS toward the origin: one provider, verified names, roots of the system or built in.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// The client configuration of every HTTPS origin.
///
/// The system's roots count, because an operator may have added a private authority there. A container
/// image often has none: then Mozilla's roots do.
///
/// # Errors
///
/// When the provider and the protocol versions do not fit.
pub fn client_config() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_http2_and_http1() {
        let config = client_config().unwrap();
        assert_eq!(config.alpn_protocols, [b"h2".to_vec(), b"http/1.1".to_vec()]);
    }
}
