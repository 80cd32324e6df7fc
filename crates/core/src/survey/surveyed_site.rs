//! One server, and the requests of a survey to it: for its index, and for pages around it.

use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde_json::Value;
use url::Url;

use super::addresses::{home_path, loop_advice};
use super::hindrance::hindrance;
use super::obstacle::{Obstacle, ObstacleKind};
use super::responses::{GUARD, Responses, SiteResponse, WantedRequest, Way, code};
use crate::companion::facts::{FactsQuery, FactsReply, FactsReplyFault};
use crate::relay::mark_advice;
use crate::settings::{BackendSettings, OriginHost, OtherTraffic};

/// One REST root, or the rest of its site.
pub(crate) struct SurveyedSite<'a> {
    responses: &'a Responses,
    /// The server, with the settings of requests to it.
    pub(crate) backend: BackendSettings,
    way: Way,
}

/// Advice where the usual place gives no response.
const SWITCHED_OFF: &str = "look for a plugin or a rule of the web server that closes the REST API, and save Settings > \
                            Permalinks once";

/// Advice where the credentials of the web server reach PHP.
pub(super) const BASIC_AT_WORDPRESS: &str = "the credentials of `origin.basic_auth_file` reach WordPress, which refuses them as \
     those of an account: let the web server keep `Authorization` to itself, or let the edge's address pass there without";

/// Advice about permalinks without paths.
pub(super) const PLAIN_PERMALINKS: &str = "the REST API is only at `?rest_route=/`, because the permalinks are plain: choose another \
                                structure than Plain in Settings > Permalinks";

/// Advice where the web server keeps the path to itself.
const NOT_REWRITTEN: &str = "WordPress names this address, but its web server does not pass it on: let it send paths without a \
                             file to index.php (Apache: `AllowOverride` and .htaccess; nginx: `try_files`)";

// === impl SurveyedSite ===

impl<'a> SurveyedSite<'a> {
    /// A REST root; `key` is the setting that holds its address.
    pub(crate) fn of_root(
        responses: &'a Responses,
        backend: &BackendSettings,
        root: &Url,
        key: &'static str,
    ) -> Self {
        let (way, backend) = (Way::to_root(backend, root, key), backend.clone());
        Self {
            responses,
            backend,
            way,
        }
    }

    /// The rest of a site.
    pub(crate) fn of_site(responses: &'a Responses, site: &BackendSettings, key: &'static str) -> Self {
        let mut place = Self::of_root(responses, site, &site.origin.url, key);
        place.way.is_page = true;
        place
    }

    /// Scheme and host as requests to this place name them.
    pub(crate) fn address(&self) -> Url {
        let origin = &self.backend.origin;
        if self.way.root.origin() != origin.url.origin() {
            return self.way.root.clone();
        }
        let public = self.backend.public_url.as_ref().and_then(OriginHost::of);
        let public = public.filter(|_| self.way.is_page && self.backend.other == OtherTraffic::Forward);
        let named = origin.host.clone().or(public);
        let named = named.filter(|named| OriginHost::of(&self.way.root).as_ref() != Some(named));
        let named = named.and_then(|host| Url::parse(&format!("{}://{host}/", self.way.root.scheme())).ok());
        named.unwrap_or_else(|| self.way.root.clone())
    }

    fn get(&self, target: String, is_marked: bool) -> Result<&'a SiteResponse, Obstacle> {
        let way = self.way.clone();
        let ask = WantedRequest {
            way,
            target,
            is_marked,
        };
        self.responses.get(ask, &self.backend)
    }

    /// A path below the root, with its query.
    pub(crate) fn rest(&self, path: &str, is_marked: bool) -> Result<&'a SiteResponse, Obstacle> {
        let root = self.way.root.path().trim_end_matches('/');
        self.get(format!("{root}/{path}"), is_marked)
    }

    /// A target below the namespace, with its query.
    pub(crate) fn calendar(&self, target: &str) -> Result<&'a SiteResponse, Obstacle> {
        self.rest(&format!("{}/{target}", self.backend.origin.namespace), true)
    }

    /// A document that the REST API shows to every client; none if it does not.
    pub(crate) fn json(&self, path: &str) -> Option<Value> {
        let answer = self.rest(path, false).ok()?;
        answer.json().filter(|_| answer.status.is_success())
    }

    /// A page of the site.
    pub(crate) fn page(&self, path: &str) -> Result<&'a SiteResponse, Obstacle> {
        self.get(path.to_owned(), false)
    }

    /// The index of the namespace below another root.
    pub(crate) fn index_below(&self, root: &Url) -> Result<&'a SiteResponse, Obstacle> {
        let root = root.path().trim_end_matches('/');
        self.get(format!("{root}/{}", self.backend.origin.namespace), true)
    }

    /// The companion plugin's report of its site; none: there is no secret or no nonce for the request.
    pub(crate) fn facts(&self) -> Option<Result<Result<FactsReply, FactsReplyFault>, Obstacle>> {
        let key = self.backend.origin.mark_key.as_ref()?;
        let nonce = self.responses.nonce?;
        let ask = self.way.clone().to_facts(&FactsQuery::OF_SITE, nonce);
        Some(
            self.responses
                .get(ask, &self.backend)
                .map(|answer| answer.facts(key, nonce)),
        )
    }

    /// The published index of the namespace below the root.
    pub(crate) fn index(&self) -> Result<Value, Obstacle> {
        let (status, json) = self.document(&self.backend.origin.namespace, true)?;
        if status.is_success() {
            return Ok(json);
        }
        let (status, code) = (status.as_u16(), code(&json));
        Err(match status {
            404 if code == "rest_no_route" => self.wrong_namespace(),
            403 if code.starts_with(GUARD) => Obstacle::new(
                ObstacleKind::Refused,
                format!(
                    "the companion plugin of the site refuses the edge ({code}): {}",
                    mark_advice(code)
                ),
            ),
            401 if self.backend.origin.basic_auth.is_some() => {
                Obstacle::other(format!("status 401 ({code}): {BASIC_AT_WORDPRESS}"))
            }
            401 | 403 => Obstacle::other(format!(
                "status {status} ({code}): the REST API must be open to anonymous reads"
            )),
            _ => Obstacle::other(format!("status {status} ({code})")),
        })
    }

    /// Status and JSON of the REST API at a path below the root, or why something else responds.
    pub(crate) fn document(&self, path: &str, is_marked: bool) -> Result<(StatusCode, Value), Obstacle> {
        let answer = self.rest(path, is_marked)?;
        if let Some(hindrance) = hindrance(answer) {
            return Err(Obstacle::other(hindrance));
        }
        if answer.status.is_redirection() {
            return Err(self.redirected(answer, self.other_root()));
        }
        if let Some(json) = answer.json() {
            return Ok((answer.status, json));
        }
        let found = answer.header(&CONTENT_TYPE).unwrap_or("no content type");
        let advice = match self.other_root() {
            Some(advice) => advice,
            None if self.way.root.path().ends_with("/wp-json") => SWITCHED_OFF.to_owned(),
            None => format!("`{}` must be the REST root, usually …/wp-json", self.way.key),
        };
        let status = answer.status.as_u16();
        Err(Obstacle::other(format!(
            "status {status} with {found} instead of JSON: {advice}"
        )))
    }

    /// The other place of the REST API, if WordPress responds to the request that needs no permalinks.
    fn other_root(&self) -> Option<String> {
        let answer = self
            .page(&format!("{}?rest_route=/", home_path(&self.way.root)))
            .ok()?;
        answer
            .json()
            .filter(|_| answer.status.is_success())?
            .get("namespaces")?;
        let named = answer
            .links()
            .into_iter()
            .find(|link| link.is_api && link.is_in_header)?
            .target;
        let named = self.address().join(&named).ok()?;
        let root = named.path().trim_end_matches('/');
        Some(
            if named.query().is_some_and(|query| query.contains("rest_route")) {
                PLAIN_PERMALINKS.to_owned()
            } else if root == self.way.root.path().trim_end_matches('/') {
                NOT_REWRITTEN.to_owned()
            } else {
                format!(
                    "WordPress names another REST root: set the path in `{}` to {root}",
                    self.way.key
                )
            },
        )
    }

    /// The namespaces that there are instead.
    fn wrong_namespace(&self) -> Obstacle {
        let root = self.rest("", false).ok().and_then(SiteResponse::json);
        let names = root.as_ref().and_then(|json| json.get("namespaces")?.as_array());
        let advice = match names {
            Some(names) => other_namespaces(&names.iter().filter_map(Value::as_str).collect::<Vec<_>>()),
            None => format!(
                "and {} lists no namespaces; is `{}` the REST root?",
                self.way.root, self.way.key
            ),
        };
        let wanted = &self.backend.origin.namespace;
        Obstacle::other(format!("no namespace `{wanted}` there: {advice}"))
    }

    /// A redirect to the same place under another address names the address to configure, unless the site takes that
    /// address for the requested one.
    fn redirected(&self, answer: &SiteResponse, elsewhere: Option<String>) -> Obstacle {
        let (address, key, location) = (self.address(), self.way.key, answer.redirect());
        let target = location.and_then(|location| address.join(location).ok());
        let root = target.as_ref().and_then(|target| {
            let target = target.as_str().trim_end_matches('/');
            target
                .strip_suffix(self.backend.origin.namespace.as_str())?
                .strip_suffix('/')
        });
        let advice = match (&target, root) {
            _ if elsewhere.as_deref() == Some(PLAIN_PERMALINKS) => PLAIN_PERMALINKS.to_owned(),
            (Some(target), _) if self.leads_back(target) => {
                format!("this leads back to the edge. {}", loop_advice(&address, target))
            }
            (Some(target), Some(root)) if root == self.way.root.as_str().trim_end_matches('/') => {
                format!(
                    "this leads back to the requested address. {}",
                    loop_advice(&address, target)
                )
            }
            (_, root) => match (elsewhere, root) {
                (Some(elsewhere), _) => elsewhere,
                (None, Some(root)) => format!("set `{key}` to \"{root}\""),
                (None, None) => format!("set `{key}` to an address that responds itself"),
            },
        };
        let (status, location) = (answer.status.as_u16(), location.unwrap_or("nowhere"));
        Obstacle::other(format!(
            "status {status} redirects to {location}; redirects are not followed: {advice}"
        ))
    }

    /// True if clients reach the edge instead of the site at an address.
    fn leads_back(&self, target: &Url) -> bool {
        let (host, origin) = (OriginHost::of(target), &self.backend.origin);
        let public = self.backend.public_url.as_ref().and_then(OriginHost::of);
        let is_public = public.is_some() && host == public && host != OriginHost::of(&origin.url);
        let is_renamed = origin.connect.is_some() || origin.host.is_some();
        is_public || (is_renamed && host == OriginHost::of(&self.address()))
    }
}

/// Advice where the site lists these namespaces and not the configured one.
fn other_namespaces(names: &[&str]) -> String {
    let is_of_calendar =
        |name: &&str| name.ends_with("events/v1") || name.starts_with("tribe/") || name.starts_with("tec/");
    let of_calendars: Vec<&str> = names.iter().copied().filter(is_of_calendar).collect();
    let all = names.join(", ");
    if of_calendars.is_empty() {
        return format!("the site lists none of a calendar, only {all}: is the calendar plugin switched on?");
    }
    format!(
        "set `origin.namespace` to one of those the site lists: {all}; these belong to a calendar: {}",
        of_calendars.join(", ")
    )
}
