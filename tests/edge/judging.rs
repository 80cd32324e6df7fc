//! Recorded requests for the judge alone, without socket and server.

use calendar_edge::call::{Judge, Judgement, Outcome, RawCall};
use calendar_edge::credentials::Credentials;
use calendar_edge::payload::ContentHeaders;
use calendar_edge::problem::{EdgeError, Refusal};
use calendar_edge::routing::{CallTarget, Roots, Target};
use calendar_edge::settings::{Root, Settings};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use crate::corpus::{Record, records};

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
    NAMESPACE.clone_into(&mut settings.origin.namespace);
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

/// Judges target and call in the order of the server.
#[derive(Debug)]
pub(crate) struct Edge {
    roots: Roots,
    judge: Judge,
    schemes: Vec<String>,
    body_limit: u64,
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
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            roots: Roots::new(settings),
            judge: Judge::new(settings),
            schemes: settings.authorization_schemes.clone(),
            body_limit: settings.limits.body_bytes,
        }
    }

    pub(crate) fn say(&self, request: &Request) -> Said {
        if request.body.len() as u64 > self.body_limit {
            return Said::Turned(Refusal::edge(EdgeError::BodyTooLarge));
        }
        match self
            .roots
            .locate(&request.method, &request.path, request.query.as_deref())
        {
            Target::Calendar(target) => self.say_of_call(request, &target),
            Target::Site { root } => Said::Turned(self.judge.refuse_elsewhere(
                root,
                &request.method,
                request.query.as_deref(),
            )),
            Target::Invalid(problem) => Said::Turned(Refusal::plain(problem)),
        }
    }

    fn say_of_call(&self, request: &Request, target: &CallTarget) -> Said {
        let profile = self.judge.enforced_profile(target.operation);
        match Credentials::read(&request.headers, profile, &self.schemes) {
            Ok(credentials) => Said::Judged(self.judge.judge(&RawCall {
                method: &request.method,
                target,
                credentials: &credentials,
                content: ContentHeaders::of(&request.headers),
                body: &request.body,
            })),
            Err(rejected) => Said::Turned(rejected.fault().refusal()),
        }
    }

    pub(crate) fn outcome(&self, request: &Request) -> Outcome {
        match self.say(request) {
            Said::Judged(judgement) => judgement.outcome,
            Said::Turned(refusal) => Outcome::Refuse(refusal),
        }
    }
}
