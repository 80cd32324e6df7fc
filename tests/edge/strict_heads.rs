//! Rules of the strict profile beyond the arguments, for requests and responses.

use calendar_edge_core::settings::Profile;
use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

async fn strict_before(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| settings.profile = Profile::Strict)
        .start()
        .await
}

async fn calm() -> Origin {
    Origin::always(Reply::json(200, "{}")).await
}

#[tokio::test]
async fn t13_an_absolute_target_must_name_the_edge() {
    let origin = calm().await;
    let edge = strict_before(&origin).await;
    let ours = edge.address();
    for (authority, status) in [
        (format!("http://{ours}"), 200),
        (format!("https://{ours}"), 421),
        ("http://evil.example".to_owned(), 421),
        (format!("http://127.0.0.2:{}", ours.port()), 421),
    ] {
        let head = format!("GET {authority}{EVENTS} HTTP/1.1\r\nHost: {ours}\r\n\r\n");
        let answer = edge.raw().await.send(head).await.answer().await;
        assert_eq!(answer.status, status, "{authority}");
    }
    assert_eq!(origin.seen().len(), 1);
}

#[tokio::test]
async fn t19_a_body_on_a_read_is_refused() {
    let origin = calm().await;
    let edge = strict_before(&origin).await;
    for body in [
        "Content-Length: 2\r\n\r\n{}",
        "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    ] {
        let head = format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\n{body}");
        let answer = edge.raw().await.send(head).await.answer().await;
        assert_eq!(answer.status, 400, "{body}");
    }
    assert!(origin.seen().is_empty());
    let empty =
        format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    assert_eq!(edge.raw().await.send(empty).await.answer().await.status, 200);
}

#[tokio::test]
async fn t20_cookies_and_nonces_are_no_credentials() {
    let origin = calm().await;
    let edge = strict_before(&origin).await;
    let with_login = |method, target: &str| {
        edge.request(method, target)
            .header("cookie", "wordpress_logged_in_1=a; wordpress_sec_1=b")
            .header("x-wp-nonce", "c")
    };

    let read = Answer::to(with_login(Method::GET, EVENTS)).await;
    let write = Answer::to(with_login(Method::DELETE, &format!("{EVENTS}/7"))).await;

    assert_eq!((read.status.as_u16(), write.status.as_u16()), (200, 401));
    let seen = origin.only();
    assert_eq!((seen.header("cookie"), seen.header("x-wp-nonce")), (None, None));
}

#[tokio::test]
async fn t22_only_listed_origins_may_read() {
    let origin = calm().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.profile = Profile::Strict;
            settings.cors.credentialed_origins = vec!["https://app.example".parse().expect("a value")];
        })
        .start()
        .await;
    for (page, allowed) in [
        ("https://evil.example", None),
        ("null", None),
        ("https://app.example", Some("https://app.example")),
    ] {
        for target in [EVENTS, "/elsewhere"] {
            let answer = Answer::to(edge.request(Method::GET, target).header("origin", page)).await;
            assert_eq!(answer.header("access-control-allow-origin"), allowed, "{page}");
        }
        let asking = edge
            .request(Method::OPTIONS, EVENTS)
            .header("origin", page)
            .header("access-control-request-method", "GET");
        let answer = Answer::to(asking).await;
        assert_eq!(answer.header("access-control-allow-origin"), allowed, "{page}");
    }
}

#[tokio::test]
async fn t15_a_callback_is_one_more_unknown_name() {
    let origin = calm().await;
    let edge = strict_before(&origin).await;
    for query in ["_jsonp=a", "_jsonp=", "_jsonp=a(b)"] {
        let answer = edge.get(&format!("{EVENTS}?{query}")).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["data"]["status"]),
            (400, &400.into())
        );
    }
    assert!(origin.seen().is_empty());
}
