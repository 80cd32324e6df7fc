//! Questions to the admin listener of a running edge.

use std::path::PathBuf;

use anyhow::Context as _;
use calendar_edge::app::{OriginRoute, check_client};
use calendar_edge_core::settings::Settings;
use http::HeaderValue;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::Method;
use serde_json::Value;
use url::Url;

use super::args::EdgeArgs;
use super::environment::Environment;

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

/// The token of a flag's file, or of that of the environment.
fn token(flags: &EdgeArgs, environment: Environment<'_>) -> anyhow::Result<Option<HeaderValue>> {
    let variable = environment.text("CALENDAR_EDGE_TOKEN_FILE").map(PathBuf::from);
    let Some(file) = flags.token_file.clone().or(variable) else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(&file);
    let text = text.with_context(|| format!("{} cannot be read", file.display()))?;
    let value = HeaderValue::try_from(format!("Bearer {}", text.trim()));
    let mut value = value.with_context(|| format!("{} holds no token", file.display()))?;
    value.set_sensitive(true);
    Ok(Some(value))
}

// === impl AdminClient ===

impl AdminClient {
    /// The listener at the URL of a flag, of the environment, or at `http://127.0.0.1:9787`.
    pub(super) fn new(flags: &EdgeArgs, environment: Environment<'_>) -> anyhow::Result<Self> {
        let variable = environment.text("CALENDAR_EDGE_ADMIN");
        let text = flags.admin.as_deref().or(variable.as_deref()).unwrap_or(DEFAULT);
        let base: Url = text.parse().with_context(|| format!("{text} is not a URL"))?;
        let settings = Settings::for_origin(base.clone());
        let route = OriginRoute::of_root(&settings.origin, &settings.origin.url);
        Ok(Self {
            client: check_client(&settings, &route)?,
            base,
            token: token(flags, environment)?,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .context("the runtime does not start")?,
        })
    }

    /// Reads a page, which is JSON.
    pub(super) fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.runtime.block_on(self.ask(Method::GET, path, String::new()))
    }

    /// Sends JSON, and reads the answer, which is JSON.
    pub(super) fn post(&self, path: &str, body: String) -> anyhow::Result<Value> {
        self.runtime.block_on(self.ask(Method::POST, path, body))
    }

    async fn ask(&self, method: Method, path: &str, body: String) -> anyhow::Result<Value> {
        let url = self.base.join(path).context("the path of the page")?;
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
