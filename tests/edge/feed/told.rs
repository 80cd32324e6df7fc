//! The pages of a reader: changes, records that are gone, nothing that was never public, and the demand to read all.

use std::time::{Duration, Instant};

use calendar_edge_core::settings::{MarkKey, OtherTraffic};
use calendar_edge_judge::contract::{Action, Kind, OperationId, Route};
use http::header::{ETAG, IF_NONE_MATCH};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::feed_site::{FEED, FeedScene, FeedSite, Status, edge, next, tell, told};
use crate::facts::FACTS;
use crate::support::{Answer, Edge, Origin, Reply};

#[tokio::test]
async fn a_reader_hears_what_changed_and_what_is_gone() {
    let ids: Vec<String> = (50..56).map(|id| format!("events/{id}")).collect();
    let records: Vec<&str> = ids.iter().map(String::as_str).collect();
    let scene = FeedScene::of(&records).await;
    let token = scene.token().await;
    scene.read_all().await;
    assert_eq!(scene.told(&token).await, Vec::<String>::new());
    for (id, status) in [
        (50, Status::Published),
        (51, Status::Trashed),
        (52, Status::Deleted),
        (53, Status::Draft),
        (54, Status::Private),
        (55, Status::Protected),
        (56, Status::Published),
    ] {
        scene.change(&format!("events/{id}"), status).await;
    }
    let answer = scene.feed(&format!("since={token}")).await;
    let expected = [
        "changed event:50",
        "gone event:51",
        "gone event:52",
        "gone event:53",
        "gone event:54",
        "gone event:55",
        "changed event:56",
    ];
    assert_eq!(
        (told(&answer), &answer["complete"]),
        (expected.map(str::to_owned).to_vec(), &json!(true))
    );
    let first =
        json!({"n": 11, "kind": "event", "id": 50, "what": "changed", "modified_utc": "2027-03-01 10:00:00"});
    assert_eq!(answer["changes"][0], first);
    assert!(scene.told(&next(&answer)).await.is_empty());
    // Once more since the first token: it costs no read from the site.
    let reads = scene.site.reads();
    assert_eq!(scene.told(&token).await, expected);
    assert_eq!(scene.site.reads(), reads);
}

#[tokio::test]
async fn several_changes_of_a_record_are_one_and_cost_one_question() {
    let scene = FeedScene::of(&["events/50", "events/51"]).await;
    let token = scene.token().await;
    let reads = scene.site.reads();
    for _ in 0..20 {
        scene.change("events/50", Status::Published).await;
    }
    scene.change("events/51", Status::Published).await;
    assert_eq!(scene.told(&token).await, ["changed event:50", "changed event:51"]);
    assert_eq!(scene.site.reads() - reads, 2);
}

#[tokio::test]
async fn nothing_of_a_draft_is_told() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    scene.read_all().await;
    // Unknown if it was shown before: readers read all, and its number is not in the page.
    scene.change("events/77", Status::Draft).await;
    let answer = scene.feed(&format!("since={token}")).await;
    assert_eq!((told(&answer), &answer["complete"]), (vec![], &json!(false)));
    let token = next(&answer);
    for status in [Status::Draft, Status::Private, Status::Trashed, Status::Deleted] {
        scene.change("events/77", status).await;
        assert_eq!(scene.told(&token).await, Vec::<String>::new(), "{status:?}");
    }
    scene.change("events/77", Status::Published).await;
    assert_eq!(scene.told(&token).await, ["changed event:77"]);
    scene.change("events/77", Status::Draft).await;
    assert_eq!(scene.told(&token).await, ["gone event:77"]);
}

#[tokio::test]
async fn changes_that_name_no_record_and_lost_ones_are_a_gap() {
    let scene = FeedScene::of(&["events/50"]).await;
    let mut token = scene.token().await;
    let gap = async |token: &str| {
        let answer = scene.feed(&format!("since={token}&wait=5")).await;
        assert_eq!(
            (told(&answer), &answer["complete"]),
            (vec![], &json!(false)),
            "{answer}"
        );
        next(&answer)
    };
    tell(
        &scene.edge,
        &json!({"all": true, "changes": [scene.site.count()]}),
    )
    .await;
    token = gap(&token).await;
    tell(
        &scene.edge,
        &json!({"tags": ["events"], "changes": [scene.site.count()]}),
    )
    .await;
    token = gap(&token).await;
    // An operator knows of a change that the site did not count.
    let purge = scene.edge.admin_base() + "/purge";
    Answer::to(Edge::client().post(purge).body(r#"{"all":true}"#)).await;
    token = gap(&token).await;
    // A message that is lost shows in the site's number.
    scene.site.count();
    token = gap(&token).await;
    // A new image is shown by no record that is not named.
    tell(
        &scene.edge,
        &json!({"tags": ["image:9"], "changes": [scene.site.count()]}),
    )
    .await;
    assert!(scene.told(&token).await.is_empty());
}

#[tokio::test]
async fn a_message_that_overtakes_another_is_told_behind_it() {
    let scene = FeedScene::with(&["events/50", "events/51"], |settings| {
        settings.cache.reconcile = Duration::from_mins(1);
    })
    .await;
    let token = scene.token().await;
    let (first, second) = (scene.site.count(), scene.site.count());
    tell(&scene.edge, &json!({"tags": ["event:51"], "changes": [second]})).await;
    // The reader gets nothing before the edge has the one before it.
    let late = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        tell(&scene.edge, &json!({"tags": ["event:50"], "changes": [first]})).await;
        Instant::now()
    };
    let told = async { (scene.told(&token).await, Instant::now()) };
    let ((told, told_at), late_at) = tokio::join!(told, late);
    assert_eq!(told, ["changed event:50", "changed event:51"]);
    assert!(told_at > late_at);
}

#[tokio::test]
async fn kinds_filter_and_records_come_with_their_changes() {
    let scene = FeedScene::of(&["events/50", "venues/7"]).await;
    let token = scene.token().await;
    scene.change("events/50", Status::Published).await;
    scene.change("venues/7", Status::Published).await;
    for (kinds, expected) in [
        ("venues", vec!["changed venue:7"]),
        ("events,tag", vec!["changed event:50"]),
        ("tags", vec![]),
        ("", vec!["changed event:50", "changed venue:7"]),
    ] {
        let answer = scene.feed(&format!("since={token}&kinds={kinds}")).await;
        assert_eq!(told(&answer), expected, "{kinds}");
    }
    let reads = scene.site.reads();
    let answer = scene
        .feed(&format!("since={token}&include=records&kinds=events"))
        .await;
    assert_eq!(answer["changes"][0]["record"]["title"], "Jazz");
    let again = scene
        .feed(&format!("since={token}&include=records&kinds=events"))
        .await;
    assert_eq!(again, answer);
    assert!(
        scene.site.reads() - reads <= 1,
        "the second answer has a stored response"
    );
    for namespace in ["tribe/events/v1", "calendar/events/v1"] {
        let query = format!("since={token}&include=records&kinds=events&namespace={namespace}");
        let url = scene.feed(&query).await["changes"][0]["record"]["rest_url"].clone();
        let expected = format!("/wp-json/{namespace}/events/50");
        assert!(url.as_str().is_some_and(|url| url.ends_with(&expected)), "{url}");
    }
}

#[tokio::test]
async fn polling_without_a_change_is_not_modified() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    let target = format!("{FEED}?since={token}");
    let first = scene.edge.get(&target).await;
    let tag = first.headers[ETAG].clone();
    assert_eq!(first.header("cache-control"), Some("no-cache"));
    assert_eq!(first.header("access-control-allow-origin"), Some("*"));
    let ask = || {
        Answer::to(
            scene
                .edge
                .request(Method::GET, &target)
                .header(IF_NONE_MATCH, &tag),
        )
    };
    let again = ask().await;
    assert_eq!(
        (again.status, again.body.as_str()),
        (StatusCode::NOT_MODIFIED, "")
    );
    scene.change("events/50", Status::Published).await;
    assert_eq!(ask().await.status, StatusCode::OK);
    let head = Answer::to(scene.edge.request(Method::HEAD, &target)).await;
    assert_eq!((head.status, head.body.as_str()), (StatusCode::OK, ""));
}

#[tokio::test]
async fn other_texts_are_refused_and_tokens_of_other_logs_are_not_complete() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    let mut forged = token.clone().into_bytes();
    forged[30] = if forged[30] == b'A' { b'B' } else { b'A' };
    let forged = String::from_utf8(forged).expect("ASCII");
    for (query, name) in [
        ("since=812".to_owned(), "since"),
        (format!("since={forged}"), "since"),
        ("kinds=parties".to_owned(), "kinds"),
        (format!("since={token}&wait=long"), "wait"),
    ] {
        let answer = scene.edge.get(&format!("{FEED}?{query}")).await;
        assert_eq!(
            (answer.status, answer.code()),
            (StatusCode::BAD_REQUEST, "rest_invalid_param".to_owned())
        );
        assert!(
            answer.json()["data"]["params"][name].is_string(),
            "{}",
            answer.body
        );
    }
    let long = scene
        .edge
        .get(&format!("{FEED}?since={}", "A".repeat(2000)))
        .await;
    assert_eq!(long.code(), "edge_target_too_long");
    let other = edge(&scene.origin, |settings| {
        settings.origin.mark_key = MarkKey::new(b"another secret with 32 characters").ok();
    })
    .await;
    let answer = other.get(&format!("{FEED}?since={token}")).await.json();
    assert_eq!(answer["complete"], false, "{answer}");
}

#[tokio::test]
async fn tokens_hold_at_every_edge_that_hears_the_same_site() {
    let scene = FeedScene::of(&["events/50"]).await;
    let other = edge(&scene.origin, |_| {}).await;
    other.get(FEED).await;
    let token = scene.token().await;
    let message = json!({"tags": ["event:50"], "changes": [scene.site.count()]});
    // One that receives it later does not yet know the token of the other.
    tell(&scene.edge, &message).await;
    let ahead = next(&scene.feed(&format!("since={token}")).await);
    let of_other = async |token: &str| -> Value { other.get(&format!("{FEED}?since={token}")).await.json() };
    let answer = of_other(&ahead).await;
    assert_eq!(
        (told(&answer), next(&answer), &answer["complete"]),
        (vec![], ahead.clone(), &json!(true))
    );
    tell(&other, &message).await;
    assert_eq!(told(&of_other(&token).await), ["changed event:50"]);
    assert!(told(&of_other(&ahead).await).is_empty());
}

#[tokio::test]
async fn a_firewall_that_refuses_a_read_does_not_make_a_record_gone() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    scene.read_all().await;
    scene.change("events/50", Status::Blocked).await;
    assert!(scene.told(&token).await.is_empty());
    scene.site.set("events/50", Status::Published);
    let answer = scene.feed(&format!("since={token}&wait=20")).await;
    assert_eq!(told(&answer), ["changed event:50"]);
}

#[tokio::test]
async fn records_whose_read_is_switched_off_are_not_told_one_by_one() {
    let read = OperationId {
        route: Route::Item(Kind::Event),
        action: Action::Read,
    };
    let scene = FeedScene::with(&["events/50"], |settings| {
        settings.operations.entry(read).or_default().allow = false;
    })
    .await;
    let token = scene.token().await;
    scene.read_all().await;
    scene.change("events/50", Status::Published).await;
    let answer = scene.feed(&format!("since={token}&wait=5")).await;
    assert_eq!((told(&answer), &answer["complete"]), (vec![], &json!(false)));
}

#[tokio::test]
async fn a_site_that_fails_delays_what_is_told_and_loses_nothing() {
    let scene = FeedScene::of(&["events/50", "events/51"]).await;
    let token = scene.token().await;
    scene.change("events/50", Status::Broken).await;
    scene.change("events/51", Status::Published).await;
    let begun = Instant::now();
    assert!(
        scene.told(&token).await.is_empty(),
        "what became of the first is not known"
    );
    assert!(begun.elapsed() < Duration::from_secs(8));
    scene.site.set("events/50", Status::Published);
    let answer = scene.feed(&format!("since={token}&wait=20")).await;
    assert_eq!(told(&answer), ["changed event:50", "changed event:51"]);
}

#[tokio::test]
async fn a_feed_that_is_off_or_has_no_companion_says_why() {
    let off = FeedScene::with(&[], |settings| settings.feed.enabled = false).await;
    let answer = off.edge.get(FEED).await;
    assert_eq!(
        (answer.status, answer.code()),
        (StatusCode::NOT_FOUND, "edge_feed_off".to_owned())
    );
    let site = FeedSite::counting(0);
    let origin = site.start().await;
    let unheard = edge(&origin, |_| {}).await;
    let without_secret = edge(&origin, |settings| settings.origin.mark_key = None).await;
    for edge in [unheard, without_secret] {
        let answer = edge.get(FEED).await;
        assert_eq!(answer.status, StatusCode::NOT_IMPLEMENTED, "{}", answer.body);
        assert_eq!(answer.code(), "edge_feed_unavailable");
        assert_eq!(answer.json()["data"]["status"], 501);
        let stream = edge
            .request(Method::GET, FEED)
            .header("accept", "text/event-stream");
        assert_eq!(Answer::to(stream).await.status, StatusCode::NOT_IMPLEMENTED);
    }
}

#[tokio::test]
async fn a_browser_learns_that_a_page_may_ask() {
    let scene = FeedScene::with(&[], |settings| settings.other = OtherTraffic::Forward).await;
    let asked = scene
        .edge
        .request(Method::OPTIONS, FEED)
        .header("origin", "https://any.example")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "last-event-id");
    let answer = Answer::to(asked).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let names = answer.header("access-control-allow-headers").expect("names");
    assert!(
        names.contains("Last-Event-ID") && names.contains("If-None-Match"),
        "{names}"
    );
}

#[tokio::test]
async fn the_plugins_own_route_stays_between_edge_and_site() {
    let scene = FeedScene::with(&["events/50"], |settings| settings.other = OtherTraffic::Forward).await;
    scene.token().await;
    for seen in scene.origin.take_seen() {
        let is_question = [FEED, FACTS].iter().any(|path| seen.target.starts_with(path));
        assert_eq!(
            is_question,
            seen.header("x-calendar-edge-mark").is_some(),
            "{}",
            seen.target
        );
    }
    // Other methods and other paths lead where they led before.
    let pages = Origin::always(Reply::of_type(200, "text/html", "a page")).await;
    let edge = Edge::builder()
        .origin(&pages)
        .settings(|settings| settings.other = OtherTraffic::Forward);
    let edge = edge.start().await;
    Answer::to(edge.request(Method::POST, FEED)).await;
    edge.get("/wp-json/calendar-edge/v1").await;
    assert_eq!(pages.seen().len(), 2);
}
