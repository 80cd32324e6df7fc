//! Commands to the admin listener of a running edge.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};
use calendar_edge::app::{OriginRoute, check_client};
use calendar_edge_core::settings::{ListenAddress, Settings};
use http::HeaderValue;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http_body_util::{BodyExt as _, Limited};
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Method, StatusCode};
use serde_json::Value;
use tokio::time::timeout;
use url::Url;

use super::args::EdgeArgs;
use super::runtime;

/// The admin listener of a running edge.
pub(super) struct AdminClient {
    pub(super) base: Url,
    /// The value of `Authorization`.
    token: Option<HeaderValue>,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

/// The address that the examples of the documentation use.
const DEFAULT: &str = "http://127.0.0.1:9787";

/// The remedy where no listener for operators is set.
pub(super) const NO_LISTENER: &str = "the configuration has no listener for operators: set admin.listen, or \
                                      CALENDAR_EDGE_ADMIN_LISTEN=127.0.0.1:9787 for the edge and for this command, or give --admin URL";

/// Maximum bytes of a page: more than an edge has to show, and less than this machine has memory for.
const MOST_BYTES: usize = 64 << 20;

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

/// A listener as this machine reaches it; none if it has no port that is known beforehand.
fn url_of(listen: &ListenAddress) -> Option<String> {
    let mut address = listen.tcp().filter(|address| address.port() != 0)?;
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            Ipv6Addr::LOCALHOST.into()
        });
    }
    let scheme = if listen.has_tls() { "https" } else { "http" };
    Some(format!("{scheme}://{address}"))
}

// === impl AdminClient ===

impl AdminClient {
    /// The listener at the named URL, or at `http://127.0.0.1:9787`.
    pub(super) fn new(flags: &EdgeArgs) -> anyhow::Result<Self> {
        let text = flags.admin.as_deref().unwrap_or(DEFAULT);
        let base: Url = text.parse().with_context(|| format!("{text} is not a URL"))?;
        let edge = Settings::for_origin(base.clone()).site();
        let route = OriginRoute::of_root(&edge.origin, &edge.origin.url);
        Self::over(check_client(&edge, &route)?, base, token(flags)?)
    }

    /// The listener of an edge that runs with these settings, which is shown this token or that of the settings.
    pub(super) fn of_settings(settings: &Settings, token_file: Option<PathBuf>) -> anyhow::Result<Self> {
        let listen = settings.admin.listen.as_ref().context(NO_LISTENER)?;
        let Some(admin) = url_of(listen) else {
            return Self::own(listen);
        };
        Self::new(&EdgeArgs {
            admin: Some(admin),
            token_file: token_file.or_else(|| settings.admin.token_file.clone()),
        })
    }

    /// This listener of an edge on this machine, whose certificate may be for another name: it is shown no token.
    pub(super) fn own(listen: &ListenAddress) -> anyhow::Result<Self> {
        // It may be there already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = ClientBuilder::new().no_proxy().redirect(Policy::none());
        let (builder, base) = match (listen, url_of(listen)) {
            (ListenAddress::Unix(path), _) => {
                (builder.unix_socket(path.as_path()), "http://localhost".to_owned())
            }
            (_, Some(url)) => (builder.tls_danger_accept_invalid_certs(true), url),
            _ => bail!("the port of {listen} is chosen at the start of the edge: give --admin URL"),
        };
        let client = builder.build().context("no client can be made")?;
        Self::over(client, base.parse()?, None)
    }

    fn over(client: reqwest::Client, base: Url, token: Option<HeaderValue>) -> anyhow::Result<Self> {
        Ok(Self {
            base,
            token,
            client,
            runtime: runtime::single()?,
        })
    }

    /// Status and text of a page, within a time.
    pub(super) fn read(&self, path: &str, patience: Duration) -> anyhow::Result<(StatusCode, String)> {
        let url = self.base.join(path)?;
        let asked = async { timeout(patience, self.send(Method::GET, &url, String::new())).await };
        let answer = self.runtime.block_on(asked);
        answer.with_context(|| format!("no edge responds at {url}"))?
    }

    /// Reads a page, which is JSON.
    pub(super) fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.json(Method::GET, path, String::new())
    }

    /// Sends JSON, and reads the response, which is JSON.
    pub(super) fn post(&self, path: &str, body: String) -> anyhow::Result<Value> {
        self.json(Method::POST, path, body)
    }

    fn json(&self, method: Method, path: &str, body: String) -> anyhow::Result<Value> {
        let url = self.base.join(path)?;
        let (status, text) = self.runtime.block_on(self.send(method, &url, body))?;
        ensure!(status.is_success(), "{url} responds with {status}: {text}");
        serde_json::from_str(&text).with_context(|| format!("{url} does not respond with JSON"))
    }

    async fn send(&self, method: Method, url: &Url, body: String) -> anyhow::Result<(StatusCode, String)> {
        let mut request = self.client.request(method, url.clone()).body(body);
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token.clone());
        }
        let response = request.header(CONTENT_TYPE, "application/json").send().await;
        let response = response.with_context(|| format!("no edge responds at {url}"))?;
        let status = response.status();
        let body = Limited::new(reqwest::Body::from(response), MOST_BYTES)
            .collect()
            .await;
        let body =
            body.map_err(|error| anyhow!(error).context("the response broke off, or is none of an edge"))?;
        Ok((status, String::from_utf8(body.to_bytes().into())?))
    }
}

#[cfg(test)]
mod tests {
    use calendar_edge::config::{Overrides, parse};

    use super::*;

    fn listener(listen: &str) -> ListenAddress {
        let text = format!("[origin]\nurl = \"http://wp.example/wp-json\"\n[admin]\nlisten = \"{listen}\"\n");
        let settings = parse("edge.toml", &text, &Overrides::default()).unwrap();
        settings.admin.listen.expect("a listener")
    }

    #[test]
    fn a_listener_is_asked_where_this_machine_reaches_it() {
        for (listen, expected) in [
            ("127.0.0.1:9787", "http://127.0.0.1:9787"),
            ("0.0.0.0:9787", "http://127.0.0.1:9787"),
            ("[::]:9787", "http://[::1]:9787"),
            ("10.1.2.3:80", "http://10.1.2.3:80"),
        ] {
            assert_eq!(url_of(&listener(listen)).as_deref(), Some(expected));
        }
        assert!(AdminClient::own(&listener("unix:/run/admin.sock")).is_ok());
    }

    #[test]
    fn an_address_that_nobody_knows_beforehand_has_to_be_given() {
        for listen in ["127.0.0.1:0", "systemd:admin"] {
            let error = AdminClient::own(&listener(listen))
                .err()
                .expect("an error")
                .to_string();
            assert!(error.contains(listen) && error.contains("--admin"), "{error}");
        }
    }
}
