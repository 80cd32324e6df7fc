//! `/readyz`: whether the edge takes traffic, and in which state its backends are.

use http::StatusCode;
use serde::Serialize;

use super::parts::AdminParts;
use super::status::BackendHealth;

/// The response of `/readyz`.
#[derive(Debug, Serialize)]
pub(super) struct ReadyDocument<'a> {
    /// `ready`, `draining`, or `no backend answers`.
    status: &'static str,
    draining: bool,
    configuration_loaded: String,
    listening: &'a [String],
    backends: Vec<BackendHealth>,
}

/// What decides about readiness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadyRequest {
    /// The edge alone.
    Edge,
    /// The edge, and whether a backend answers.
    EdgeAndBackend,
}

// === impl ReadyRequest ===

impl ReadyRequest {
    /// The question of a query: `backend=1` asks for the backends.
    pub(super) fn of(query: Option<&str>) -> Self {
        let mut parameters = query.unwrap_or_default().split('&');
        if parameters.any(|parameter| parameter == "backend=1") {
            Self::EdgeAndBackend
        } else {
            Self::Edge
        }
    }
}

// === impl ReadyDocument ===

impl<'a> ReadyDocument<'a> {
    /// The response and its status. A site that was not heard within the last second is asked.
    pub(super) async fn answer(parts: &'a AdminParts, question: ReadyRequest) -> (StatusCode, Self) {
        let is_ready = parts.readiness.is_ready();
        let needs_backend = is_ready && question == ReadyRequest::EdgeAndBackend;
        let site_health = parts.pages.load().site_health.clone();
        let status = match (is_ready, needs_backend) {
            (false, _) => "draining",
            (true, true) if !site_health.any().await => "no backend answers",
            (true, _) => "ready",
        };
        let code = match status {
            "ready" => StatusCode::OK,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        let document = Self {
            status,
            draining: !is_ready,
            configuration_loaded: parts.metrics.reloads().last_load(),
            listening: parts.facts.listeners(),
            backends: BackendHealth::all(&parts.metrics),
        };
        (code, document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_may_ask_for_backends() {
        for (query, expected) in [
            (None, ReadyRequest::Edge),
            (Some("backend=1"), ReadyRequest::EdgeAndBackend),
            (Some("x=2&backend=1"), ReadyRequest::EdgeAndBackend),
            (Some("backend=0"), ReadyRequest::Edge),
        ] {
            assert_eq!(ReadyRequest::of(query), expected, "{query:?}");
        }
    }
}
