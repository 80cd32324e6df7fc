//! The HTTP clients: everything a library does unasked is off.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use reqwest::{Client, ClientBuilder, redirect, retry};

use super::tls::{self, Trust};
use crate::settings::Settings;

/// Header fields of an answer.
const ANSWER_HEADERS: usize = 100;

/// Bytes of an answer's headers over HTTP/2.
const ANSWER_HEADER_BYTES: u32 = 64 * 1024;

/// Connections that are kept for the next read.
const KEPT_CONNECTIONS: usize = 32;

/// How long an unused connection is kept; shorter than the keep-alive of the usual servers.
const KEPT_FOR: Duration = Duration::from_secs(15);

/// Why the clients could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// TLS could not be set up.
    #[error("TLS toward the origin cannot be set up")]
    Tls(#[from] rustls::Error),
    /// The HTTP client could not be set up.
    #[error("the client toward the origin cannot be set up")]
    Client(#[from] reqwest::Error),
}

/// What of the settings decides how connections are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dial {
    connect: Duration,
    trust: Trust,
}

/// Two clients that differ in what happens to their connections; clones share these.
#[derive(Debug, Clone)]
pub(super) struct Clients {
    dial: Dial,
    tls: rustls::ClientConfig,
    pooled: Arc<ArcSwap<Client>>,
    /// Opens a connection for each request: one that is known to be fresh, so that a write is never lost
    /// on a connection that the origin just closed.
    pub(super) fresh: Client,
}

impl Clients {
    pub(super) fn new(settings: &Settings) -> Result<Self, ClientError> {
        let dial = Dial::of(settings);
        let tls = tls::client_config(dial.trust)?;
        Ok(Self {
            dial,
            pooled: Arc::new(ArcSwap::from_pointee(pooled(dial, &tls)?)),
            fresh: builder(dial, &tls).pool_max_idle_per_host(0).build()?,
            tls,
        })
    }

    /// The client that keeps connections.
    pub(super) fn pooled(&self) -> Arc<Client> {
        self.pooled.load_full()
    }

    /// Keeps none of the connections that are open now: the library cannot be told which of them had an odd answer,
    /// and may keep that one, too.
    pub(super) fn drop_connections(&self) {
        match pooled(self.dial, &self.tls) {
            Ok(client) => self.pooled.store(Arc::new(client)),
            Err(error) => {
                tracing::error!(error = %error, "the client toward the origin cannot be set up anew");
            }
        }
    }

    /// The same clients with their open connections, unless the settings ask for others.
    pub(super) fn renewed(&self, settings: &Settings) -> Result<Self, ClientError> {
        if Dial::of(settings) == self.dial {
            return Ok(self.clone());
        }
        Self::new(settings)
    }
}

fn pooled(dial: Dial, tls: &rustls::ClientConfig) -> Result<Client, reqwest::Error> {
    builder(dial, tls)
        .pool_max_idle_per_host(KEPT_CONNECTIONS)
        .pool_idle_timeout(KEPT_FOR)
        .build()
}

// === impl Dial ===

impl Dial {
    fn of(settings: &Settings) -> Self {
        let secure = settings
            .roots
            .iter()
            .any(|root| root.origin_url.scheme() == "https")
            || settings.origin.url.scheme() == "https";
        let trust = if secure { Trust::Authorities } else { Trust::Nobody };
        Self {
            connect: settings.timeouts.origin_connect,
            trust,
        }
    }
}

fn builder(dial: Dial, tls: &rustls::ClientConfig) -> ClientBuilder {
    Client::builder()
        .tls_backend_preconfigured(tls.clone())
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .retry(retry::never())
        .http1_max_headers(ANSWER_HEADERS)
        .http2_max_header_list_size(ANSWER_HEADER_BYTES)
        .tcp_nodelay(true)
        .connect_timeout(dial.connect)
}
