//! Questions to the admin listener of a running edge.

use std::net::Ipv4Addr;

use anyhow::Context as _;
use calendar_edge::app::{OriginRoute, check_client};
use calendar_edge_core::settings::{ListenAddress, Settings};
use http::HeaderValue;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::Method;
use serde_json::Value;
use url::Url;

use super::args::EdgeArgs;
use super::runtime;

/// The admin listener of a running edge.
pub(super) struct AdminClient {
    base: Url,
    /// The value of `Authorization`.
    token: Option<HeaderValue>,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

/// The address that the examples of the documentation use.
const DEFAULT: &str = "http://127.0.0.1:9787";

/// The token of the named file.
fn token(flags: &EdgeArgs) -> anyhow::Result<Option<HeaderValue>> {
    let Some(file) = &flags.token_file else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("{} cannot be read", file.display()))?;
    let value = HeaderValue::try_from(format!("Bearer {}", text.trim()));
    let mut value = value.with_context(|| format!("{} holds no token", file.display()))?;
    value.set_sensitive(true);
    Ok(Some(value))
}

// === impl EdgeArgs ===

impl EdgeArgs {
    /// The edge of the flags, or else that of the settings, whose token is shown; none if neither names its address.
    pub(super) fn or_of(&self, settings: &Settings) -> Self {
        let token_file = || settings.admin.token_file.clone();
        Self {
            admin: self.admin.clone().or_else(|| admin_url(settings)),
            token_file: self.token_file.clone().or_else(token_file),
        }
    }
}

/// The admin listener of the settings as this machine reaches it; none if it has no port that is known beforehand.
fn admin_url(settings: &Settings) -> Option<String> {
    let (scheme, mut address) = match *settings.admin.listen.as_ref()? {
        ListenAddress::Tcp(address) => ("http", address),
        ListenAddress::Tls(address) => ("https", address),
        ListenAddress::Unix(_) | ListenAddress::Systemd(_) | ListenAddress::SystemdTls(_) => return None,
    };
    if address.ip().is_unspecified() {
        address.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    (address.port() != 0).then(|| format!("{scheme}://{address}"))
}

// === impl AdminClient ===

impl AdminClient {
    /// The listener at the named URL, or at `http://127.0.0.1:9787`.
    pub(super) fn new(flags: &EdgeArgs) -> anyhow::Result<Self> {
        let text = flags.admin.as_deref().unwrap_or(DEFAULT);
        let base: Url = text.parse().with_context(|| format!("{text} is not a URL"))?;
        let edge = Settings::for_origin(base.clone()).site();
        let route = OriginRoute::of_root(&edge.origin, &edge.origin.url);
        Ok(Self {
            client: check_client(&edge, &route)?,
            base,
            token: token(flags)?,
            runtime: runtime::single()?,
        })
    }

    /// Reads a page, which is JSON.
    pub(super) fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.runtime
            .block_on(self.ask(Method::GET, self.base.join(path), String::new()))
    }

    /// Reads a page of another edge of the fleet, with the same token.
    pub(super) fn get_at(&self, base: &str, path: &str) -> anyhow::Result<Value> {
        let url = base.parse::<Url>().and_then(|base| base.join(path));
        self.runtime.block_on(self.ask(Method::GET, url, String::new()))
    }

    /// Sends JSON, and reads the answer, which is JSON.
    pub(super) fn post(&self, path: &str, body: String) -> anyhow::Result<Value> {
        self.runtime
            .block_on(self.ask(Method::POST, self.base.join(path), body))
    }

    async fn ask(
        &self,
        method: Method,
        url: Result<Url, url::ParseError>,
        body: String,
    ) -> anyhow::Result<Value> {
        let url = url.context("the address of the page")?;
        let mut request = self.client.request(method, url.clone()).body(body);
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token.clone());
        }
        let response = request.header(CONTENT_TYPE, "application/json").send().await;
        let response = response.with_context(|| format!("no edge answers at {url}"))?;
        let status = response.status();
        let text = response.text().await.context("the answer broke off")?;
        anyhow::ensure!(status.is_success(), "{url} answers {status}: {text}");
        serde_json::from_str(&text).with_context(|| format!("{url} does not answer with JSON"))
    }
}
