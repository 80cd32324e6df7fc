//! Requests with a target that a URL cannot hold as it is, such as `/?s=O'Reilly`: sent with the client's bytes, over
//! which it may have signed.
//!
//! reqwest takes a URL, and writes some bytes of it percent-encoded (URL Standard, "query state"). hyper's client, on
//! which reqwest stands, takes the target itself.

use http::Uri;
use http::uri::PathAndQuery;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use super::dial::{Dial, DialNames};
use super::tls::HTTP1;
use calendar_edge_core::relay::BoxError;

/// A client that opens an HTTP/1 connection for each request; clones share it.
#[derive(Debug, Clone)]
pub(super) struct ExactClient(Client<HttpsConnector<HttpConnector<DialNames>>, reqwest::Body>);

// === impl ExactClient ===

impl ExactClient {
    pub(super) fn new(dial: &Dial, tls: &rustls::ClientConfig) -> Self {
        let mut plain = HttpConnector::new_with_resolver(DialNames(dial.address.clone()));
        plain.enforce_http(false);
        plain.set_nodelay(true);
        plain.set_connect_timeout(Some(dial.connect_timeout));
        let mut tls = tls.clone();
        tls.alpn_protocols = vec![HTTP1.to_vec()];
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_max_idle_per_host(0);
        Self(client.build(HttpsConnector::from((plain, tls))))
    }

    /// Sends a request with this target in place of that in its URL.
    pub(super) async fn execute(
        &self,
        request: reqwest::Request,
        target: PathAndQuery,
    ) -> Result<reqwest::Response, BoxError> {
        let mut request = http::Request::<reqwest::Body>::try_from(request)?;
        let mut uri = std::mem::take(request.uri_mut()).into_parts();
        uri.path_and_query = Some(target);
        *request.uri_mut() = Uri::from_parts(uri)?;
        let response = self.0.request(request).await?;
        Ok(response.map(reqwest::Body::wrap).into())
    }
}
