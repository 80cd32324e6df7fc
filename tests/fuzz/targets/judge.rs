//! The whole judge: what it forwards it would forward again unchanged, and what it refuses it explains.

#![no_main]

use std::sync::LazyLock;

use calendar_edge_core::settings::{Mode, Profile, Settings};
use calendar_edge_fuzz::{Request, judged, namespaced_settings, public_roots};
use calendar_edge_judge::call::{CanonicalRequest, Judge, Outcome};
use calendar_edge_judge::contract::PLUGIN_NAMESPACE;
use calendar_edge_judge::problem::Refusal;
use calendar_edge_judge::routing::Roots;
use calendar_edge_judge::wordpress::payload::parse_form;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, StatusCode};
use libfuzzer_sys::fuzz_target;

struct Edge {
    roots: Roots,
    judge: Judge,
    /// Judges what was forwarded.
    reader: Judge,
}

static EDGES: LazyLock<[Edge; 3]> = LazyLock::new(|| {
    let compatible = namespaced_settings();
    let mut strict = namespaced_settings();
    strict.profile = Profile::Strict;
    let mut off = namespaced_settings();
    off.mode = Mode::Off;
    [
        Edge::new(&compatible, &compatible),
        // Lists travel with their indexes, which the strict profile takes from nobody.
        Edge::new(&strict, &compatible),
        Edge::new(&off, &off),
    ]
});

fuzz_target!(|text: &[u8]| {
    let Some(request) = Request::read(text) else {
        return;
    };
    for edge in EDGES.iter() {
        let Some(judgement) = judged(&edge.roots, &edge.judge, &request) else {
            continue;
        };
        match judgement.outcome {
            Outcome::Refuse(refusal) => assert_explains(&refusal),
            Outcome::Forward(call) => {
                assert_is_clean(call.request());
                let again = edge.again(&request, call.request());
                let nonceless = CanonicalRequest {
                    nonce: None,
                    ..call.request().clone()
                };
                assert_eq!(again, nonceless);
            }
        }
    }
});

impl Edge {
    fn new(settings: &Settings, reading: &Settings) -> Self {
        Self {
            roots: Roots::new(&settings.policy()),
            judge: Judge::new(settings.policy()),
            reader: Judge::new(reading.policy()),
        }
    }

    /// What becomes of a canonical request that comes in like a client's, with the same credentials.
    fn again(&self, first: &Request, canonical: &CanonicalRequest) -> CanonicalRequest {
        let mut headers = first.headers.clone();
        headers.remove(CONTENT_TYPE);
        if canonical.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(nonce) = &canonical.nonce {
            headers.insert("x-wp-nonce", nonce.clone());
        }
        let request = Request {
            method: canonical.method.clone(),
            path: format!(
                "{}{}",
                public_roots()[canonical.root],
                canonical.path(PLUGIN_NAMESPACE)
            ),
            query: canonical.query(PLUGIN_NAMESPACE),
            headers,
            body: canonical.body.as_deref().unwrap_or_default().to_vec(),
        };
        let judgement = judged(&self.roots, &self.reader, &request).expect("a calendar path");
        match judgement.outcome {
            Outcome::Forward(call) => call.request().clone(),
            Outcome::Refuse(refusal) => panic!("{} for {request:?}", refusal.code()),
        }
    }
}

/// Nothing that WordPress would take for another route, method or record travels.
fn assert_is_clean(canonical: &CanonicalRequest) {
    let path = &canonical.path(PLUGIN_NAMESPACE);
    assert!(path.starts_with("/tribe/events/v1") && path.is_ascii() && !path.contains(['?', '#']));
    assert!(
        !path[1..].split('/').any(|part| matches!(part, "" | "." | "..")),
        "{path}"
    );
    let query = canonical.query(PLUGIN_NAMESPACE);
    let query = query.as_deref();
    assert!(query.is_none_or(|query| !query.is_empty() && query.is_ascii()));
    let query = parse_form(query.unwrap_or_default().as_bytes());
    for name in ["rest_route", "_method", "_wpnonce", "id"] {
        assert!(query.get(name).is_none(), "{name}");
    }
    let is_post = canonical.method == Method::POST;
    assert_eq!(canonical.body.is_some(), is_post);
    assert!(
        is_post || [Method::GET, Method::HEAD, Method::DELETE, Method::OPTIONS].contains(&canonical.method)
    );
    if let Some(body) = &canonical.body {
        assert!(body.starts_with(b"{"));
        serde_json::from_slice::<serde::de::IgnoredAny>(body).expect("JSON");
    }
}

/// What the edge refuses is the request's fault, except methods nobody knows, which the strict profile words so.
fn assert_explains(refusal: &Refusal) {
    let is_told = |status: StatusCode| {
        status.is_client_error() || status == StatusCode::OK || status == StatusCode::NOT_IMPLEMENTED
    };
    assert!(is_told(refusal.problem().status()) && is_told(refusal.status()));
    serde_json::from_slice::<serde_json::Value>(refusal.body()).expect("JSON");
}
