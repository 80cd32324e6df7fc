//! Recorded requests for the judge alone, without socket and server.

use std::sync::Arc;

use calendar_edge_core::gateway::decision::{Decider, Decision, RequestHead};
use calendar_edge_core::settings::{OriginNamespace, Root, Settings};
use calendar_edge_judge::call::{Judgement, Outcome};
use calendar_edge_judge::contract::{TableInForce, TablesInForce};
use calendar_edge_judge::problem::Refusal;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use crate::corpus::{Record, records};
use crate::support::corpus_table;

/// The namespace of the plugin, and of the recorded requests.
pub(crate) const NAMESPACE: &str = "tribe/events/v1";

/// A request as a client sends it, credentials included.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    /// Without the question mark; none where the target has none.
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// The recorded requests that a server accepts as well formed.
pub(crate) fn well_formed() -> Vec<(Record, Request)> {
    let requests = records().into_iter().filter_map(|record| {
        let request = Request::of(&record)?;
        Some((record, request))
    });
    requests.collect()
}

// === impl Request ===

impl Request {
    /// The request of a record; none if HTTP servers do not accept it.
    fn of(record: &Record) -> Option<Self> {
        let recorded = &record.request;
        let target: Uri = recorded.target().parse().ok()?;
        let mut headers = HeaderMap::new();
        let sent = recorded
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in sent.chain(record.credentials()) {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            headers.append(name, HeaderValue::from_bytes(value.trim().as_bytes()).ok()?);
        }
        let has_host = headers.get("host").is_none_or(|host| !host.is_empty());
        has_host.then(|| Self {
            method: recorded.method.parse().expect("a token"),
            // The path of an absolute-form target is judged.
            path: target.path().to_owned(),
            query: target.query().map(str::to_owned),
            body: unchunked(recorded.body()),
            headers,
        })
    }
}

impl Request {
    fn parts(&self) -> Parts {
        let target = match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        };
        let (mut parts, ()) = http::Request::new(()).into_parts();
        parts.method = self.method.clone();
        parts.uri = target.parse().expect("a target");
        parts.headers = self.headers.clone();
        parts
    }
}

/// One body was recorded as it stood on the wire, in one chunk.
fn unchunked(body: Vec<u8>) -> Vec<u8> {
    let chunk = body.strip_prefix(b"58\r\n");
    let data = chunk.and_then(|chunk| chunk.strip_suffix(b"\r\n0\r\n\r\n"));
    data.map(<[u8]>::to_vec).unwrap_or(body)
}

// === the edge ===

/// The settings under which the corpus is replayed: the backend's own namespace, and its language roots.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::for_origin("http://origin.example/wp-json".parse().expect("a URL"));
    settings.namespaces = vec![NAMESPACE.to_owned()];
    settings.origin.namespace = OriginNamespace::set(NAMESPACE);
    for language in ["de", "da"] {
        settings.roots.push(Root {
            language: Some(language.to_owned()),
            path: format!("/{language}/wp-json"),
            origin_url: format!("http://origin.example/{language}/wp-json")
                .parse()
                .expect("a URL"),
            ..settings.roots[0].clone()
        });
    }
    settings
}

/// The decision of an edge, without the server around it.
#[derive(Debug)]
pub(crate) struct Edge {
    decider: Decider,
}

/// The edge's treatment of a request.
#[derive(Debug)]
pub(crate) enum Said {
    /// It is a call of the calendar API.
    Judged(Judgement),
    /// The target, the size of the body or the credentials decided.
    Turned(Refusal),
}

// === impl Edge ===

impl Edge {
    /// Before a site of the version that the corpus was recorded from.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self::before(settings, &corpus_table())
    }

    /// Before a site whose roots all publish this table.
    pub(crate) fn before(settings: &Settings, table: &Arc<TableInForce>) -> Self {
        let tables = vec![Arc::clone(table); settings.roots.len()];
        Self {
            decider: Decider::before(settings, TablesInForce::new(tables)),
        }
    }

    pub(crate) fn say(&self, request: &Request) -> Said {
        let parts = request.parts();
        let head = RequestHead::from_nowhere(&parts);
        match self.decider.decide(&head, &request.body) {
            Decision::Judged(judgement) => Said::Judged(*judgement),
            Decision::Refuse(refusal) => Said::Turned(refusal),
            // The edge's own index lists less than the site's: for the comparison it counts as "not the calendar".
            Decision::RestIndex(_) | Decision::OpenApi(_) => Said::Turned(Refusal::no_route()),
            decision @ (Decision::Preflight | Decision::Site) => panic!("{decision:?} is not judged"),
        }
    }

    pub(crate) fn outcome(&self, request: &Request) -> Outcome {
        match self.say(request) {
            Said::Judged(judgement) => judgement.outcome,
            Said::Turned(refusal) => Outcome::Refuse(refusal),
        }
    }
}
