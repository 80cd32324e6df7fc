//! The server side of TLS handshakes.

use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio_rustls::server::TlsStream;

use super::identity::TlsIdentity;

/// Terminates TLS for clients. The certificate can be replaced, which takes effect for later handshakes.
#[derive(Debug, Clone)]
pub(crate) struct TlsAcceptor {
    config: Arc<ServerConfig>,
    shown: Arc<CurrentKey>,
}

/// The certificate for the next handshake, independent of the name that the client sends.
#[derive(Debug)]
struct CurrentKey(ArcSwap<CertifiedKey>);

// === impl TlsAcceptor ===

impl TlsAcceptor {
    /// Accepts TLS 1.2 and 1.3, and prefers HTTP/2 over HTTP/1.1.
    ///
    /// # Errors
    ///
    /// Fails if the provider does not support the protocol versions, or if there is no randomness for session
    /// tickets.
    pub(crate) fn new(identity: &TlsIdentity) -> Result<Self, rustls::Error> {
        let shown = Arc::new(CurrentKey(ArcSwap::new(identity.key.clone())));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&shown) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        // Session tickets are stored by clients, so no client can fill a session store here.
        config.ticketer = rustls::crypto::ring::Ticketer::new()?;
        // Recorded early data could be replayed, and a write must not be.
        config.max_early_data_size = 0;
        Ok(Self {
            config: Arc::new(config),
            shown,
        })
    }

    /// Presents another certificate from now on. Open connections stay.
    pub(crate) fn replace(&self, identity: &TlsIdentity) {
        self.shown.0.store(identity.key.clone());
    }

    /// Runs a handshake. A client that does not use TLS gets an alert and a clean close.
    pub(crate) async fn accept<T>(&self, stream: T) -> std::io::Result<TlsStream<T>>
    where
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::clone(&self.config));
        match acceptor.accept(stream).into_fallible().await {
            Ok(stream) => Ok(stream),
            Err((error, mut stream)) => {
                // The client may be gone already.
                let _ = stream.shutdown().await;
                Err(error)
            }
        }
    }
}

// === impl CurrentKey ===

impl ResolvesServerCert for CurrentKey {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}
