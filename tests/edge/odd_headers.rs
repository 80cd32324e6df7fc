//! Valid but unusual headers of either side have no effect (T-26, T-42, T-82).

use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

const PAGE: &str = r#"{"events":[],"total":0}"#;

#[tokio::test]
async fn t26_ranges_and_conditions_change_nothing() {
    let origin = Origin::always(Reply::json(200, PAGE)).await;
    let edge = Edge::before(&origin).await;
    let asked = [
        ("range", "bytes=0-1"),
        ("range", "bytes=-1"),
        ("if-range", "\"x\""),
        ("if-match", "\"x\""),
        ("if-none-match", "*"),
        ("if-modified-since", "Fri, 31 Dec 9999 23:59:59 GMT"),
        ("if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("accept", "text/html;q=1, */*;q=0"),
        ("accept-encoding", "br;q=1, identity;q=0"),
        ("accept-charset", "utf-16"),
        ("cache-control", "only-if-cached, max-age=0"),
        ("te", "trailers, deflate;q=0.5"),
        ("max-forwards", "0"),
        ("via", "1.0 fred"),
    ];
    for (name, value) in asked {
        let request = edge.request(Method::GET, EVENTS).header(name, value);
        let answer = Answer::to(request).await;
        assert_eq!(
            (answer.status.as_u16(), answer.body.as_str()),
            (200, PAGE),
            "{name}"
        );
        let seen = origin.take_seen().pop().expect("the call was forwarded");
        assert_ne!(seen.header(name), Some(value), "{name}");
    }
}

#[tokio::test]
async fn t82_odd_times_of_the_origin_do_no_harm() {
    let times = [
        ("date", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("date", "Fri, 31 Dec 9999 23:59:59 GMT"),
        ("date", "yesterday"),
        ("age", "99999999999999999999"),
        ("age", "-1"),
        ("expires", "0"),
        ("expires", "Sun, 06 Nov 1994 25:61:61 GMT"),
        ("cache-control", "max-age=99999999999999999999"),
        ("cache-control", "max-age=-5, max-age=x, s-maxage="),
        ("last-modified", "Mon, 30 Feb 2099 00:00:00 GMT"),
        ("retry-after", "99999999999999999999"),
        ("keep-alive", "timeout=99999999999999999999, max=-1"),
    ];
    for (name, value) in times {
        let origin = Origin::always(Reply::json(200, PAGE).header(name, value)).await;
        let edge = Edge::before(&origin).await;
        for _ in 0..2 {
            let answer = edge.get(EVENTS).await;
            assert_eq!(
                (answer.status.as_u16(), answer.body.as_str()),
                (200, PAGE),
                "{name}: {value}"
            );
        }
        assert_eq!(origin.seen().len(), 2, "{name}: {value}");
    }
}

#[tokio::test]
async fn t42_what_one_client_gets_is_for_nobody_else() {
    let reply = Reply::json(200, PAGE)
        .header("set-cookie", "a=1")
        .header("cache-control", "public, max-age=60");
    let origin = Origin::always(reply).await;
    let edge = Edge::before(&origin).await;
    let cases = [
        ("", ("accept", "*/*"), "public, max-age=60"),
        ("", ("authorization", "Basic YTpi"), "private, no-store"),
        ("", ("cookie", "wordpress_logged_in_5f=x"), "private, no-store"),
        ("", ("cookie", "wp-postpass_5f=x"), "private, no-store"),
        ("", ("x-wp-nonce", "x"), "private, no-store"),
        ("?password=x", ("accept", "*/*"), "private, no-store"),
    ];
    for (query, (name, value), caching) in cases {
        let request = edge.request(Method::GET, &format!("{EVENTS}{query}"));
        let answer = Answer::to(request.header(name, value)).await;
        assert_eq!(answer.status, 200, "{name} {query}");
        assert_eq!(answer.header("cache-control"), Some(caching), "{name} {query}");
        assert_eq!(answer.header("set-cookie"), None, "{name} {query}");
    }
}
