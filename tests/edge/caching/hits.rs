//! A request that came before is served without the site, and its response shows that.

use super::*;

const EVENT: &str = "/wp-json/calendar/events/v1/events/56";

#[tokio::test]
async fn the_site_is_asked_once() {
    let origin = counting().await;
    let edge = lasting(&origin).await;
    let first = edge.get(EVENT).await;
    assert_eq!(cache_status(&first), "fwd=uri-miss; stored; ttl=3599");
    for _ in 0..5 {
        let again = edge.get(EVENT).await;
        assert_eq!(again.body, first.body);
        assert_eq!(cache_status(&again), "hit; ttl=3599");
        assert_eq!(again.header("age"), Some("0"));
        assert_eq!(again.header("etag"), first.header("etag"));
    }
    assert_eq!(asked(&origin), 1);
}

#[tokio::test]
async fn a_hit_has_the_headers_of_its_answer() {
    let origin = Origin::always(
        Reply::json(200, r#"{"events":[],"rest_url":"x"}"#)
            .header("x-tec-total", "34")
            .header("x-tec-totalpages", "4")
            .header("allow", "GET")
            .header("vary", "Origin")
            .header("expires", "Sun, 01 Jan 2090 00:00:00 GMT"),
    )
    .await;
    let edge = lasting(&origin).await;
    let first = edge.get(EVENTS).await;
    let mut hit = edge.get(EVENTS).await;
    for name in [
        "x-tec-total",
        "x-tec-totalpages",
        "allow",
        "content-type",
        "access-control-allow-origin",
    ] {
        assert!(first.header(name).is_some(), "{name}");
    }
    assert_eq!(hit.header("cache-control"), Some("no-cache"));
    let mut headers = first.headers.clone();
    for name in ["cache-status", "x-request-id", "date"] {
        headers.remove(name);
        hit.headers.remove(name);
    }
    assert_eq!(hit.headers, headers);
}

#[tokio::test]
async fn a_client_that_has_the_answer_gets_304() {
    let origin = counting().await;
    let edge = lasting(&origin).await;
    let tag = edge.get(EVENT).await.header("etag").expect("ETag").to_owned();
    for condition in [tag.as_str(), "*", &format!("\"x\", W/{tag}")] {
        let request = edge
            .request(Method::GET, EVENT)
            .header("if-none-match", condition);
        let answer = Answer::to(request).await;
        assert_eq!((answer.status.as_u16(), answer.body.as_str()), (304, ""));
        assert_eq!(answer.header("etag"), Some(tag.as_str()));
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
        assert_eq!(cache_status(&answer), "hit; ttl=3599");
    }
    let other = edge.request(Method::GET, EVENT).header("if-none-match", "\"x\"");
    assert_eq!(Answer::to(other).await.status, 200);
    // Several fields are one list.
    let several = edge.request(Method::GET, EVENT).header("if-none-match", "\"x\"");
    let several = several.header("if-none-match", &tag);
    assert_eq!(Answer::to(several).await.status, 304);
    assert_eq!(asked(&origin), 1);
}

#[tokio::test]
async fn a_condition_is_met_by_an_answer_that_the_site_just_gave() {
    let origin = Origin::always(numbered(1)).await;
    let tag = {
        let edge = lasting(&origin).await;
        edge.get(EVENT).await.header("etag").expect("ETag").to_owned()
    };
    let edge = lasting(&origin).await;
    let request = edge.request(Method::GET, EVENT).header("if-none-match", &tag);
    let answer = Answer::to(request).await;
    assert_eq!(answer.status, 304);
    assert_eq!(cache_status(&answer), "fwd=uri-miss; stored; ttl=3599");
}

#[tokio::test]
async fn head_is_answered_from_the_entry_of_get_and_fills_it() {
    for methods in [[Method::GET, Method::HEAD], [Method::HEAD, Method::GET]] {
        let origin = counting().await;
        let edge = lasting(&origin).await;
        let mut lengths = Vec::new();
        for method in methods {
            let is_head = method == Method::HEAD;
            let answer = Answer::to(edge.request(method, EVENT)).await;
            assert_eq!(answer.status, 200);
            assert_eq!(answer.body.is_empty(), is_head);
            lengths.push(answer.header("content-length").map(ToOwned::to_owned));
        }
        assert_eq!(lengths[0], lengths[1]);
        assert!(lengths[0].is_some());
        assert_eq!(asked(&origin), 1);
    }
}

#[tokio::test]
async fn clients_may_keep_answers_for_the_configured_time() {
    let origin = counting().await;
    let edge = edge(&origin, |settings| {
        settings.cache.client_max_age = Duration::from_mins(1);
    })
    .await;
    for _ in 0..2 {
        let answer = edge.get(EVENT).await;
        assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
    }
}

#[tokio::test]
async fn an_operation_can_be_switched_off() {
    use calendar_edge_core::settings::OperationSettings;
    use calendar_edge_judge::contract::{Action, Kind, OperationId, Route};

    let origin = counting().await;
    let edge = edge(&origin, |settings| {
        let id = OperationId {
            route: Route::Item(Kind::Event),
            action: Action::Read,
        };
        let off = OperationSettings {
            cache: false,
            ..OperationSettings::default()
        };
        settings.operations.insert(id, off);
    })
    .await;
    for _ in 0..2 {
        assert_eq!(edge.get(EVENT).await.header("cache-status"), None);
    }
    assert_eq!(asked(&origin), 2);
}

#[tokio::test]
async fn what_no_longer_exists_is_kept_for_a_moment() {
    let origin = Origin::always(Reply::json(
        404,
        r#"{"code":"x","message":"y","data":{"status":404}}"#,
    ))
    .await;
    let edge = lasting(&origin).await;
    let first = edge.get(EVENT).await;
    let again = edge.get(EVENT).await;
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (404, 404));
    assert_eq!(cache_status(&again), "hit; ttl=3599");
    assert_eq!(again.header("cache-control"), Some("no-store"));
    assert_eq!(again.header("etag"), None);
    assert_eq!(asked(&origin), 1);
}

#[tokio::test]
async fn addresses_in_answers_are_those_that_the_client_used() {
    let origin = Origin::answering_with(|_, base| {
        let url = format!("{base}/wp-json/tribe/events/v1/events/56").replace('/', "\\/");
        Reply::json(200, &format!(r#"{{"id":56,"rest_url":"{url}"}}"#))
    })
    .await;
    let edge = lasting(&origin).await;
    for host in ["localhost:1", "localhost:2", "127.0.0.1:3"] {
        for _ in 0..2 {
            let request = edge.request(Method::GET, EVENT).header("host", host);
            let answer = Answer::to(request).await;
            let url = answer.json()["rest_url"].as_str().expect("a URL").to_owned();
            assert_eq!(url, format!("http://{host}{EVENT}"));
        }
    }
    assert_eq!(asked(&origin), 3);
}

#[tokio::test]
async fn letters_that_the_plugin_spells_at_random_keep_their_tag() {
    let count = AtomicU64::new(0);
    let origin = Origin::answering(move |_| {
        // The second is longer.
        let spelt = ["&#105;nfo@a.example", "&#105;nf&#111;&#64;a.example"];
        let turn = usize::try_from(count.fetch_add(1, Ordering::SeqCst)).expect("a small number");
        Reply::json(200, &format!(r#"{{"id":15,"email":"{}"}}"#, spelt[turn % 2]))
    })
    .await;
    let edge = edge(&origin, |settings| {
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
    })
    .await;
    let first = edge.get(&format!("{API}/organizers/15")).await;
    let second = edge.get(&format!("{API}/organizers/15")).await;
    assert_eq!(asked(&origin), 2);
    assert_eq!(cache_status(&second), "fwd=stale; stored; ttl=0");
    assert_eq!(first.header("etag"), second.header("etag"));
    assert_eq!(first.body, second.body);
    assert_eq!(
        second.header("content-length"),
        Some(first.body.len().to_string().as_str())
    );
}

#[tokio::test]
async fn a_reference_that_becomes_markup_is_a_change() {
    let count = AtomicU64::new(0);
    let origin = Origin::answering(move |_| {
        let written = ["&#60;b&#62;", "<b>", "&#38;lt;b>", "&lt;b>"];
        let turn = usize::try_from(count.fetch_add(1, Ordering::SeqCst)).expect("a small number");
        Reply::json(
            200,
            &format!(r#"{{"id":15,"description":"{}"}}"#, written[turn % 4]),
        )
    })
    .await;
    let edge = edge(&origin, |settings| {
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
    })
    .await;
    for expected in ["&#60;b&#62;", "<b>", "&#38;lt;b>", "&lt;b>"] {
        let answer = edge.get(&format!("{API}/organizers/15")).await;
        assert_eq!(answer.json()["description"], expected);
    }
}

#[tokio::test]
async fn operators_see_what_is_kept() {
    let origin = counting().await;
    let edge = lasting(&origin).await;
    for _ in 0..4 {
        edge.get(EVENT).await;
    }
    let bypassing = edge.request(Method::GET, EVENT).header("authorization", BASIC);
    let bypassed = Answer::to(bypassing).await;
    assert_eq!(cache_status(&bypassed), "fwd=bypass; detail=authorization");
    let page = edge.admin("/cache").await.json();
    assert_eq!(page["entries"], 1);
    assert_eq!(page["companion"], "unseen");
    assert_eq!(
        page["operations"],
        serde_json::json!([{"operation": "events.read", "lookups": 4, "hits": 3, "bypassed": 1}])
    );
    for (series, expected) in [
        (
            r#"edge_cache_lookups_total{operation="events.read",result="hit"}"#,
            "3",
        ),
        (
            r#"edge_cache_lookups_total{operation="events.read",result="miss"}"#,
            "1",
        ),
        (r#"edge_cache_bypasses_total{reason="authorization"}"#, "1"),
        ("edge_cache_entries", "1"),
        (r#"edge_cache_removals_total{cause="write"}"#, "0"),
        (
            r#"edge_http_requests_total{operation="events.read",root="/wp-json",source="cache",status="200"}"#,
            "3",
        ),
        (
            r#"edge_http_requests_total{operation="events.read",root="/wp-json",source="backend",status="200"}"#,
            "2",
        ),
    ] {
        assert_eq!(edge.metric(series).await.as_deref(), Some(expected), "{series}");
    }
}
