//! `/readyz`: true if the edge takes traffic, and the state of its backends.

use http::StatusCode;
use serde_json::{Value, json};

use super::parts::AdminParts;
use super::status::backend_health;
use calendar_edge_core::concerns::{Concern, ReadinessEffect};

/// The response of `/readyz` and its status: `ready`, or the first concern that forbids it, with its sentence.
///
/// A backend that does not respond counts only if the query names the backends. A site without a success in the last
/// second then gets a request, and one whose address led back to this edge in any case.
pub(super) async fn readiness(parts: &AdminParts, query: Option<&str>) -> (StatusCode, Value) {
    let is_about_backend = names_backend(query);
    let is_ready = parts.readiness.requested();
    let site_health = parts.pages.load().site_health.clone();
    if is_ready && (is_about_backend || site_health.is_in_circle()) {
        site_health.look().await;
    }
    let concerns = parts.concerns();
    let forbids = |concern: &&Concern| match concern.readiness {
        ReadinessEffect::Ready => false,
        ReadinessEffect::NoBackend => is_about_backend,
        ReadinessEffect::NotReady => true,
    };
    let reason = concerns.iter().find(forbids);
    let code = reason.map_or(StatusCode::OK, |_| StatusCode::SERVICE_UNAVAILABLE);
    let document = json!({
        "status": match reason.map(|reason| reason.name) {
            None => "ready",
            Some("circle") => "origin.url leads back to this edge",
            Some(_) if !is_ready => "draining",
            Some(_) => "no backend responds",
        },
        "reason": reason.map(|reason| &reason.sentence),
        "draining": !parts.readiness.is_ready(),
        "configuration_loaded": parts.metrics.reloads().last_load(),
        "listening": parts.facts.listeners,
        "backends": backend_health(&parts.metrics),
    });
    (code, document)
}

/// True if a query is about the backends, by `backend=1`, and not about the edge alone.
fn names_backend(query: Option<&str>) -> bool {
    let mut parameters = query.unwrap_or_default().split('&');
    parameters.any(|parameter| parameter == "backend=1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_may_ask_for_backends() {
        for (query, expected) in [
            (None, false),
            (Some("backend=1"), true),
            (Some("x=2&backend=1"), true),
            (Some("backend=0"), false),
        ] {
            assert_eq!(names_backend(query), expected, "{query:?}");
        }
    }
}
