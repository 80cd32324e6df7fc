//! The HTTP clients of a backend, with all automatic behaviour of the library switched off.

use std::sync::Arc;

use arc_swap::ArcSwap;
use reqwest::{Client, ClientBuilder, redirect, retry};

use super::dial::{Dial, DialNames, KEPT_FOR};
use super::exact_client::ExactClient;
use super::origin_route::OriginRoute;
use super::tls::{HTTP1, TlsConfigs};
use crate::server::threads::PerThread;
use calendar_edge_core::settings::BackendSettings;

/// Maximum bytes of a response's headers over HTTP/2.
const RESPONSE_HEADER_BYTES: u32 = 64 * 1024;

/// The reason why the clients could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// TLS could not be set up.
    #[error("TLS toward the origin cannot be set up")]
    Tls(#[from] rustls::Error),
    /// The HTTP client toward a backend could not be set up.
    #[error("an HTTP client cannot be set up")]
    Client(#[from] reqwest::Error),
}

/// Clients that differ in the reuse of connections; clones share these.
#[derive(Debug, Clone)]
pub(super) struct Clients {
    pub(super) dial: Dial,
    tls: rustls::ClientConfig,
    /// The number of threads that serve.
    pub(super) threads: usize,
    /// For requests that are sent once more if their connection turns out to be closed, and for the rest of the site.
    /// A connection is used by the thread that opened it, which alone waits for its events.
    pooled: Arc<PerThread<ArcSwap<Client>>>,
    /// Opens a new connection for each request, so that no write is lost on a connection that the origin is closing.
    pub(super) fresh: Client,
    /// For targets that no URL holds as they are.
    pub(super) exact: ExactClient,
}

impl Clients {
    pub(super) fn new(dial: Dial, threads: usize, tls: &mut TlsConfigs) -> Result<Self, ClientError> {
        let tls = tls.for_trust(dial.trusted.as_ref())?;
        let fresh = builder(&dial, &tls).pool_max_idle_per_host(0).build()?;
        let own = || pooled(&dial, threads, &tls).map(ArcSwap::from_pointee);
        Ok(Self {
            threads,
            pooled: Arc::new(PerThread::try_new(threads, own)?),
            fresh,
            exact: ExactClient::new(&dial, &tls),
            dial,
            tls,
        })
    }

    /// The client that reuses connections of this thread.
    pub(super) fn pooled(&self) -> Arc<Client> {
        self.pooled.own().load_full()
    }

    /// Stops reusing all open connections of this thread: the library does not reveal which of them had the refused
    /// response, and could reuse that one too.
    pub(super) fn drop_connections(&self) {
        match pooled(&self.dial, self.threads, &self.tls) {
            Ok(client) => self.pooled.own().store(Arc::new(client)),
            Err(error) => {
                tracing::error!(error = %error, "the client toward the origin cannot be set up anew");
            }
        }
    }
}

/// A client of one thread. Together the threads keep as many idle connections as one thread would.
fn pooled(dial: &Dial, threads: usize, tls: &rustls::ClientConfig) -> Result<Client, reqwest::Error> {
    keeping(builder(dial, tls), dial.idle.div_ceil(threads.max(1))).build()
}

fn keeping(builder: ClientBuilder, idle: usize) -> ClientBuilder {
    builder.pool_max_idle_per_host(idle).pool_idle_timeout(KEPT_FOR)
}

/// A client that reaches an origin on the same way as calls and pages, for commands that try one beforehand.
///
/// # Errors
///
/// When TLS or the client cannot be set up.
pub fn check_client(backend: &BackendSettings, route: &OriginRoute) -> Result<Client, ClientError> {
    let dial = Dial::over(backend, std::slice::from_ref(route));
    let tls = TlsConfigs::default().for_trust(dial.trusted.as_ref())?;
    let client = builder(&dial, &tls).timeout(backend.timeouts.longest_read());
    Ok(client.build()?)
}

/// Responses over HTTP/1 have at most 100 header fields: hyper's default. With another number, hyper clears that many
/// places for each attempt to read a head.
fn builder(dial: &Dial, tls: &rustls::ClientConfig) -> ClientBuilder {
    let mut tls = tls.clone();
    if dial.is_http1_only {
        tls.alpn_protocols = vec![HTTP1.to_vec()];
    }
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .retry(retry::never())
        .http2_max_header_list_size(RESPONSE_HEADER_BYTES)
        .tcp_nodelay(true)
        .connect_timeout(dial.connect_timeout);
    match &dial.address {
        address @ Some(_) => builder.dns_resolver(DialNames(address.clone())),
        None => builder,
    }
}
