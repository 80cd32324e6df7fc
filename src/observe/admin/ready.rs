//! `/readyz`: whether the edge takes traffic, and in which state its backends are.

use http::StatusCode;
use serde_json::{Value, json};

use super::parts::AdminParts;
use super::status::backend_health;

/// The response of `/readyz` and its status: `ready`, or why not.
pub(super) async fn readiness(parts: &AdminParts, query: Option<&str>) -> (StatusCode, Value) {
    let obstacle = obstacle(parts, query).await;
    let code = match obstacle {
        Some(_) => StatusCode::SERVICE_UNAVAILABLE,
        None => StatusCode::OK,
    };
    let document = json!({
        "status": obstacle.unwrap_or("ready"),
        "draining": !parts.readiness.is_ready(),
        "configuration_loaded": parts.metrics.reloads().last_load(),
        "listening": parts.facts.listeners,
        "backends": backend_health(&parts.metrics),
    });
    (code, document)
}

/// Why the edge takes no traffic. Backends that do not answer count only where the query asks for them: a site without a
/// response within the last second is asked.
async fn obstacle(parts: &AdminParts, query: Option<&str>) -> Option<&'static str> {
    if !parts.readiness.requested() {
        return Some("draining");
    }
    let site_health = parts.pages.load().site_health.clone();
    let is_away = asks_for_backend(query) && !site_health.any().await;
    if site_health.leads_back().await {
        return Some("origin.url leads back to this edge");
    }
    is_away.then_some("no backend answers")
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
