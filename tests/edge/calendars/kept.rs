//! A calendar is stored like any response: subscribers cost the site nothing between edits.

use super::*;
use crate::support::Gate;

#[tokio::test]
async fn subscribers_are_answered_without_the_site() {
    let origin = Calendar::of(120).site().await;
    let edge = lasting(&origin).await;
    let first = edge.get(FILE).await;
    let tag = first.header("etag").expect("ETag").to_owned();
    for _ in 0..20 {
        let again = edge.get(FILE).await;
        assert_eq!(
            (&again.body, again.header("etag")),
            (&first.body, Some(tag.as_str()))
        );
        let known = edge.request(Method::GET, FILE).header("if-none-match", &tag);
        let known = Answer::to(known).await;
        assert_eq!((known.status.as_u16(), known.body.as_str()), (304, ""));
        assert_eq!(known.header("etag"), Some(tag.as_str()));
    }
    assert_eq!(asked(&origin), 3);
    // The file and the list with `Accept` are one response; JSON is another, with another tag.
    assert_eq!(
        accepting(&edge, LIST, "text/calendar").await.header("etag"),
        Some(tag.as_str())
    );
    assert_eq!(asked(&origin), 3);
    let json = edge.get(LIST).await;
    assert_ne!(json.header("etag"), Some(tag.as_str()));
}

#[tokio::test]
async fn a_condition_never_empties_a_page() {
    let origin = Calendar::of(60).site().await;
    let edge = lasting(&origin).await;
    // The page is stored, and the client has any response.
    edge.get(&format!("{LIST}?per_page=50")).await;
    let any = Answer::to(edge.request(Method::GET, FILE).header("if-none-match", "*")).await;
    assert_eq!(any.status, 304);
    assert_eq!(events_in(&edge.get(FILE).await), 60);
}

#[tokio::test]
async fn head_and_compression_are_those_of_a_kept_answer() {
    let origin = Calendar::of(60).site().await;
    let edge = lasting(&origin).await;
    let head = Answer::to(edge.request(Method::HEAD, FILE)).await;
    let get = edge.get(FILE).await;
    assert_eq!((head.status.as_u16(), head.body.as_str()), (200, ""));
    for name in ["etag", "content-type", "content-length"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    let packed = edge.request(Method::GET, FILE).header("accept-encoding", "gzip");
    let packed = Answer::to(packed.header("origin", "https://app.example"));
    let packed = packed.await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert_eq!(packed.header("access-control-allow-origin"), Some("*"));
    assert_eq!(asked(&origin), 2);
}

#[tokio::test]
async fn an_edit_through_the_edge_is_in_the_next_calendar() {
    let calendar = Calendar::of(60);
    let origin = calendar.site().await;
    let edge = lasting(&origin).await;
    let before = edge.get(FILE).await;
    calendar.edit();
    assert_eq!(edge.get(FILE).await.body, before.body);
    let write = edge.request(Method::PATCH, &format!("{API}/events/57"));
    let write = write
        .header("authorization", "Basic YTpi")
        .header("content-type", "application/json");
    assert_eq!(Answer::to(write.body(r#"{"title":"x"}"#)).await.status, 200);
    let after = edge.get(FILE).await;
    assert_ne!(after.header("etag"), before.header("etag"));
    assert!(after.body.contains("SUMMARY:Event 57 & 2\r\n"));
}

#[tokio::test]
async fn a_calendar_without_changes_keeps_its_tag() {
    let origin = Calendar::of(60).site().await;
    let edge = edge(&origin, |settings| {
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
    })
    .await;
    let first = edge.get(FILE).await;
    let again = edge.get(FILE).await;
    assert_eq!(asked(&origin), 4);
    assert_eq!(first.header("etag"), again.header("etag"));
}

#[tokio::test]
async fn while_the_site_is_down_subscribers_notice_nothing() {
    let origin = Calendar::of(60).site().await;
    let edge = edge(&origin, |settings| {
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
    })
    .await;
    let first = edge.get(FILE).await;
    let tag = first.header("etag").expect("ETag").to_owned();
    origin.kill().await;
    for _ in 0..10 {
        assert_eq!(edge.get(FILE).await.body, first.body);
        let known = edge.request(Method::GET, FILE).header("if-none-match", &tag);
        assert_eq!(Answer::to(known).await.status, 304);
    }
    assert!(
        edge.get(&format!("{FILE}?categories=4"))
            .await
            .status
            .is_server_error()
    );
}

#[tokio::test]
async fn subscribers_that_come_together_are_one_to_the_site() {
    let calendar = Calendar::of(60);
    let gate = Gate::closed();
    let closed = gate.clone();
    let origin = Origin::answering(move |seen| calendar.answer(seen).behind(&closed)).await;
    let edge = Arc::new(lasting(&origin).await);
    let clients: Vec<_> = (0..20)
        .map(|_| {
            let edge = Arc::clone(&edge);
            tokio::spawn(async move { events_in(&edge.get(FILE).await) })
        })
        .collect();
    gate.reached_by(1).await;
    gate.open();
    for client in clients {
        assert_eq!(client.await.expect("an answer"), 60);
    }
    assert_eq!(asked(&origin), 2);
}

#[tokio::test]
async fn without_a_cache_every_calendar_is_read_anew() {
    let origin = Calendar::of(60).site().await;
    let edge = edge(&origin, |settings| settings.cache.enabled = false).await;
    for _ in 0..2 {
        assert_eq!(events_in(&edge.get(FILE).await), 60);
    }
    assert_eq!(asked(&origin), 4);
    assert_eq!(Answer::to(edge.request(Method::HEAD, FILE)).await.status, 200);
}
