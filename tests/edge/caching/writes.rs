//! A writer reads his own write.

use super::super::support::Gate;
use super::*;

/// A site whose every response has the number of writes that it has seen.
async fn site() -> Origin {
    let writes = AtomicU64::new(0);
    Origin::answering(move |seen| {
        if !is_calendar(seen) {
            return Reply::json(404, "{}");
        }
        if seen.method != Method::GET {
            writes.fetch_add(1, Ordering::SeqCst);
        }
        body_of(&seen.target, writes.load(Ordering::SeqCst))
    })
    .await
}

/// A response with records as the plugin gives them.
fn body_of(target: &str, number: u64) -> Reply {
    let path = target.split('?').next().unwrap_or_default();
    let route = path.split("/v1/").nth(1).unwrap_or_default();
    let category = format!(r#"{{"id":4,"count":{number}}}"#);
    let venue = format!(r#"{{"id":7,"venue":"{number}"}}"#);
    let event = format!(r#"{{"id":56,"title":"{number}","venue":{venue},"categories":[{category}]}}"#);
    let body = match route {
        "events" => format!(r#"{{"events":[{event}],"total":{number}}}"#),
        "venues" => format!(r#"{{"venues":[{venue}],"total":{number}}}"#),
        "organizers" => format!(r#"{{"organizers":[],"total":{number}}}"#),
        "categories" => format!(r#"{{"categories":[{category}],"total":{number}}}"#),
        "venues/7" => venue,
        "venues/8" => format!(r#"{{"id":8,"venue":"{number}"}}"#),
        "categories/4" => category,
        _ => event,
    };
    Reply::json(200, &body)
}

const READS: [&str; 10] = [
    "/events",
    "/events/56",
    "/events/by-slug/a",
    "/events?_fields=total",
    "/venues",
    "/venues/7",
    "/venues?only_with_upcoming=1",
    "/organizers?has_events=1",
    "/categories",
    "/categories/4",
];

#[tokio::test]
async fn whatever_a_write_may_have_changed_is_asked_for_again() {
    for (method, path, body, untouched) in [
        (
            Method::PATCH,
            "/events/56",
            r#"{"title":"x"}"#,
            &["/venues/7"][..],
        ),
        (Method::DELETE, "/events/56", "", &["/venues/7"]),
        (
            Method::PUT,
            "/events/by-slug/a",
            r#"{"title":"x"}"#,
            &["/venues/7"],
        ),
        (
            Method::PATCH,
            "/events/56",
            r#"{"venue":{"id":7,"venue":"x"}}"#,
            &[],
        ),
        (
            Method::PUT,
            "/venues/7",
            r#"{"venue":"x"}"#,
            &["/organizers?has_events=1"],
        ),
        (Method::DELETE, "/venues/by-slug/a", "", &[]),
        (
            Method::PUT,
            "/categories/4",
            r#"{"name":"x"}"#,
            &[
                "/venues",
                "/venues/7",
                "/venues?only_with_upcoming=1",
                "/organizers?has_events=1",
            ],
        ),
    ] {
        let origin = site().await;
        let edge = lasting(&origin).await;
        for read in READS {
            edge.get(&format!("{API}{read}")).await;
        }
        assert_eq!(write(&edge, method.clone(), path, body).await.status, 200);
        for read in READS {
            let answer = edge.get(&format!("{API}{read}")).await;
            let is_kept = cache_status(&answer).starts_with("hit");
            assert_eq!(
                is_kept,
                untouched.contains(&read),
                "{method} {path} {body}: {read}"
            );
            assert_eq!(answer.body.contains('1'), !is_kept, "{}", answer.body);
        }
    }
}

#[tokio::test]
async fn a_refused_write_removes_nothing() {
    for (status, code) in [
        (401, "rest_forbidden"),
        (403, "rest_forbidden"),
        (400, "rest_invalid_param"),
    ] {
        let origin = Origin::answering(move |seen| {
            if seen.method == Method::GET {
                return numbered(1);
            }
            Reply::json(
                status,
                &format!(r#"{{"code":"{code}","message":"x","data":null}}"#),
            )
        })
        .await;
        let edge = lasting(&origin).await;
        edge.get(&format!("{API}/events/56")).await;
        assert_eq!(
            write(&edge, Method::DELETE, "/events/56", "").await.status,
            status
        );
        let answer = edge.get(&format!("{API}/events/56")).await;
        assert_eq!(cache_status(&answer), "hit; ttl=3599", "{status}");
    }
}

#[tokio::test]
async fn a_write_of_unknown_end_removes_what_it_may_have_changed() {
    let gate = Gate::closed();
    let behind = gate.clone();
    let origin = Origin::answering(move |seen| match seen.method {
        Method::GET => numbered(1),
        _ => numbered(2).behind(&behind),
    })
    .await;
    let edge = edge(&origin, |settings| {
        settings.timeouts.origin_write = Duration::from_millis(300);
    })
    .await;
    edge.get(&format!("{API}/events/56")).await;
    assert_eq!(write(&edge, Method::DELETE, "/events/56", "").await.status, 504);
    let answer = edge.get(&format!("{API}/events/56")).await;
    assert_eq!(cache_status(&answer), "fwd=uri-miss; stored; ttl=3599");
    gate.open();
}

#[tokio::test]
async fn a_writer_who_leaves_has_removed_what_he_changed() {
    let gate = Gate::closed();
    let behind = gate.clone();
    let origin = Origin::answering(move |seen| match seen.method {
        Method::GET => numbered(1),
        _ => numbered(2).behind(&behind),
    })
    .await;
    let edge = lasting(&origin).await;
    let event = format!("{API}/events/56");
    edge.get(&event).await;
    let writing = write(&edge, Method::DELETE, "/events/56", "");
    let left = tokio::time::timeout(Duration::from_millis(100), writing);
    assert!(left.await.is_err());
    gate.open();
    let mut answer = edge.get(&event).await;
    // The write ends behind the scenes.
    for _ in 0..100 {
        if !cache_status(&answer).starts_with("hit") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        answer = edge.get(&event).await;
    }
    panic!("{answer:?}");
}

#[tokio::test]
async fn an_answer_from_before_a_write_is_neither_kept_nor_given_to_the_writer() {
    let gate = Gate::closed();
    let behind = gate.clone();
    let reads = AtomicU64::new(0);
    let origin = Origin::answering(move |seen| {
        if seen.method != Method::GET {
            return numbered(0);
        }
        match reads.fetch_add(1, Ordering::SeqCst) {
            0 => numbered(1).behind(&behind),
            later => numbered(later + 1),
        }
    })
    .await;
    let edge = lasting(&origin).await;
    let event = format!("{API}/events/56");
    let slow = edge.get(&event);
    let writer = async {
        gate.reached_by(1).await;
        write(&edge, Method::DELETE, "/events/56", "").await;
        let own = edge.get(&event).await;
        assert_eq!(own.json()["title"], "2");
        gate.open();
    };
    let (slow, ()) = tokio::join!(slow, writer);
    assert_eq!(slow.json()["title"], "1");
    assert_eq!(cache_status(&slow), "fwd=uri-miss");
    let later = edge.get(&event).await;
    assert_eq!(later.json()["title"], "2");
    assert_eq!(cache_status(&later), "hit; ttl=3599");
}
