//! The requests of a survey to servers, and the responses so far.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;

use http::header::{LINK, LOCATION};
use http::{HeaderMap, HeaderName, StatusCode};
use serde_json::Value;
use url::Url;

use super::obstacle::{Obstacle, ObstacleKind};
use crate::companion::facts::{FactsQuery, FactsReply, FactsReplyFault};
use crate::pages::tags;
use crate::relay::{API_RELATION, links, without_byte_order_marks};
use crate::settings::{BackendSettings, MarkKey};

/// The way to one REST root, or to the rest of its site.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Way {
    /// The name of the backend whose settings apply to the request, and its address.
    pub(super) backend: (String, Url),
    /// The REST root as the settings name it.
    pub root: Url,
    /// True on the way of the rest of the site, whose requests name the public host, and do not request JSON.
    pub is_page: bool,
    /// The setting or flag with the address, for advice.
    pub key: &'static str,
}

/// A request with GET.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WantedRequest {
    /// Its way.
    pub way: Way,
    /// Path and query.
    pub target: String,
    /// True with the mark of a judged call.
    pub is_marked: bool,
}

/// A complete response.
#[derive(Debug, Clone)]
pub struct SiteResponse {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, within the bound of responses.
    pub body: Vec<u8>,
    /// The address that responded.
    pub remote: Option<SocketAddr>,
}

/// The responses so far. A judge that looks for one that is not there gets an obstacle of kind `Pending`, and is run
/// again when it has arrived: only its last run counts.
#[derive(Debug)]
pub struct Responses {
    known: HashMap<WantedRequest, Result<SiteResponse, Obstacle>>,
    /// Each with the settings of its backend.
    wanted: RefCell<Vec<(WantedRequest, BackendSettings)>>,
    /// Of the requests to the companion plugin, whose sealed replies name it.
    pub(super) nonce: Option<[u8; 16]>,
}

/// A link of the headers or of the head of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SiteLink {
    pub(super) target: String,
    /// The language of the target.
    pub(super) language: Option<String>,
    /// True if this is the REST root of WordPress.
    pub(super) is_api: bool,
    /// True if a `Link` header has it.
    pub(super) is_in_header: bool,
}

/// The beginning of the codes of the companion plugin.
pub(super) const GUARD: &str = "calendar_edge_";

// === impl Way ===

impl Way {
    /// The way to a root; `key` is the setting that holds its address.
    pub fn to_root(backend: &BackendSettings, root: &Url, key: &'static str) -> Self {
        let (backend, root) = ((backend.name.clone(), backend.origin.url.clone()), root.clone());
        let is_page = false;
        Self {
            backend,
            root,
            is_page,
            key,
        }
    }

    /// A request to the companion plugin at its root, with a nonce that no other has.
    pub fn to_facts(self, question: &FactsQuery, nonce: [u8; 16]) -> WantedRequest {
        let (root, path) = (self.root.path().trim_end_matches('/'), FactsQuery::PATH);
        let target = format!("{root}{path}?{}", question.query(nonce));
        WantedRequest {
            way: self,
            target,
            is_marked: true,
        }
    }
}

// === impl Responses ===

impl Responses {
    /// No responses yet; the nonce is one that no other survey has, or none if the system gives no random bytes.
    pub fn new(nonce: Option<[u8; 16]>) -> Self {
        let (known, wanted) = (HashMap::new(), RefCell::default());
        Self { known, wanted, nonce }
    }

    /// The response to a request.
    ///
    /// # Errors
    /// The obstacle in the way of the request; [`super::ObstacleKind::Pending`] until it has been sent.
    pub(super) fn get(
        &self,
        ask: WantedRequest,
        backend: &BackendSettings,
    ) -> Result<&SiteResponse, Obstacle> {
        if let Some(found) = self.known.get(&ask) {
            return found.as_ref().map_err(Clone::clone);
        }
        let mut wanted = self.wanted.borrow_mut();
        if !wanted.iter().any(|(known, _)| *known == ask) {
            wanted.push((ask, backend.clone()));
        }
        Err(Obstacle::new(ObstacleKind::Pending, "not requested yet"))
    }

    /// The requests without a response that judges have wanted since the last call.
    pub fn take_wanted(&mut self) -> Vec<(WantedRequest, BackendSettings)> {
        self.wanted.take()
    }

    /// Takes what came of a request.
    pub fn learn(&mut self, ask: WantedRequest, response: Result<SiteResponse, Obstacle>) {
        self.known.insert(ask, response);
    }
}

// === impl SiteResponse ===

impl SiteResponse {
    /// The sealed reply of the companion plugin to the request with this nonce.
    ///
    /// # Errors
    /// When this is no reply to the request, or its seal is not of this key.
    pub fn facts(&self, key: &MarkKey, nonce: [u8; 16]) -> Result<FactsReply, FactsReplyFault> {
        FactsReply::of_response(key, nonce, self.status, &self.headers, &self.body)
    }

    /// The body as text; bytes that are not UTF-8 are replaced.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body, if it is JSON.
    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_slice(without_byte_order_marks(&self.body)).ok()
    }

    /// The values of a header that are text.
    pub(super) fn fields(&self, name: &HeaderName) -> impl Iterator<Item = &str> {
        let fields = self.headers.get_all(name).iter();
        fields.filter_map(|value| value.to_str().ok())
    }

    /// The first value of a header, if it is text.
    pub(super) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The destination of a redirect.
    pub(super) fn redirect(&self) -> Option<&str> {
        self.header(&LOCATION).filter(|_| self.status.is_redirection())
    }

    /// The links of its `Link` headers, of each before its first fault, and of its head.
    pub(super) fn links(&self) -> Vec<SiteLink> {
        let mut found = Vec::new();
        let mut add = |target: &str, language: Option<&str>, is_api, is_in_header| {
            found.push(SiteLink {
                target: target.replace("&amp;", "&").replace("&#038;", "&"),
                language: language.map(str::to_owned),
                is_api,
                is_in_header,
            });
        };
        for field in self.fields(&LINK) {
            for link in links(field.as_bytes()).0 {
                if let Some(target) = field.get(link.target) {
                    let language = link.language.and_then(|place| field.get(place));
                    add(target, language, link.is_api, true);
                }
            }
        }
        for tag in tags(&self.text()).filter(|tag| tag.is("link")) {
            if let Some(target) = tag.attribute("href") {
                let is_api = tag.attribute("rel") == Some(API_RELATION);
                add(target, tag.attribute("hreflang"), is_api, false);
            }
        }
        found
    }
}

/// The code of an error of the REST API.
pub(crate) fn code(json: &Value) -> &str {
    json.get("code").and_then(Value::as_str).unwrap_or("no code")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_of_a_field_are_told_apart_whatever_their_titles_say() {
        let field = r#"<https://h/wp-json/>; rel="x https://api.w.org/", <https://h/a,b>; rel=alternate; hreflang="de"; title="<c>; rel=\"https://api.w.org/\"", <https://h/d>; title="; hreflang=fr""#;
        let headers = HeaderMap::from_iter([(LINK, field.parse().unwrap())]);
        let response = SiteResponse {
            status: StatusCode::OK,
            headers,
            body: Vec::new(),
            remote: None,
        };
        let found = response.links();
        let found: Vec<_> = found
            .iter()
            .map(|link| (&*link.target, link.language.as_deref(), link.is_api))
            .collect();
        assert_eq!(
            found,
            [
                ("https://h/wp-json/", None, true),
                ("https://h/a,b", Some("de"), false),
                ("https://h/d", None, false),
            ]
        );
    }
}
