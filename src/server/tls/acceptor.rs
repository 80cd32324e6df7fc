//! The server side of TLS handshakes.

use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio_rustls::server::TlsStream;

use super::identity::TlsIdentity;

/// Ends TLS for clients; what it shows them can be replaced, and holds for handshakes to come.
#[derive(Debug, Clone)]
pub(crate) struct TlsAcceptor {
    config: Arc<ServerConfig>,
    shown: Arc<CurrentKey>,
}

/// The certificate of the next handshake, whatever name the client asks for.
#[derive(Debug)]
struct CurrentKey(ArcSwap<CertifiedKey>);

// === impl TlsAcceptor ===

impl TlsAcceptor {
    /// TLS 1.2 and 1.3, with HTTP/2 preferred over HTTP/1.1.
    ///
    /// # Errors
    ///
    /// When the provider and the protocol versions do not fit, or there is no randomness for tickets.
    pub(crate) fn new(identity: &TlsIdentity) -> Result<Self, rustls::Error> {
        let shown = Arc::new(CurrentKey(ArcSwap::new(identity.key())));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&shown) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        // Tickets keep sessions with the clients: no client can fill a store here.
        config.ticketer = rustls::crypto::ring::Ticketer::new()?;
        // Early data could be replayed by anyone who saw it; a write must not be.
        config.max_early_data_size = 0;
        Ok(Self {
            config: Arc::new(config),
            shown,
        })
    }

    /// Shows another certificate from now on; connections that are open stay.
    pub(crate) fn replace(&self, identity: &TlsIdentity) {
        self.shown.0.store(identity.key());
    }

    /// Runs a handshake. A client that speaks something else gets an alert and a clean end.
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
