//! Clients above a rate limit get 429 for every request (T-33, T-75).

use std::time::Duration;

use calendar_edge_core::settings::{Profile, Rate, Settings};
use http::Method;

use crate::support::{Answer, EVENTS, Edge, Gate, Origin, Reply, raw_get};

pub(crate) fn rate(requests: u32) -> Rate {
    let period = Duration::from_hours(1);
    Rate { requests, period }
}

async fn edge(origin: &Origin, limits: impl FnOnce(&mut Settings)) -> Edge {
    let builder = Edge::builder().origin(origin).settings(|settings| {
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
        limits(settings);
    });
    builder.start().await
}

fn from(edge: &Edge, client: &str, method: Method, target: &str) -> reqwest::RequestBuilder {
    edge.request(method, target).header("x-forwarded-for", client)
}

fn assert_limited(answer: &Answer) {
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (429, "edge_rate_limited")
    );
    let wait: u64 = answer
        .header("retry-after")
        .expect("a time")
        .parse()
        .expect("seconds");
    assert!((1..=3600).contains(&wait), "{wait}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn t75_each_address_has_budgets_of_its_own() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        settings.rate_limits.address.lists = Some(rate(2));
    })
    .await;
    let list = |client| Answer::to(from(&edge, client, Method::GET, EVENTS));

    let first = list("192.0.2.1").await;
    assert_eq!(first.header("ratelimit"), Some(r#""address-lists";r=1;t=1800"#));
    assert_eq!(
        first.header("ratelimit-policy"),
        Some(r#""address-lists";q=2;w=3600"#)
    );
    assert_eq!(list("192.0.2.1").await.status, 200);
    let third = list("192.0.2.1").await;
    assert_limited(&third);
    assert_eq!(third.header("ratelimit"), Some(r#""address-lists";r=0;t=3600"#));

    assert_eq!(list("192.0.2.2").await.status, 200);
    let item = Answer::to(from(&edge, "192.0.2.1", Method::GET, &format!("{EVENTS}/56"))).await;
    assert_eq!(item.status, 200);
    assert_eq!(item.header("ratelimit"), None);
    assert_eq!(origin.seen().len(), 4);
    let metrics = edge.admin("/metrics").await.body;
    assert!(
        metrics.contains(r#"edge_rate_limited_total{budget="address-lists"} 1"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn t75_refused_requests_are_paid_for_too() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let bad_list = format!("{EVENTS}?per_page=0");
    for (method, target, status) in [
        (Method::GET, bad_list.as_str(), 400),
        (Method::GET, "/wp-json/wp/v2/users", 404),
        (Method::GET, "/elsewhere", 404),
        (Method::DELETE, "/elsewhere", 404),
        (Method::POST, EVENTS, 400),
        (Method::OPTIONS, EVENTS, 200),
    ] {
        let edge = edge(&origin, |settings| {
            let rates = &mut settings.rate_limits.address;
            (rates.lists, rates.items, rates.writes) = (Some(rate(1)), Some(rate(1)), Some(rate(1)));
        })
        .await;
        let ask = || Answer::to(from(&edge, "192.0.2.1", method.clone(), target));
        assert_eq!(ask().await.status, status, "{method} {target}");
        assert_limited(&ask().await);
    }
}

#[tokio::test]
async fn t75_preflights_are_free() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        settings.rate_limits.address.items = Some(rate(1));
    })
    .await;
    for _ in 0..3 {
        let preflight = edge
            .request(Method::OPTIONS, EVENTS)
            .header("origin", "https://app.example.org")
            .header("access-control-request-method", "GET");
        assert_eq!(Answer::to(preflight).await.status, 204);
    }
}

#[tokio::test]
async fn t75_a_body_is_not_waited_for() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        settings.rate_limits.address.writes = Some(rate(1));
    })
    .await;
    let head = format!("POST {EVENTS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n");
    let mut client = edge.raw().await;
    assert_eq!(
        client.send(format!("{head}{{}}")).await.answer().await.status,
        400
    );

    let second = client.send(head).await.answer().await;

    assert_eq!((second.status, second.header("connection")), (429, Some("close")));
}

#[tokio::test]
async fn t75_credentials_have_budgets_of_their_own() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        settings.rate_limits.credentials.items = Some(rate(1));
    })
    .await;
    let target = format!("{EVENTS}/56");
    let read = |client, credentials: &'static str| {
        let request = from(&edge, client, Method::GET, &target);
        Answer::to(request.header("authorization", credentials))
    };
    assert_eq!(read("192.0.2.1", "Basic YTpi").await.status, 200);
    assert_limited(&read("192.0.2.2", "Basic YTpi").await);
    assert_limited(&read("192.0.2.1", "Basic YTpj").await);
    assert_eq!(read("192.0.2.1", "Basic Yjpi").await.status, 200);
}

/// Ways to send the name `alice` and a password: each is the account's, or is refused. The last of those with an
/// Authorization are `álice`, `alice` in wide letters, with a percent-encoded byte, with tags, with an entity and with
/// a blank of no width.
const SPELLINGS: [(&str, &str); 20] = [
    ("authorization", "Basic YWxpY2U6eA=="),
    ("authorization", "basic YWxpY2U6eQ=="),
    ("authorization", "Basic QUxJQ0U6eA=="),
    ("authorization", "Basic YWxpY2UgOng="),
    ("authorization", "Basic  YWxpY2U6eA=="),
    ("authorization", "Basic YWxpY2U6eA"),
    ("authorization", "Basic YWxp*Y2U6eA=="),
    ("authorization", "Basic YWxpY2U6eB=="),
    ("authorization", "Basic\tYWxpY2U6eA=="),
    ("authorization", "Basic w6FsaWNlOng="),
    ("authorization", "Basic 772B772M772J772D772FOng="),
    ("authorization", "Basic YWwlMDBpY2U6eA=="),
    ("authorization", "Basic PGI+YWxpY2U8L2I+Ong="),
    ("authorization", "Basic YWwmYW1wO2ljZTp4"),
    ("authorization", "Basic YWzigItpY2U6eA=="),
    ("cookie", "wordpress_logged_in_1=alice%7C1%7Cx%7Cy"),
    ("cookie", "wordpress_logged_in_2=%61lice|2|x|y"),
    ("cookie", "wordpress_sec_1=ALICE%7C2%7Cx%7Cy; a=b"),
    ("cookie", "wordpress_logged_in_1=bob; wordpress_logged_in_2=alice"),
    (
        "cookie",
        "wordpress_logged_in_2=alice; wordpress_logged_in_1=carol",
    ),
];

#[tokio::test]
async fn t33_no_spelling_of_an_account_has_a_budget_of_its_own() {
    let origin = Origin::always(Reply::json(
        401,
        r#"{"code":"incorrect_password","message":"No."}"#,
    ))
    .await;
    let settings: [fn(&mut Settings); 2] = [
        |settings| settings.rate_limits.failed_logins = Some(rate(1)),
        |settings| settings.rate_limits.credentials.items = Some(rate(1)),
    ];
    for settings in settings {
        let edge = edge(&origin, settings).await;
        let target = format!("{EVENTS}/56");
        for (index, (name, value)) in SPELLINGS.into_iter().enumerate() {
            let client = format!("192.0.2.{index}");
            let request = from(&edge, &client, Method::GET, &target).header(name, value);
            let status = Answer::to(request).await.status.as_u16();
            let expected: &[u16] = if index == 0 { &[401] } else { &[400, 429] };
            assert!(expected.contains(&status), "{name}: {value}: {status}");
        }
        assert_eq!(origin.take_seen().len(), 1);
    }
}

#[tokio::test]
async fn t33_names_that_may_be_equal_share_a_budget() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        settings.rate_limits.credentials.items = Some(rate(1));
    })
    .await;
    let read = |credentials: &'static str| {
        let request = from(&edge, "192.0.2.1", Method::GET, &format!("{EVENTS}/56"));
        Answer::to(request.header("authorization", credentials))
    };
    // `álice:x`, and `alice` in wide letters.
    assert_eq!(read("Basic w6FsaWNlOng=").await.status, 200);
    assert_limited(&read("Basic 772B772M772J772D772FOng=").await);
}

#[tokio::test]
async fn t33_basic_that_is_read_in_two_ways_is_refused_where_names_count() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let read = |edge: &Edge| {
        let request = from(edge, "192.0.2.1", Method::GET, &format!("{EVENTS}/56"));
        Answer::to(request.header("authorization", "Basic YT*pi"))
    };
    let by_name = edge(&origin, |settings| settings.writers = vec!["a".to_owned()]).await;
    let refused = read(&by_name).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code().as_str()),
        (400, "edge_bad_authorization")
    );
    assert_eq!(read(&edge(&origin, |_| {}).await).await.status, 200);
}

#[tokio::test]
async fn t33_guesses_at_the_same_time_are_counted() {
    let gate = Gate::closed();
    let reply = Reply::json(401, r#"{"code":"incorrect_password","message":"No."}"#);
    let origin = Origin::always(reply.behind(&gate)).await;
    let edge = edge(&origin, |settings| {
        settings.rate_limits.failed_logins = Some(rate(3));
    })
    .await;
    let mut guesses = tokio::task::JoinSet::new();
    for index in 0..40 {
        let client = format!("192.0.2.{index}");
        let request = from(&edge, &client, Method::GET, &format!("{EVENTS}/56"));
        guesses.spawn(Answer::to(request.basic_auth("alice", Some(index.to_string()))));
    }
    for _ in 0..37 {
        let answer = guesses.join_next().await.expect("a guess").expect("an answer");
        assert_limited(&answer);
    }
    gate.open();
    for answer in guesses.join_all().await {
        assert_eq!(answer.status, 401);
    }
    assert_eq!(origin.seen().len(), 3);
}

#[tokio::test]
async fn t75_credentials_that_are_not_accepted_are_counted() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        settings.rate_limits.credentials.items = Some(rate(1));
    })
    .await;
    let target = format!("{EVENTS}/56");
    let twice = |client| {
        let request = from(&edge, client, Method::GET, &target);
        let request = request.header("authorization", "Basic YTpi");
        Answer::to(request.header("authorization", "Basic YTpi"))
    };
    let first = twice("192.0.2.1").await;
    assert_eq!(
        (first.status.as_u16(), first.code().as_str()),
        (400, "edge_bad_authorization")
    );
    assert_limited(&twice("192.0.2.2").await);
}

#[tokio::test]
async fn t20_strict_cookies_and_nonces_have_no_budget() {
    const BAD: &str = "Basic YWxpY2U6YmFk";
    let origin = Origin::answering(|seen| match seen.header("authorization") {
        Some(_) => Reply::json(401, r#"{"code":"incorrect_password","message":"No."}"#),
        None => Reply::json(200, "{}"),
    })
    .await;
    let edge = edge(&origin, |settings| {
        settings.profile = Profile::Strict;
        settings.rate_limits.credentials.items = Some(rate(1));
        settings.rate_limits.failed_logins = Some(rate(1));
    })
    .await;
    let target = format!("{EVENTS}/56");
    let with_cookie = || {
        let request = from(&edge, "192.0.2.1", Method::GET, &target);
        let request = request.header("cookie", "wordpress_logged_in_1=alice%7C1%7Cx%7Cy");
        Answer::to(request.header("x-wp-nonce", "n"))
    };
    for _ in 0..3 {
        let answer = with_cookie().await;
        assert_eq!((answer.status.as_u16(), answer.header("ratelimit")), (200, None));
    }

    // The address fails to log in; the cookie is still not a login that has to wait.
    let bad = from(&edge, "192.0.2.1", Method::GET, &target).header("authorization", BAD);
    assert_eq!(Answer::to(bad).await.status, 401);
    assert_eq!(with_cookie().await.status, 200);
    let again = from(&edge, "192.0.2.1", Method::GET, &target).header("authorization", BAD);
    assert_limited(&Answer::to(again).await);
}

#[tokio::test]
async fn t33_failed_logins_are_slowed() {
    const REFUSED: &str = r#"{"code":"incorrect_password","message":"No.","data":{"status":401}}"#;
    let origin = Origin::answering(|seen| {
        let enveloped = format!(r#"{{"body":{REFUSED},"status":401,"headers":{{}}}}"#);
        match seen.header("authorization") {
            Some("Basic YWxpY2U6Z29vZA==") | None => Reply::json(200, "{}"),
            _ if seen.target.contains("_envelope") => Reply::json(200, &enveloped),
            _ => Reply::json(401, REFUSED),
        }
    })
    .await;
    let edge = edge(&origin, |settings| {
        settings.rate_limits.failed_logins = Some(rate(2));
    })
    .await;
    let read = |client, query: &str, credentials: &'static str| {
        let request = from(&edge, client, Method::GET, &format!("{EVENTS}/56{query}"));
        Answer::to(request.header("authorization", credentials))
    };
    let (good, bad) = ("Basic YWxpY2U6Z29vZA==", "Basic YWxpY2U6YmFk");
    for _ in 0..5 {
        assert_eq!(read("192.0.2.1", "", good).await.status, 200);
    }
    assert_eq!(read("192.0.2.3", "", bad).await.status, 401);
    assert_eq!(read("192.0.2.3", "?_envelope=1", bad).await.status, 200);

    // The address and the account are stopped; without credentials everything is as before.
    assert_limited(&read("192.0.2.3", "", "Bearer other").await);
    assert_limited(&read("192.0.2.2", "", "Basic YWxpY2U6b3RoZXI=").await);
    // The site has accepted these credentials (T-102).
    assert_eq!(read("192.0.2.2", "", good).await.status, 200);
    assert_eq!(read("192.0.2.2", "", "Bearer other").await.status, 401);
    let anonymous = from(&edge, "192.0.2.3", Method::GET, &format!("{EVENTS}/56"));
    assert_eq!(Answer::to(anonymous).await.status, 200);
}

#[tokio::test]
async fn t75_an_address_holds_so_many_connections() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.limits.connections_per_address = 2)
        .start()
        .await;
    let request = raw_get(EVENTS);
    let (mut first, mut second) = (edge.raw().await, edge.raw().await);
    assert_eq!(first.send(&request).await.answer().await.status, 200);
    assert_eq!(second.send(&request).await.answer().await.status, 200);

    assert!(edge.raw().await.send(&request).await.rest().await.is_empty());

    assert_eq!(second.send(&request).await.answer().await.status, 200);
    drop(first);
    let last = format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    // The edge notices that the first one left when its system reports it.
    let served = async { while edge.raw().await.send(&last).await.rest().await.is_empty() {} };
    tokio::time::timeout(Duration::from_secs(5), served)
        .await
        .expect("a free place");
}
