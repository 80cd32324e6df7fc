//! One origin, asked on the way that `serve` takes: its index, and pages around it.

use calendar_edge::app::{OriginRoute, check_client};
use calendar_edge::backend::{own_headers, question_nonce};
use calendar_edge::telemetry::unix_time;
use calendar_edge_core::companion::mark::MARK;
use calendar_edge_core::facts::{FactsQuestion, FactsReply, FactsReplyFault};
use calendar_edge_core::relay::mark_advice;
use calendar_edge_core::settings::{BackendSettings, MarkKey, OriginHost};
use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE, LINK};
use serde_json::Value;
use url::{Position, Url};

use super::addresses::{home_path, loop_advice};
use super::header_links::header_links;
use super::hindrance::hindrance;
use super::obstacle::{Obstacle, ObstacleKind};
use super::probe_response::{GUARD, ProbeResponse, code};

/// Asks one origin on the way that `serve` takes, without following redirects, within the configured deadlines.
pub(crate) struct Probe<'a> {
    client: reqwest::Client,
    route: OriginRoute,
    /// Scheme and host as requests name them.
    address: Url,
    backend: &'a BackendSettings,
    /// The REST root as the settings name it.
    root: Url,
    /// The setting that holds the address.
    key: &'static str,
}

/// Whether a request of the probe has the mark of a judged call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marking {
    Marked,
    Unmarked,
}

/// What to do where nothing answers at the usual place.
const SWITCHED_OFF: &str = "look for a plugin or a rule of the web server that closes the REST API, and save Settings > \
                            Permalinks once";

/// What to do where the credentials of the web server reach PHP.
pub(super) const BASIC_AT_WORDPRESS: &str = "the credentials of `origin.basic_auth_file` reach WordPress, which refuses them as \
     those of an account: let the web server keep `Authorization` to itself, or let the edge's address pass there without";

/// What to do about permalinks without paths.
const PLAIN_PERMALINKS: &str = "the REST API is only at `?rest_route=/`, because the permalinks are plain: choose another \
                                structure than Plain in Settings > Permalinks";

/// What to do where the web server keeps the path to itself.
const NOT_REWRITTEN: &str = "WordPress names this address, but its web server does not pass it on: let it send paths without a \
                             file to index.php (Apache: `AllowOverride` and .htaccess; nginx: `try_files`)";

// === impl Probe ===

impl<'a> Probe<'a> {
    /// A probe of a REST root; `key` is the setting that holds its address.
    pub(crate) fn of_root(
        backend: &'a BackendSettings,
        url: &Url,
        key: &'static str,
    ) -> Result<Self, Obstacle> {
        Self::on(backend, OriginRoute::of_root(&backend.origin, url), url, key)
    }

    /// A probe of the rest of the site.
    pub(crate) fn of_site(backend: &'a BackendSettings) -> Result<Self, Obstacle> {
        let route = OriginRoute::of_site(backend);
        Self::on(backend, route, &backend.origin.url, "origin.url")
    }

    fn on(
        backend: &'a BackendSettings,
        route: OriginRoute,
        root: &Url,
        key: &'static str,
    ) -> Result<Self, Obstacle> {
        Ok(Self {
            root: root.clone(),
            client: check_client(backend, &route).map_err(|error| Obstacle::client(&error))?,
            address: named_address(&route),
            route,
            backend,
            key,
        })
    }

    /// Scheme and host as requests to the site name them.
    pub(crate) const fn address(&self) -> &Url {
        &self.address
    }

    /// The published index of the origin's namespace below one root.
    pub(crate) async fn index(&self) -> Result<Value, Obstacle> {
        let namespace = &self.backend.origin.namespace;
        let answer = self.rest(namespace, Marking::Marked).await?;
        let json = self.json_of(&answer).await?;
        if answer.status.is_success() {
            return Ok(json);
        }
        let (status, code) = (answer.status.as_u16(), code(&json));
        Err(match status {
            404 if code == "rest_no_route" => self.wrong_namespace().await,
            403 if code.starts_with(GUARD) => Obstacle::new(
                ObstacleKind::MarkRefused,
                format!(
                    "the companion plugin of the site refuses the edge ({code}): {}",
                    mark_advice(&code)
                ),
            ),
            401 if self.backend.origin.basic_auth.is_some() => {
                Obstacle::other(format!("status 401 ({code}): {BASIC_AT_WORDPRESS}"))
            }
            401 | 403 => Obstacle::other(format!(
                "status {status} ({code}): the REST API must be open to anonymous reads"
            )),
            _ => Obstacle::refused(status, &code),
        })
    }

    /// The JSON of an answer of the REST API, or why something else answers.
    pub(super) async fn json_of(&self, answer: &ProbeResponse) -> Result<Value, Obstacle> {
        if let Some(hindrance) = hindrance(answer) {
            return Err(Obstacle::other(hindrance));
        }
        if answer.status.is_redirection() {
            let advice = self.other_root().await;
            return Err(self.redirect(answer, advice));
        }
        if let Some(json) = answer.json() {
            return Ok(json);
        }
        let found = answer.header(&CONTENT_TYPE).unwrap_or("no content type");
        let advice = match self.other_root().await {
            Some(advice) => advice,
            None if self.root.path().ends_with("/wp-json") => SWITCHED_OFF.to_owned(),
            None => format!("`{}` must be the REST root, usually …/wp-json", self.key),
        };
        let status = answer.status.as_u16();
        Err(Obstacle::other(format!(
            "status {status} with {found} instead of JSON: {advice}"
        )))
    }

    /// Where the REST API is instead, if WordPress answers the question that needs no permalinks.
    async fn other_root(&self) -> Option<String> {
        let home = home_path(&self.root);
        let answer = self.page(&format!("{home}?rest_route=/")).await.ok()?;
        let document = answer.json().filter(|_| answer.status.is_success())?;
        document.get("namespaces")?;
        let fields = answer.fields(&LINK);
        let mut links = fields.iter().flat_map(|field| header_links(field));
        let named = links.find(|link| link.is_api)?.target;
        let named = self.address.join(named).ok()?;
        let is_own = named.path().trim_end_matches('/') == self.root.path().trim_end_matches('/');
        Some(
            if named.query().is_some_and(|query| query.contains("rest_route")) {
                PLAIN_PERMALINKS.to_owned()
            } else if is_own {
                NOT_REWRITTEN.to_owned()
            } else {
                let root = named.path().trim_end_matches('/');
                format!(
                    "WordPress names another REST root: set the path in `{}` to {root}",
                    self.key
                )
            },
        )
    }

    /// Which namespaces there are instead.
    async fn wrong_namespace(&self) -> Obstacle {
        let wanted = &self.backend.origin.namespace;
        let root = self.rest("", Marking::Unmarked).await.ok();
        let json = root.and_then(|answer| answer.json());
        let names = json.as_ref().and_then(|json| json.get("namespaces")?.as_array());
        let advice = match names {
            Some(names) => other_namespaces(&names.iter().filter_map(Value::as_str).collect::<Vec<_>>()),
            None => format!(
                "and {} lists no namespaces; is `{}` the REST root?",
                self.route.base(),
                self.key
            ),
        };
        Obstacle::other(format!("no namespace `{wanted}` there: {advice}"))
    }

    /// A redirect to the same place under another address names the address to configure, unless the site takes that
    /// address for the one that it was asked under.
    fn redirect(&self, answer: &ProbeResponse, elsewhere: Option<String>) -> Obstacle {
        let location = answer.location();
        let target = location.and_then(|location| self.address.join(location).ok());
        let root = target.as_ref().and_then(|target| {
            let address = target.as_str().trim_end_matches('/');
            address
                .strip_suffix(self.backend.origin.namespace.as_str())?
                .strip_suffix('/')
        });
        let key = self.key;
        let advice = match (&target, root) {
            _ if elsewhere.as_deref() == Some(PLAIN_PERMALINKS) => PLAIN_PERMALINKS.to_owned(),
            (Some(target), _) if self.leads_back(target) => {
                format!(
                    "this leads back to the edge. {}",
                    loop_advice(&self.address, target)
                )
            }
            (Some(target), Some(root)) if root == self.root.as_str().trim_end_matches('/') => {
                format!(
                    "this leads back to where it was asked. {}",
                    loop_advice(&self.address, target)
                )
            }
            _ if elsewhere.is_some() => elsewhere.unwrap_or_default(),
            (_, Some(root)) => format!("set `{key}` to \"{root}\""),
            (_, None) => format!("set `{key}` to an address that answers itself"),
        };
        let (status, location) = (answer.status.as_u16(), location.unwrap_or("nowhere"));
        Obstacle::other(format!(
            "status {status} redirects to {location}; redirects are not followed: {advice}"
        ))
    }

    /// Whether an address is one at which clients reach the edge instead of the site.
    fn leads_back(&self, target: &Url) -> bool {
        let (host, origin) = (OriginHost::of(target), &self.backend.origin);
        let public = self.backend.public_url.as_ref().and_then(OriginHost::of);
        let is_public = public.is_some() && host == public && host != OriginHost::of(&origin.url);
        let is_renamed = origin.connect.is_some() || origin.host.is_some();
        let is_dialled_elsewhere = is_renamed && host == OriginHost::of(&self.address);
        is_public || is_dialled_elsewhere
    }

    pub(super) async fn rest(&self, path: &str, marking: Marking) -> Result<ProbeResponse, Obstacle> {
        let root = self.route.base().path().trim_end_matches('/');
        let request = self
            .request(&format!("{root}/{path}"))
            .header(ACCEPT, "application/json");
        self.send(request, marking).await
    }

    /// A target below the namespace, with its query.
    pub(crate) async fn rest_target(&self, target: &str) -> Result<ProbeResponse, Obstacle> {
        let namespace = &self.backend.origin.namespace;
        self.rest(&format!("{namespace}/{target}"), Marking::Marked).await
    }

    /// A document that the REST API shows to everybody; none if it does not.
    pub(crate) async fn json(&self, path: &str) -> Option<Value> {
        let answer = self.rest(path, Marking::Unmarked).await.ok()?;
        answer.json().filter(|_| answer.status.is_success())
    }

    /// The companion plugin's sealed reply to a question for facts.
    pub(crate) async fn facts(
        &self,
        key: &MarkKey,
        question: &FactsQuestion,
    ) -> Result<Result<FactsReply, FactsReplyFault>, Obstacle> {
        let Some(nonce) = question_nonce() else {
            return Ok(Err(FactsReplyFault::NoReply));
        };
        let path = FactsQuestion::PATH.trim_start_matches('/');
        let target = format!("{path}?{}", question.query(nonce));
        let ProbeResponse {
            status,
            headers,
            body,
            ..
        } = self.rest(&target, Marking::Marked).await?;
        Ok(FactsReply::of_response(key, nonce, status, &headers, &body))
    }

    /// A page of the site.
    pub(crate) async fn page(&self, path: &str) -> Result<ProbeResponse, Obstacle> {
        self.send(self.request(path), Marking::Unmarked).await
    }

    /// The index of the namespace below another root.
    pub(crate) async fn index_below(&self, root: &Url) -> Result<ProbeResponse, Obstacle> {
        let namespace = &self.backend.origin.namespace;
        let path = format!("{}/{namespace}", root.path().trim_end_matches('/'));
        self.send(self.request(&path), Marking::Marked).await
    }

    /// A request with the headers by which the edge names host and scheme.
    fn request(&self, path: &str) -> reqwest::RequestBuilder {
        let mut url = self.route.base().clone();
        let (path, query) = path
            .split_once('?')
            .map_or((path, None), |(path, query)| (path, Some(query)));
        url.set_path(path);
        url.set_query(query);
        let mut headers = own_headers(self.backend.public_url.as_ref());
        self.route.write_to(&mut headers);
        self.client.get(url).headers(headers)
    }

    async fn send(
        &self,
        request: reqwest::RequestBuilder,
        marking: Marking,
    ) -> Result<ProbeResponse, Obstacle> {
        let trouble = |error: reqwest::Error| Obstacle::of_exchange(&error, self.key);
        let mut request = request.build().map_err(trouble)?;
        if let (Marking::Marked, Some(key)) = (marking, &self.backend.origin.mark_key) {
            let target = &request.url()[Position::BeforePath..Position::AfterQuery];
            let mark = key.mark(&Method::GET, target, b"", unix_time().as_secs());
            request.headers_mut().insert(MARK, mark);
        }
        let mut response = self.client.execute(request).await.map_err(trouble)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let remote = response.remote_addr();
        let limit = usize::try_from(self.backend.response_bytes).unwrap_or(usize::MAX);
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(trouble)? {
            if body.len() + chunk.len() > limit {
                return Err(Obstacle::other(
                    "the answer is larger than `limits.response_bytes`",
                ));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(ProbeResponse {
            status,
            headers,
            body,
            remote,
        })
    }
}

/// Scheme and host as requests on this way name them.
fn named_address(route: &OriginRoute) -> Url {
    let base = route.base();
    let host = route.host().and_then(|host| host.to_str().ok());
    let named = host.and_then(|host| Url::parse(&format!("{}://{host}/", base.scheme())).ok());
    named.unwrap_or_else(|| base.clone())
}

/// What to do where the site lists these namespaces and not the configured one.
fn other_namespaces(names: &[&str]) -> String {
    let of_calendars: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| name.ends_with("events/v1") || name.starts_with("tribe/") || name.starts_with("tec/"))
        .collect();
    let all = names.join(", ");
    if of_calendars.is_empty() {
        return format!("the site lists none of a calendar, only {all}: is the calendar plugin switched on?");
    }
    format!(
        "set `origin.namespace` to one of those the site lists: {all}; these belong to a calendar: {}",
        of_calendars.join(", ")
    )
}
