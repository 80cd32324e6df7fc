//! Fetches the index that an origin publishes.

use calendar_edge::app::origin_tls;
use calendar_edge::settings::Settings;
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION, USER_AGENT};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use url::Url;

use super::trouble::Trouble;

/// Sends requests to one origin, without a proxy and redirects, within the configured deadlines.
pub(super) struct Probe<'a> {
    client: reqwest::Client,
    settings: &'a Settings,
}

/// One REST root to check.
pub(super) struct ProbeTarget<'a> {
    /// Its URL.
    pub(super) url: &'a Url,
    /// The setting with the URL.
    pub(super) key: &'static str,
}

/// A complete response.
struct ProbeResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

// === impl Probe ===

impl<'a> Probe<'a> {
    /// A probe with the trusted certificates of `serve`, and the deadlines and sizes of the settings.
    pub(super) fn new(settings: &'a Settings) -> anyhow::Result<Self> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(origin_tls()?)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(settings.timeouts.origin_connect)
            .timeout(settings.timeouts.origin_read)
            .build()?;
        Ok(Self { client, settings })
    }

    /// The published index of the origin's namespace below one root.
    pub(super) async fn index(&self, target: &ProbeTarget<'_>) -> Result<Value, Trouble> {
        let namespace = &self.settings.origin.namespace;
        let answer = self.get(target, &below(target.url, namespace)).await?;
        if answer.status.is_redirection() {
            return Err(redirect(&answer, target, namespace));
        }
        let Some(json) = answer.json() else {
            return Err(answer.not_json(target.key));
        };
        if answer.status.is_success() {
            return Ok(json);
        }
        let code = json
            .get("code")
            .and_then(Value::as_str)
            .unwrap_or("no code")
            .to_owned();
        let status = answer.status.as_u16();
        match (answer.status, code.as_str()) {
            (StatusCode::NOT_FOUND, "rest_no_route") => Err(self.wrong_namespace(target).await),
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => Err(Trouble::Closed { status, code }),
            _ => Err(Trouble::Refused { status, code }),
        }
    }

    /// The namespaces that exist instead.
    async fn wrong_namespace(&self, target: &ProbeTarget<'_>) -> Trouble {
        let wanted = self.settings.origin.namespace.clone();
        let root = self.get(target, &below(target.url, "")).await.ok();
        let json = root.and_then(|answer| answer.json());
        let names = json.as_ref().and_then(|json| json.get("namespaces")?.as_array());
        let advice = match names {
            Some(names) => {
                let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                format!(
                    "set `origin.namespace` to one of those the site lists: {}",
                    names.join(", ")
                )
            }
            None => format!(
                "and {} lists no namespaces; is `{}` the REST root?",
                target.url, target.key
            ),
        };
        Trouble::WrongNamespace { wanted, advice }
    }

    async fn get(&self, target: &ProbeTarget<'_>, url: &str) -> Result<ProbeResponse, Trouble> {
        let trouble = |error: reqwest::Error| Trouble::of_exchange(&error, target.key);
        let request = self
            .client
            .get(url)
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, concat!("calendar-edge/", env!("CARGO_PKG_VERSION")));
        let mut response = request.send().await.map_err(trouble)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let limit = usize::try_from(self.settings.limits.response_bytes).unwrap_or(usize::MAX);
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(trouble)? {
            if body.len() + chunk.len() > limit {
                return Err(Trouble::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(ProbeResponse {
            status,
            headers,
            body,
        })
    }
}

// === impl ProbeResponse ===

impl ProbeResponse {
    fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    fn header(&self, name: &http::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn not_json(&self, key: &'static str) -> Trouble {
        let found = self.header(&CONTENT_TYPE).unwrap_or("no content type");
        Trouble::NotJson {
            status: self.status.as_u16(),
            found: found.to_owned(),
            key,
        }
    }
}

fn below(root: &Url, path: &str) -> String {
    format!("{}/{path}", root.as_str().trim_end_matches('/'))
}

/// Advice about a redirect: the URL to configure, if the location ends in the same namespace.
fn redirect(answer: &ProbeResponse, target: &ProbeTarget<'_>, namespace: &str) -> Trouble {
    let typed = answer.header(&LOCATION);
    let location = typed.and_then(|location| target.url.join(location).ok());
    let root = location.as_ref().and_then(|location| {
        let address = location.as_str().trim_end_matches('/');
        address.strip_suffix(namespace)?.strip_suffix('/')
    });
    let key = target.key;
    let advice = match root {
        Some(root) => format!("set `{key}` to \"{root}\""),
        None => format!("set `{key}` to an address that answers itself"),
    };
    Trouble::Redirect {
        status: answer.status.as_u16(),
        location: typed.unwrap_or("nowhere").to_owned(),
        advice,
    }
}
