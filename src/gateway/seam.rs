//! Stands in for the judging modules until they are here: forwards API paths unjudged.

use bytes::Bytes;
use http::{HeaderMap, Method};

use crate::call::CanonicalRequest;
use crate::config::Settings;
use crate::contract::Operation;
use crate::problem::Refusal;

#[derive(Debug, Clone)]
pub(crate) struct Roots {
    roots: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Spot {
    root: usize,
    path: String,
    query: Option<String>,
}

#[derive(Debug)]
pub(crate) enum Located {
    Api(Spot),
    Other,
}

impl Roots {
    pub(crate) fn new(settings: &Settings) -> Self {
        let roots = settings
            .roots
            .iter()
            .map(|root| {
                (
                    format!("{}/{}", root.path, settings.namespaces[0]),
                    format!("/{}", settings.origin.namespace),
                )
            })
            .collect();
        Self { roots }
    }

    pub(crate) fn locate(&self, _method: &Method, raw_target: &str) -> Located {
        let (path, query) = match raw_target.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (raw_target, None),
        };
        for (root, (public, inner)) in self.roots.iter().enumerate() {
            if let Some(rest) = path.strip_prefix(public.as_str()) {
                return Located::Api(Spot {
                    root,
                    path: format!("{inner}{rest}"),
                    query: query.filter(|query| !query.is_empty()),
                });
            }
        }
        Located::Other
    }
}

pub(crate) struct RawCall<'a> {
    pub(crate) method: &'a Method,
    pub(crate) spot: &'a Spot,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
}

pub(crate) struct Judgement {
    pub(crate) operation: Option<&'static Operation>,
    pub(crate) outcome: Outcome,
}

pub(crate) enum Outcome {
    Forward(ValidatedCall),
    Refuse(Refusal),
}

pub(crate) struct ValidatedCall(CanonicalRequest);

impl ValidatedCall {
    pub(crate) fn request(&self) -> CanonicalRequest {
        self.0.clone()
    }
}

#[derive(Debug)]
pub(crate) struct Judge;

impl Judge {
    pub(crate) fn new(_settings: &Settings) -> Self {
        Self
    }

    pub(crate) fn judge(&self, call: &RawCall<'_>) -> Judgement {
        let _ = call.headers;
        if *call.method == Method::CONNECT {
            return Judgement {
                operation: None,
                outcome: Outcome::Refuse(Refusal::no_route()),
            };
        }
        let method = match *call.method {
            Method::PUT | Method::PATCH => Method::POST,
            ref other => other.clone(),
        };
        Judgement {
            operation: None,
            outcome: Outcome::Forward(ValidatedCall(CanonicalRequest {
                root: call.spot.root,
                body: (method == Method::POST).then(|| Bytes::copy_from_slice(call.body)),
                method,
                path: call.spot.path.clone(),
                query: call.spot.query.clone(),
                nonce: None,
            })),
        }
    }
}
