//! The recorded requests of an editor's day at WordPress 6.9 (`tests/editor/run`) pass the rules of every preset.

use serde::Deserialize;

use super::{answer, count, site_behind, told};
use crate::support::Edge;

const DAY: &str = include_str!("../../../fixtures/surface/editor-day.jsonl");

/// Every preset, closed as far as a site can close it, and namespaces that nothing names.
const RULES: &str = r#"
[[surface]]
name = "closed"
routes = ["users", "batch", "tec/v1", "tickets"]
callers = "credentials"
mode = "enforce"
[[surface]]
name = "calls"
routes = ["xmlrpc-multicall", "xmlrpc"]
callers = "nobody"
mode = "enforce"
[[surface]]
name = "login"
routes = ["login"]
rate = "20/1m"
mode = "enforce"
[surface_default]
unknown = "credentials"
mode = "enforce"
"#;

/// One request of a browser.
#[derive(Deserialize)]
struct Recorded {
    method: String,
    target: String,
    /// True if the cookie of a login came along.
    cookie: bool,
    /// The method in `X-HTTP-Method-Override`.
    #[serde(rename = "override")]
    inner: Option<String>,
}

// === impl Recorded ===

impl Recorded {
    /// The request in the notation of [`answer`].
    fn text(&self, has_cookie: bool) -> String {
        let mut parts = vec![format!("{} {}", self.method, self.target)];
        parts.extend(
            self.inner
                .iter()
                .map(|inner| format!("X-HTTP-Method-Override: {inner}")),
        );
        if has_cookie {
            parts.push(
                "Cookie: wordpress_test_cookie=x; wordpress_logged_in_0a=editor%7C1%7Cx%7Cx".to_owned(),
            );
        }
        parts.join(" | ")
    }
}

fn day() -> Vec<Recorded> {
    let lines = DAY.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a request"))
        .collect()
}

async fn refused(edge: &Edge) -> u32 {
    let mut sum = 0;
    for rule in ["closed", "calls", "login", "surface_default"] {
        sum += count(edge, rule, "refused").await + count(edge, rule, "limited").await;
    }
    sum
}

#[tokio::test]
async fn no_request_of_an_editor_is_refused() {
    let (origin, edge) = site_behind(RULES).await;
    let day = day();
    for request in &day {
        let text = request.text(request.cookie);
        assert_eq!(
            told(&answer(&edge, &text).await),
            (200, "site".to_owned()),
            "{text}"
        );
    }
    assert_eq!(origin.seen().len(), day.len());
    assert_eq!(refused(&edge).await, 0);
    assert!(count(&edge, "closed", "passed").await > 10);
}

#[tokio::test]
async fn the_same_requests_without_credentials_meet_the_rules() {
    let (origin, edge) = site_behind(RULES).await;
    let day = day();
    for request in day.iter().filter(|request| request.cookie) {
        answer(&edge, &request.text(false)).await;
    }
    let sent = day.iter().filter(|request| request.cookie).count();
    let refused = usize::try_from(refused(&edge).await).expect("a count");
    assert!(refused > 10, "{refused}");
    assert_eq!(origin.seen().len() + refused, sent);
}
