//! Rules about bodies: calls of XML-RPC, large forms, and bodies that cannot be read.

use super::{USERS, answer, count, site_behind};
use crate::support::Edge;

const CALLS: &str =
    "[[surface]]\nroutes = [\"xmlrpc-multicall\"]\ncallers = \"nobody\"\nmode = \"enforce\"\n";

fn call(method: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><methodCall><methodName>{method}</methodName><params></params></methodCall>"
    )
}

async fn unclear(edge: &Edge) -> Option<String> {
    edge.metric("edge_surface_unclear_total").await
}

#[tokio::test]
async fn listed_calls_are_refused_and_others_pass() {
    let (origin, edge) = site_behind(CALLS).await;
    let form = "Content-Type: application/x-www-form-urlencoded";
    for (body, expected) in [
        (call("system.multicall"), 403),
        (call(" pingback.ping\n"), 403),
        (call("system.multi&#99;all"), 403),
        (call("<![CDATA[pingback.ping]]>"), 403),
        (
            call("wp.getPosts").replace("<params>", "<params><methodName>system.multicall</methodName>"),
            403,
        ),
        (call("wp.getUsersBlogs"), 200),
        (call("system.multicallx"), 200),
    ] {
        for field in ["Content-Type: text/xml", form] {
            let request = format!("POST /xmlrpc.php | {field} | {body}");
            assert_eq!(answer(&edge, &request).await.status, expected, "{request}");
        }
    }
    assert_eq!(answer(&edge, "GET /xmlrpc.php?rsd").await.status, 200);
    assert_eq!(origin.seen().len(), 5);
    assert_eq!(count(&edge, "xmlrpc-multicall", "refused").await, 10);
    assert_eq!(unclear(&edge).await.as_deref(), Some("0"));
}

#[tokio::test]
async fn t98_a_call_that_only_wordpress_can_read_is_refused_with_the_listed_ones() {
    let (origin, edge) = site_behind(CALLS).await;
    for body in [
        "no document".to_owned(),
        "<methodCall><methodName>wp.x".to_owned(),
        call("System.Multicall"),
        call("system.<!-- -->multicall"),
        call("wp<b/>system.multicall"),
        call("wp.getPosts").replace(
            "</methodCall>",
            "<value>system.multicall</methodName></methodCall>",
        ),
        call("wp.getPosts").replace("</methodCall>", "<methodName a=''>system.multicall</methodName>"),
    ] {
        let request = format!("POST /xmlrpc.php | Content-Type: text/xml | {body}");
        assert_eq!(answer(&edge, &request).await.status, 403, "{body}");
    }
    assert_eq!(origin.seen().len(), 0);
    assert_eq!(count(&edge, "xmlrpc-multicall", "refused").await, 7);
}

#[tokio::test]
async fn a_large_call_is_judged_by_its_beginning_and_on_its_way() {
    let (origin, edge) = site_behind(CALLS).await;
    let padding = "<!-- more -->".repeat(10_000);
    let request = format!(
        "POST /xmlrpc.php | Content-Type: text/xml | {}{padding}",
        call("system.multicall")
    );
    assert_eq!(answer(&edge, &request).await.status, 403);
    let request = format!(
        "POST /xmlrpc.php | Content-Type: text/xml | {}{padding}",
        call("wp.getPosts")
    );
    assert_eq!(answer(&edge, &request).await.status, 200);
    assert_eq!(origin.seen().len(), 1);
    for form in ["text/xml", "application/x-www-form-urlencoded"] {
        let request = format!(
            "POST /xmlrpc.php | Content-Type: {form} | {}{padding}{}",
            call("wp.getPosts"),
            call("system.multicall")
        );
        let refused = answer(&edge, &request).await;
        assert!([400, 403].contains(&refused.status), "{form}: {refused:?}");
    }
    let hidden = b"system.multicall";
    let whole = |body: &[u8]| body.windows(hidden.len()).any(|window| window == hidden);
    assert!(origin.seen().iter().all(|seen| !whole(&seen.body)));
}

#[tokio::test]
async fn a_large_form_must_not_name_a_closed_route() {
    let (origin, edge) = site_behind(USERS).await;
    let large = |end: &str| {
        let form = "Content-Type: application/x-www-form-urlencoded";
        format!(
            "POST /wp-admin/post.php | {form} | content={}&{end}",
            "x".repeat(200_000)
        )
    };
    let refused = answer(&edge, &large("rest_route=/wp/v2/users")).await;
    assert_eq!(
        (refused.status, refused.body.contains("edge_route_contradiction")),
        (400, true)
    );
    let passed = answer(&edge, &large("rest_route=/wp/v2/posts")).await;
    assert_eq!(passed.status, 200);
    let seen = origin.seen();
    let refused = seen.iter().filter(|seen| seen.body.ends_with(b"/wp/v2/users"));
    assert_eq!(
        refused.count(),
        0,
        "the site gets no whole request that a rule refuses"
    );
    assert_eq!(count(&edge, "users", "refused").await, 1);
}
