//! `/readyz`: whether the edge takes traffic, and in which state its backends are.

use http::StatusCode;
use serde_json::{Value, json};

use super::parts::AdminParts;
use super::status::backend_health;

/// The response of `/readyz` and its status: `ready`, `draining`, or `no backend answers`.
///
/// The last one only where the query asks for the backends. A site that was not heard within the last second is asked.
pub(super) async fn readiness(parts: &AdminParts, query: Option<&str>) -> (StatusCode, Value) {
    let is_ready = parts.readiness.is_ready();
    let site_health = parts.pages.load().site_health.clone();
    let (code, status) = match (is_ready, is_ready && asks_for_backend(query)) {
        (false, _) => (StatusCode::SERVICE_UNAVAILABLE, "draining"),
        (true, true) if !site_health.any().await => (StatusCode::SERVICE_UNAVAILABLE, "no backend answers"),
        (true, _) => (StatusCode::OK, "ready"),
    };
    let document = json!({
        "status": status,
        "draining": !is_ready,
        "configuration_loaded": parts.metrics.reloads().last_load(),
        "listening": parts.facts.listeners,
        "backends": backend_health(&parts.metrics),
    });
    (code, document)
}

/// Whether a query asks for the backends, by `backend=1`, and not for the edge alone.
fn asks_for_backend(query: Option<&str>) -> bool {
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
            assert_eq!(asks_for_backend(query), expected, "{query:?}");
        }
    }
}
