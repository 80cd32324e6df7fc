//! The endpoints of the admin listener: path, access, and response. `docs/guides/operating.md` has a row for each.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method, Response, StatusCode};
use serde::Serialize;

use super::access::Access;
use super::explained::{explained_refusal, refusal_list};
use super::page::OPERATORS_PAGE;
use super::parts::AdminParts;
use super::status_document::status_document;
use crate::server::response::{EdgeBody, PlainResponse, json, refused, whole};
use crate::telemetry::unix_time;
use calendar_edge_core::errors;
use calendar_edge_judge::problem::Refusal;

/// An endpoint.
#[derive(Debug)]
pub(super) struct Endpoint {
    method: Method,
    /// A last segment in capital letters stands for the rest of the path.
    path: &'static str,
    /// The clients that may use it.
    pub(super) access: Access,
    /// The response.
    pub(super) response: EndpointResponse,
}

/// The source of a response.
#[derive(Debug, Clone, Copy)]
pub(super) enum EndpointResponse {
    /// A document, made of the parts of the edge and of the rest of the path.
    Document(fn(&AdminParts, RequestedPath<'_>) -> PlainResponse),
    /// The edge's readiness.
    Readiness,
    /// Rules and verdicts, and the way back of candidates.
    Migration,
    /// The decision about a request, with its reasons.
    Explanation,
    /// A change of the cache by operators or by the companion plugin, which proves its identity by its seal.
    Purge,
}

/// The part of a path below an endpoint.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestedPath<'a> {
    path: &'a str,
    /// The last segment.
    rest: &'a str,
    pub(super) query: Option<&'a str>,
}

use Access::{All, Operators, Unguarded};
use EndpointResponse::{Document, Explanation, Migration, Purge, Readiness};

/// Declares endpoints, a line each.
macro_rules! endpoints {
    ($($method:ident $path:literal, $access:ident => $response:expr;)+) => {
        /// All endpoints.
        static ENDPOINTS: &[Endpoint] = &[$(Endpoint {
            method: Method::$method,
            path: $path,
            access: $access,
            response: $response,
        },)+];
    };
}

endpoints! {
    GET "/", All => Document(|_, _| browser_page());
    GET "/status", Unguarded => Document(|parts, _| pretty(&status_document(parts)));
    GET "/readings", Unguarded => Document(|parts, _| json(StatusCode::OK, Bytes::from(parts.readings.document(&parts.facts))));
    GET "/runbook", Unguarded
        => Document(|_, _| page("text/markdown; charset=utf-8", Bytes::from_static(RUNBOOK.as_bytes())));
    GET "/metrics", Unguarded => Document(|parts, _| page(METRICS_TYPE, Bytes::from(parts.measured())));
    GET "/findings", Operators => Document(|parts, _| pretty(&parts.findings.report()));
    GET "/refusals", Operators => Document(|parts, _| pretty(&refusal_list(&parts.refusals.newest())));
    GET "/refusals/ID", Operators => Document(|parts, asked| match parts.refusals.find(asked.rest) {
        Some(kept) => pretty(&explained_refusal(&kept)),
        None => refused(&errors::UNKNOWN_REFUSAL.refusal()),
    });
    GET "/cache", Unguarded => Document(|parts, _| compact(&parts.subjects.cache.statistics(unix_time())));
    GET "/migration", Unguarded => Migration;
    GET "/migration/report", Unguarded => Document(migration);
    GET "/migration/report/NAME", Unguarded => Document(migration);
    GET "/openapi.json", Unguarded
        => Document(|parts, _| page("application/json; charset=UTF-8", parts.pages.load().openapi.clone()));
    GET "/livez", All => Document(|_, _| json(StatusCode::OK, Bytes::from_static(br#"{"status":"alive"}"#)));
    GET "/readyz", All => Readiness;
    POST "/explain", Operators => Explanation;
    POST "/purge", Unguarded => Purge;
    POST "/migration/resume/RULE", Operators => Document(|parts, asked| match parts.subjects.migration.resume(asked.rest) {
        Some(resumed) => compact(&serde_json::json!({"resumed": resumed})),
        None => refused(&Refusal::no_route()),
    });
}

/// The media type of `/metrics`: the text format of `OpenMetrics`.
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The remedies for each alert.
const RUNBOOK: &str = include_str!("../../../docs/guides/runbook.md");

// === impl Endpoint ===

impl Endpoint {
    /// The endpoint of a request, and the path below it.
    pub(super) fn of<'a>(method: &Method, uri: &'a http::Uri) -> Option<(&'static Self, RequestedPath<'a>)> {
        let method = if *method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let mut endpoints = ENDPOINTS.iter().filter(|endpoint| endpoint.method == *method);
        endpoints.find_map(|endpoint| {
            let (path, query) = (uri.path(), uri.query());
            let rest = endpoint.rest(path)?;
            Some((endpoint, RequestedPath { path, rest, query }))
        })
    }

    /// True for an endpoint that changes something.
    pub(super) fn is_change(&self) -> bool {
        self.method == Method::POST
    }

    fn rest<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (parent, last) = self.path.rsplit_once('/')?;
        let stands_for_any = last.starts_with(|letter: char| letter.is_ascii_uppercase());
        if stands_for_any {
            return path.strip_prefix(parent)?.strip_prefix('/');
        }
        (path == self.path).then_some("")
    }
}

/// The pages about comparisons.
fn migration(parts: &AdminParts, asked: RequestedPath<'_>) -> PlainResponse {
    match parts.subjects.migration.page(asked.path, asked.query) {
        Some(document) => json(StatusCode::OK, document),
        None => refused(&Refusal::no_route()),
    }
}

/// A document for programs.
pub(super) fn compact(document: &impl Serialize) -> PlainResponse {
    let text = serde_json::to_vec(document);
    json(
        StatusCode::OK,
        Bytes::from(text.expect("text and numbers are JSON")),
    )
}

/// A document that people may read as well.
fn pretty(document: &impl Serialize) -> PlainResponse {
    pretty_as(StatusCode::OK, document)
}

/// The same with a status.
pub(super) fn pretty_as(status: StatusCode, document: &impl Serialize) -> PlainResponse {
    let text = serde_json::to_vec_pretty(document);
    json(status, Bytes::from(text.expect("text and numbers are JSON")))
}

fn page(media_type: &'static str, text: Bytes) -> PlainResponse {
    let mut answer = Response::new(EdgeBody::default());
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(text.len()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    *answer.body_mut() = whole(text);
    answer
}

fn browser_page() -> PlainResponse {
    let mut answer = page("text/html; charset=utf-8", OPERATORS_PAGE.text.clone());
    OPERATORS_PAGE.protect(answer.headers_mut());
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_lists_all_endpoints() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guides/operating.md");
        let guide = std::fs::read_to_string(path).unwrap();
        let (_, table) = guide
            .split_once("| Path | For | Content |\n|---|---|---|\n")
            .unwrap();
        let rows = table.lines().take_while(|line| line.starts_with('|'));
        let listed: Vec<_> = rows
            .map(|row| row.splitn(4, '|').take(3).collect::<String>())
            .collect();
        let row = |endpoint: &Endpoint| {
            let method = if endpoint.is_change() { "POST " } else { "" };
            let whom = match endpoint.access {
                All => "all",
                Unguarded => "figures",
                Operators => "operators",
            };
            format!(" `{method}{}`  {whom} ", endpoint.path)
        };
        assert_eq!(listed, ENDPOINTS.iter().map(row).collect::<Vec<_>>());
    }

    /// The plugin's purges prove their sender by a seal.
    #[test]
    fn each_endpoint_is_reached_and_changes_are_for_operators() {
        for endpoint in ENDPOINTS {
            let uri = http::Uri::from_static(endpoint.path);
            let (found, _) = Endpoint::of(&endpoint.method, &uri).expect(endpoint.path);
            assert!(
                std::ptr::eq(found, endpoint),
                "{} hides {}",
                found.path,
                endpoint.path
            );
            let is_guarded = endpoint.access == Operators || endpoint.path == "/purge";
            assert!(is_guarded || !endpoint.is_change(), "{}", endpoint.path);
        }
    }

    #[test]
    fn a_path_leads_to_one_endpoint() {
        let found = |method, path: &'static str| {
            let uri = http::Uri::from_static(path);
            Endpoint::of(&method, &uri).map(|(endpoint, asked)| (endpoint.path, asked.rest.to_owned()))
        };
        for (method, path, expected) in [
            (Method::GET, "/refusals", Some(("/refusals", ""))),
            (Method::HEAD, "/refusals/a/b?c", Some(("/refusals/ID", "a/b"))),
            (
                Method::GET,
                "/migration/report/",
                Some(("/migration/report/NAME", "")),
            ),
            (Method::GET, "/migration/reports", None),
            (Method::POST, "/status", None),
            (
                Method::POST,
                "/migration/resume/x",
                Some(("/migration/resume/RULE", "x")),
            ),
            (Method::PUT, "/purge", None),
        ] {
            let expected = expected.map(|(path, rest)| (path, rest.to_owned()));
            assert_eq!(found(method, path), expected, "{path}");
        }
    }
}
