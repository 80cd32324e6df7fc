//! Requests that pass a rule: credentials, modes, the order of rules, namespaces that nothing names, and the calendar.

use super::{USERS, answer, count, ruled, site_behind, told};
use crate::support::EVENTS;

fn passed() -> (u16, String) {
    (200, "site".to_owned())
}

fn refused() -> (u16, String) {
    (401, "rest_forbidden".to_owned())
}

#[tokio::test]
async fn credentials_that_are_present_pass() {
    let rule = "[[surface]]\nname = \"door\"\nroutes = [\"users\", \"batch\"]\ncallers = \"credentials\"\nmode = \"enforce\"\n";
    let (_origin, edge) = site_behind(rule).await;
    for (field, expected) in [
        ("Authorization: Basic YTpi", passed()),
        ("Authorization: Bearer x", passed()),
        ("Cookie: a=b; wordpress_logged_in_5f=alice%7C1", passed()),
        ("Cookie: wordpress_sec_5f=alice%7C1", passed()),
        ("Cookie: wordpress_test_cookie=1", refused()),
        ("Authorization: Digest x", refused()),
        ("X-WP-Nonce: 0123456789", refused()),
        ("Accept: text/html", refused()),
    ] {
        for line in ["GET /wp-json/wp/v2/users?who=authors", "POST /wp-json/batch/v1"] {
            let found = told(&answer(&edge, &format!("{line} | {field}")).await);
            assert_eq!(found, expected, "{line} {field}");
        }
    }
    let preflight =
        "OPTIONS /wp-json/batch/v1 | Origin: https://a.example | Access-Control-Request-Method: POST";
    assert_eq!(told(&answer(&edge, preflight).await), passed());
    // T-101: to WordPress this is a POST.
    let overridden = format!("{preflight} | X-HTTP-Method-Override: POST");
    assert_eq!(told(&answer(&edge, &overridden).await), refused());
    // Neither header goes on to the site, for which these stay a POST.
    let read = preflight.replace("OPTIONS", "POST");
    for header in [
        "X_HTTP_Method_Override: OPTIONS",
        "X-HTTP-Method-Override: OPTIONS | Connection: X-HTTP-Method-Override",
    ] {
        let found = told(&answer(&edge, &format!("{read} | {header}")).await);
        assert_eq!(found, refused(), "{header}");
    }
    assert_eq!(
        (
            count(&edge, "door", "passed").await,
            count(&edge, "door", "refused").await
        ),
        (9, 11)
    );
}

#[tokio::test]
async fn a_rule_that_reports_lets_pass_and_counts() {
    let rule = "[[surface]]\nroutes = [\"users\"]\ncallers = \"nobody\"\nrate = \"1/1h\"\n";
    let (origin, edge) = site_behind(rule).await;
    for request in ["GET /wp-json/wp/v2/users", "GET /?author=1", "GET /about"] {
        assert_eq!(told(&answer(&edge, request).await), passed(), "{request}");
    }
    assert_eq!(origin.seen().len(), 3);
    assert_eq!(count(&edge, "users", "reported").await, 2);
    assert_eq!(count(&edge, "users", "refused").await, 0);
}

#[tokio::test]
async fn the_first_rule_that_takes_a_request_counts() {
    let rules = "[[surface]]\nname = \"reads\"\nroutes = [\"wp/v2/comments\", \"wp/v2/comments/*\"]\nmethods = [\"GET\"]\n\
                 callers = \"anybody\"\nmode = \"enforce\"\n\
                 [[surface]]\nname = \"off\"\nroutes = [\"*\"]\ncallers = \"nobody\"\nmode = \"off\"\n\
                 [[surface]]\nname = \"writes\"\nroutes = [\"wp/v2/comments/*\"]\ncallers = \"nobody\"\nmode = \"enforce\"\n";
    let (_origin, edge) = site_behind(rules).await;
    for (request, expected) in [
        ("GET /wp-json/wp/v2/comments/1", passed()),
        ("POST /wp-json/wp/v2/comments/1", refused()),
        ("GET /wp-json/wp/v2/comments/1?_method=DELETE", refused()),
        (
            "GET /wp-json/wp/v2/comments/1 | X-HTTP-Method-Override: DELETE",
            refused(),
        ),
        ("POST /wp-json/wp/v2/comments/1?_method=GET", passed()),
        (
            "POST /wp-json/wp/v2/comments/1?_method=GET | X-HTTP-Method-Override: DELETE",
            passed(),
        ),
        ("POST /wp-json/wp/v2/posts", passed()),
    ] {
        assert_eq!(told(&answer(&edge, request).await), expected, "{request}");
    }
    assert_eq!(
        (
            count(&edge, "reads", "passed").await,
            count(&edge, "writes", "refused").await
        ),
        (3, 3)
    );
}

#[tokio::test]
async fn namespaces_that_nothing_names_are_closed_if_the_settings_say_so() {
    let rules = "[surface_default]\nunknown = \"credentials\"\nknown = [\"contact-form-7/v1\"]\nmode = \"enforce\"\n\
                 [[surface]]\nroutes = [\"wc/store/v1/*\"]\ncallers = \"anybody\"\nmode = \"enforce\"\n";
    let (_origin, edge) = site_behind(rules).await;
    for (request, expected) in [
        ("GET /wp-json/evil/v1/dump", refused()),
        ("GET /?rest_route=/evil/v1/dump", refused()),
        ("GET /wp-json/evil/v1/dump | Authorization: Basic YTpi", passed()),
        ("GET /wp-json/wc/store/v1/cart", passed()),
        (
            "POST /wp-json/contact-form-7/v1/contact-forms/1/feedback",
            passed(),
        ),
        ("GET /wp-json/wp/v2/posts", passed()),
        ("GET /wp-json/oembed/1.0/embed?url=a", passed()),
        ("GET /wp-json/tribe/views/v2/html", passed()),
        ("GET /wp-json/", passed()),
        ("GET /evil/v1/dump", passed()),
    ] {
        assert_eq!(told(&answer(&edge, request).await), expected, "{request}");
    }
    assert_eq!(count(&edge, "surface_default", "refused").await, 2);
}

#[tokio::test]
async fn the_calendar_meets_no_rule() {
    let rules = "[[surface]]\nname = \"all\"\nroutes = [\"*\"]\ncallers = \"nobody\"\nmode = \"enforce\"\nrate = \"1/1h\"\n";
    let (_origin, edge) = site_behind(rules).await;
    for _ in 0..3 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }
    let hidden =
        "POST / | Content-Type: application/x-www-form-urlencoded | rest_route=/tribe/events/v1/tags&name=x";
    assert_eq!(
        told(&answer(&edge, hidden).await).1,
        "rest_forbidden",
        "a write without credentials"
    );
    for outcome in ["passed", "refused", "limited"] {
        assert_eq!(count(&edge, "all", outcome).await, 0);
    }
}

#[tokio::test]
async fn new_rules_hold_from_the_next_request_on() {
    let (_origin, edge) = site_behind("").await;
    let request = "GET /wp-json/wp/v2/users";
    assert_eq!(told(&answer(&edge, request).await), passed());
    edge.reloader()
        .apply(ruled(edge.settings(), USERS))
        .expect("new settings");
    assert_eq!(told(&answer(&edge, request).await), refused());
    edge.reloader()
        .apply(ruled(edge.settings(), ""))
        .expect("new settings");
    assert_eq!(told(&answer(&edge, request).await), passed());
}

#[tokio::test]
async fn a_refusal_is_kept_with_its_rule() {
    let (_origin, edge) = site_behind(USERS).await;
    let form =
        "POST / | Content-Type: application/x-www-form-urlencoded | rest_route=/wp/v2/users&password=secret";
    for (request, status) in [
        ("GET /wp-json/wp/v2/users", 401),
        ("GET /?author=1", 403),
        (form, 401),
    ] {
        let id = answer(&edge, request)
            .await
            .header("x-request-id")
            .expect("an id")
            .to_owned();
        let kept = edge.admin(&format!("/refusals/{id}")).await;
        assert!(!kept.body.contains("secret"), "{}", kept.body);
        let kept = kept.json();
        assert_eq!(kept["status"], status, "{kept}");
        assert_eq!(kept["findings"][0]["parameter"], "users", "{kept}");
    }
}
