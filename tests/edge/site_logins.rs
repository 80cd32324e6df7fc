//! Failed logins of the whole site count together: calendar calls, other REST routes, the login form, XML-RPC (T-33),
//! unless a response proves that they were none (T-98).

use std::time::Duration;

use calendar_edge_core::settings::{OriginNamespace, OtherTraffic, Rate};
use calendar_edge_judge::contract::PLUGIN_NAMESPACE;
use http::Method;
use reqwest::RequestBuilder;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply, Seen};

const USERS: &str = "/wp-json/wp/v2/users/me";
const RIGHT: &str = "right";

/// A site with one password, and WordPress's responses.
async fn site() -> Origin {
    Origin::answering(|seen| {
        let path = seen.target.split('?').next().unwrap_or_default();
        let body = String::from_utf8_lossy(&seen.body).into_owned();
        match path {
            "/wp-login.php" if body.contains("pwd=right") => Reply::of_type(302, "text/html", "").header(
                "set-cookie",
                "wordpress_logged_in_5f=alice%7C1799999999%7Cx%7Cy; path=/; HttpOnly",
            ),
            "/wp-login.php" => Reply::of_type(200, "text/html", "<form>Error: wrong</form>"),
            "/xmlrpc.php" => Reply::of_type(200, "text/xml", &xml_rpc_answer(&body)),
            _ => rest_answer(seen),
        }
    })
    .await
}

fn xml_rpc_answer(body: &str) -> String {
    let wrong = body.matches("alice").count() - body.matches(RIGHT).count();
    let fault = "<struct><member><name>faultCode</name>\n  <value><int>403</int></value></member></struct>";
    format!("<methodResponse>{}</methodResponse>", fault.repeat(wrong))
}

fn rest_answer(seen: &Seen) -> Reply {
    const REFUSED: &str = r#"{"code":"incorrect_password","message":"No.","data":{"status":401}}"#;
    let is_right = seen
        .header("authorization")
        .is_none_or(|value| value == basic("alice", RIGHT));
    match is_right {
        _ if seen.target.contains("envelope") => {
            let (body, status) = if is_right { ("{}", 200) } else { (REFUSED, 401) };
            let blank = if seen.target.contains("_pretty") {
                "\n    "
            } else {
                ""
            };
            let envelope =
                format!(r#"{{{blank}"body":{body},{blank}"status":{blank}{status},"headers":{{}}}}"#);
            Reply::json(200, &envelope)
        }
        true => Reply::json(200, "{}"),
        false => Reply::json(401, REFUSED),
    }
}

async fn edge(site: &Origin, failed_logins: u32) -> Edge {
    let builder = Edge::builder().site(&site.base()).settings(|settings| {
        settings.other = OtherTraffic::Forward;
        settings.origin.namespace = OriginNamespace::set(PLUGIN_NAMESPACE);
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
        settings.rate_limits.failed_logins = Some(Rate {
            requests: failed_logins,
            period: Duration::from_hours(1),
        });
    });
    builder.start().await
}

fn basic(account: &str, password: &str) -> String {
    use base64::Engine;
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{account}:{password}"));
    format!("Basic {pair}")
}

fn rest(edge: &Edge, target: &str, password: &str) -> RequestBuilder {
    edge.request(Method::GET, target)
        .header("authorization", basic("alice", password))
}

fn form(edge: &Edge, password: &str) -> RequestBuilder {
    edge.request(Method::POST, "/wp-login.php")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("log=alice&pwd={password}&wp-submit=Log+In"))
}

fn xml_rpc(edge: &Edge, passwords: &[&str]) -> RequestBuilder {
    let calls = passwords
        .iter()
        .map(|password| {
            format!(
                "<value><struct><member><name>methodName</name><value>wp.getUsersBlogs</value></member>\
                 <member><name>params</name><value><array><data><value><string>alice</string></value>\
                 <value><string>{password}</string></value></data></array></value></member></struct></value>"
            )
        })
        .collect::<Vec<_>>()
        .concat();
    let body = format!(
        "<?xml version=\"1.0\"?><methodCall><methodName>system.multicall</methodName><params><param><value>\
         <array><data>{calls}</data></array></value></param></params></methodCall>"
    );
    edge.request(Method::POST, "/xmlrpc.php")
        .header("content-type", "text/xml")
        .body(body)
}

async fn status(request: RequestBuilder, client: &str) -> u16 {
    let answer = Answer::to(request.header("x-forwarded-for", client)).await;
    if answer.status == 429 {
        assert_eq!(answer.code(), "edge_rate_limited");
        assert!(answer.header("retry-after").is_some());
    }
    answer.status.as_u16()
}

#[tokio::test]
async fn t33_guesses_over_four_doors_meet_one_limit() {
    let site = site().await;
    let edge = edge(&site, 10).await;
    let mut passed = 0;
    for guess in 0..50 {
        let password = format!("guess-{guess}");
        for request in [
            rest(&edge, &format!("{EVENTS}/56"), &password),
            rest(&edge, USERS, &password),
            form(&edge, &password),
            xml_rpc(&edge, &[&password]),
        ] {
            passed += usize::from(status(request, "192.0.2.1").await != 429);
        }
    }
    assert_eq!((passed, site.seen().len()), (10, 10));
    // From another address other accounts and callers without a password pass.
    let bob = edge
        .request(Method::GET, USERS)
        .header("authorization", basic("bob", "x"));
    assert_eq!(status(bob, "192.0.2.2").await, 401);
    let page = edge.request(Method::GET, "/wp-login.php");
    assert_eq!(status(page, "192.0.2.1").await, 200);
    let metrics = edge.admin("/metrics").await.body;
    assert!(
        metrics.contains(r#"edge_rate_limited_total{budget="address-logins"}"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn t33_right_passwords_cost_nothing() {
    let site = site().await;
    let edge = edge(&site, 2).await;
    for _ in 0..5 {
        assert_eq!(status(form(&edge, RIGHT), "192.0.2.1").await, 302);
        assert_eq!(status(xml_rpc(&edge, &[RIGHT]), "192.0.2.1").await, 200);
        assert_eq!(status(rest(&edge, USERS, RIGHT), "192.0.2.1").await, 200);
        let forgotten = edge
            .request(Method::POST, "/wp-login.php?action=lostpassword")
            .header("content-type", "application/x-www-form-urlencoded")
            .body("user_login=alice");
        assert_eq!(status(forgotten, "192.0.2.1").await, 200);
    }
}

#[tokio::test]
async fn t33_an_account_is_closed_from_every_address() {
    let site = site().await;
    let edge = edge(&site, 3).await;
    for (guess, request) in [
        rest(&edge, &format!("{EVENTS}/56"), "a"),
        rest(&edge, USERS, "b"),
        form(&edge, "c"),
    ]
    .into_iter()
    .enumerate()
    {
        assert_ne!(status(request, &format!("192.0.2.{guess}")).await, 429);
    }
    assert_eq!(status(form(&edge, RIGHT), "192.0.2.9").await, 429);
}

#[tokio::test]
async fn t102_strangers_do_not_lock_an_account_for_those_who_logged_in() {
    let site = site().await;
    let edge = edge(&site, 3).await;
    let event = format!("{EVENTS}/56");
    assert_eq!(status(form(&edge, RIGHT), "192.0.2.1").await, 302);
    assert_eq!(status(rest(&edge, &event, RIGHT), "192.0.2.2").await, 200);
    for guess in 0..3 {
        let client = format!("198.51.100.{guess}");
        assert_eq!(status(rest(&edge, &event, "wrong"), &client).await, 401);
    }
    for stranger in [rest(&edge, &event, "wrong"), form(&edge, "wrong")] {
        assert_eq!(status(stranger, "198.51.100.9").await, 429);
    }
    assert_eq!(status(form(&edge, RIGHT), "192.0.2.1").await, 302);
    assert_eq!(status(rest(&edge, &event, RIGHT), "203.0.113.1").await, 200);
    // From a known address guesses have the rate of an address.
    for expected in [401, 401, 401, 429] {
        assert_eq!(status(rest(&edge, &event, "wrong"), "192.0.2.2").await, expected);
    }
}

#[tokio::test]
async fn t98_a_call_is_one_try_of_its_address() {
    let site = site().await;
    let edge = edge(&site, 3).await;
    assert_eq!(status(xml_rpc(&edge, &["a", "b", RIGHT]), "192.0.2.1").await, 200);
    assert_eq!(site.only().header("accept-encoding"), Some("identity"));
    assert_eq!(status(xml_rpc(&edge, &["c"]), "192.0.2.1").await, 200);
    for body in [
        "<methodCall><methodName>wp.getUsersBlogs</methodName></x><value>alice</value></methodCall>",
        "<methodCall><value>alice</value><methodName>wp.getUsersBlogs</methodName>",
    ] {
        // Whatever else WordPress reads of these, the first of them is the last try.
        let request = edge.request(Method::POST, "/xmlrpc.php").body(body);
        let expected = if site.seen().len() == 2 { 200 } else { 429 };
        assert_eq!(status(request, "192.0.2.1").await, expected, "{body}");
    }
    assert_eq!(site.seen().len(), 3);
    assert_eq!(status(xml_rpc(&edge, &["d"]), "192.0.2.2").await, 200);
}

#[tokio::test]
async fn t112_calls_from_many_addresses_have_a_common_limit() {
    let site = site().await;
    let edge = edge(&site, 3).await;
    // The owner has logged in at another door.
    assert_eq!(status(form(&edge, RIGHT), "198.51.100.7").await, 302);
    for address in 1..=10 {
        for _ in 0..3 {
            let guess = xml_rpc(&edge, &["a"]);
            assert_eq!(
                status(guess, &format!("192.0.2.{address}")).await,
                200,
                "{address}"
            );
        }
    }
    assert_eq!(status(xml_rpc(&edge, &["a"]), "192.0.2.11").await, 429);
    assert_eq!(status(xml_rpc(&edge, &[RIGHT]), "192.0.2.12").await, 429);
    assert_eq!(status(xml_rpc(&edge, &[RIGHT]), "198.51.100.7").await, 200);
    // Doors that name an account are not hindered.
    assert_eq!(status(form(&edge, RIGHT), "192.0.2.13").await, 302);
}

#[tokio::test]
async fn t98_no_spelling_of_a_request_hides_a_wrong_password() {
    let event = format!("{EVENTS}/56");
    for (method, target) in [
        (Method::GET, format!("{USERS}?_envelope=1&_pretty=1")),
        (Method::GET, format!("{USERS}?_envelope")),
        (Method::GET, format!("{USERS}?.envelope=0&_pretty")),
        (Method::HEAD, format!("{USERS}?_envelope=1")),
        (Method::HEAD, format!("{USERS}?%5fenvelope&_pretty=1")),
        (
            Method::GET,
            "/?rest_route=/wp/v2/users/me&_envelope&_pretty=1".to_owned(),
        ),
        (Method::HEAD, "/?rest_route=/wp/v2/users/me&_envelope".to_owned()),
        (Method::GET, format!("{event}?_envelope=1&_pretty=1")),
        (Method::HEAD, format!("{event}?_envelope=1")),
        (Method::HEAD, format!("{event}?_envelope=1&_pretty=1")),
    ] {
        let site = site().await;
        let edge = edge(&site, 2).await;
        for (number, expected) in [200, 200, 429].into_iter().enumerate() {
            let guess = edge
                .request(method.clone(), &target)
                .header("authorization", basic("alice", &format!("guess-{number}")))
                .header("x-forwarded-for", "192.0.2.1");
            let answer = Answer::to(guess).await;
            assert_eq!(answer.status.as_u16(), expected, "{method} {target}");
        }
        assert_eq!(site.seen().len(), 2, "{method} {target}");
    }
}

#[tokio::test]
async fn t98_right_passwords_in_envelopes_cost_nothing() {
    let site = site().await;
    let edge = edge(&site, 2).await;
    for _ in 0..5 {
        for target in [
            format!("{USERS}?_envelope=1&_pretty=1"),
            format!("{USERS}?_envelope"),
            format!("{EVENTS}/56?_envelope=1&_pretty=1"),
        ] {
            assert_eq!(
                status(rest(&edge, &target, RIGHT), "192.0.2.1").await,
                200,
                "{target}"
            );
        }
    }
}

#[tokio::test]
async fn t33_an_envelope_and_a_large_body_hide_no_guess() {
    let site = site().await;
    let edge = edge(&site, 3).await;
    assert_eq!(
        status(rest(&edge, &format!("{USERS}?_envelope=1"), "x"), "192.0.2.1").await,
        200
    );
    let padded = |name: &str, password: &str| format!("pad={}&{name}={password}", "x".repeat(100_000));
    let large = edge
        .request(Method::POST, "/wp-login.php")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(padded("log=alice&pwd", "x"));
    assert_eq!(status(large, "192.0.2.1").await, 200);
    let call = format!(
        "<methodCall><!--{}--><methodName>wp.getUsersBlogs</methodName></methodCall>",
        "x".repeat(100_000)
    );
    let sent = edge
        .request(Method::POST, "/xmlrpc.php")
        .header("content-type", "text/xml")
        .body(call.clone());
    assert_eq!(status(sent, "192.0.2.1").await, 200);
    assert_eq!(site.seen().last().map(|seen| seen.body.len()), Some(call.len()));
    // The call without a password got its charge back, the other two did not.
    assert_eq!(status(form(&edge, "x"), "192.0.2.1").await, 200);
    assert_eq!(status(form(&edge, "y"), "192.0.2.1").await, 429);
}

/// An edge before a site that responds to every request with these bytes, or does not listen.
async fn edge_before(site: &Origin) -> Edge {
    edge(site, 3).await
}

#[tokio::test]
async fn t111_a_failure_of_the_site_gives_no_charge_back() {
    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{";
    let failures: [&[u8]; 4] = [
        b"HTTP/1.1 500 No\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}",
        b"HTTP/1.1 502 No\r\nContent-Length: 6\r\nContent-Type: text/html\r\n\r\n<html>",
        b"HT",
        cut,
    ];
    let event = format!("{EVENTS}/56");
    for (number, failure) in failures.iter().enumerate() {
        let site = Origin::sending(failure).await;
        let requests = |edge: &Edge| {
            let mut requests = vec![
                form(edge, "x"),
                xml_rpc(edge, &["x"]),
                rest(edge, &event, "x"),
                rest(edge, &format!("{USERS}?_envelope"), "x"),
            ];
            // A page that is cut has a status: the site did not refuse its reader.
            if number < 3 {
                requests.push(rest(edge, USERS, "x"));
            }
            requests
        };
        for door in 0..requests(&edge_before(&site).await).len() {
            let edge = edge_before(&site).await;
            let mut refused = Vec::new();
            for _ in 0..4 {
                let request = requests(&edge)
                    .swap_remove(door)
                    .header("x-forwarded-for", "192.0.2.1");
                // Whatever its client gets of a response that is cut.
                let answer = request.send().await;
                refused.push(answer.is_ok_and(|answer| answer.status() == 429));
            }
            assert_eq!(
                refused,
                [false, false, false, true],
                "failure {number}, door {door}"
            );
        }
    }
    let fault = "<methodResponse><fault><value><struct><member><name>faultCode</name><value><int>500</int></value>\
        </member></struct></value></fault></methodResponse>";
    let site = Origin::always(Reply::of_type(200, "text/xml", fault)).await;
    let edge = edge_before(&site).await;
    for expected in [200, 200, 200, 429] {
        assert_eq!(status(xml_rpc(&edge, &["x"]), "192.0.2.1").await, expected);
    }
}

#[tokio::test]
async fn t111_a_site_that_was_not_reached_has_compared_no_password() {
    let edge = edge_before(&Origin::down()).await;
    for request in [
        form(&edge, "x"),
        xml_rpc(&edge, &["x"]),
        rest(&edge, USERS, "x"),
        rest(&edge, &format!("{EVENTS}/56"), "x"),
    ] {
        for _ in 0..5 {
            let request = request.try_clone().expect("a body in memory");
            assert_eq!(status(request, "192.0.2.1").await, 502);
        }
    }
}

#[tokio::test]
async fn t112_logins_whose_account_cannot_be_read_meet_one_limit() {
    const URLENCODED: &str = "application/x-www-form-urlencoded";
    let login = "log=alice&pwd=x";
    let part = |name: &str, value: &str| {
        format!("--a\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let parts = format!("{}{}--a--\r\n", part("log", "alice"), part("pwd", "x"));
    let unread = [
        (URLENCODED, format!("{login}&a={}", "x".repeat(70_000))),
        (URLENCODED, format!("{login}{}", "&a=1".repeat(1_100))),
        (
            "multipart/form-data; boundary=a",
            format!("{}{parts}", part("a", &"x".repeat(70_000))),
        ),
    ];
    let site = site().await;
    for (media_type, body) in unread {
        let edge = edge_before(&site).await;
        let guess = |client: u8| {
            let request = edge.request(Method::POST, "/wp-login.php");
            let request = request.header("content-type", media_type).body(body.clone());
            async move { status(request, &format!("192.0.2.{client}")).await }
        };
        for (client, expected) in [(1, 200), (2, 200), (3, 200), (4, 429)] {
            assert_eq!(
                guess(client).await,
                expected,
                "{media_type}, {} bytes",
                body.len()
            );
        }
        // Forms that can be read are not hindered.
        assert_eq!(status(form(&edge, RIGHT), "192.0.2.9").await, 302);
    }
}

#[tokio::test]
async fn t102_an_owner_who_only_reads_is_not_locked_out_by_guesses_at_any_door() {
    let site = Origin::answering(|seen| match seen.target.as_str() {
        "/wp-login.php" => Reply::of_type(200, "text/html", "<form>Error: wrong</form>"),
        _ if seen.header("authorization") == Some(&basic("alice", RIGHT)) => Reply::json(200, "{}").header(
            "access-control-expose-headers",
            "X-WP-Total, X-WP-TotalPages, Link",
        ),
        _ => Reply::json(
            401,
            r#"{"code":"rest_not_logged_in","message":"No.","data":{"status":401}}"#,
        ),
    })
    .await;
    let event = format!("{EVENTS}/56");
    for read in [event.as_str(), USERS] {
        let edge = edge_before(&site).await;
        assert_eq!(status(rest(&edge, read, RIGHT), "192.0.2.1").await, 200);
        for client in 1..=4 {
            let expected = if client == 4 { 429 } else { 200 };
            let guess = status(form(&edge, "wrong"), &format!("198.51.100.{client}")).await;
            assert_eq!(guess, expected);
        }
        for client in ["192.0.2.1", "203.0.113.1"] {
            for again in [event.as_str(), USERS] {
                assert_eq!(status(rest(&edge, again, RIGHT), client).await, 200, "{again}");
            }
        }
        assert_eq!(status(rest(&edge, read, "wrong"), "192.0.2.1").await, 429);
    }
}
