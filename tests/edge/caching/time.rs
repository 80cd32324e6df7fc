//! Time passes, also for stored responses.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::*;

/// The time until the site's midnight when it starts.
const EVENING: Duration = Duration::from_secs(4);

/// A site in a zone where the day ends soon.
async fn late() -> Origin {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    let second_of_day = now.as_secs() % 86_400;
    // From the zone in which it is midnight now, so many seconds back.
    let offset = 86_400 - second_of_day;
    let offset = offset_hours(offset) - offset_hours(EVENING.as_secs());
    let zone = format!(r#"{{"timezone_string":"","gmt_offset":{offset}}}"#);
    let count = AtomicU64::new(0);
    Origin::answering(move |seen| {
        if is_calendar(seen) {
            let number = count.fetch_add(1, Ordering::SeqCst);
            return Reply::json(200, &format!(r#"{{"events":[],"total":{number}}}"#));
        }
        Reply::json(200, &zone)
    })
    .await
}

#[expect(clippy::cast_precision_loss, reason = "seconds of one day")]
fn offset_hours(seconds: u64) -> f64 {
    seconds as f64 / 3600.0
}

fn left(answer: &Answer) -> u64 {
    let ttl = cache_status(answer).split("ttl=").nth(1).expect("a lifetime");
    ttl.parse().expect("whole seconds")
}

#[tokio::test]
async fn an_answer_that_hangs_on_the_day_ends_with_the_day_of_the_site() {
    let started = Instant::now();
    let origin = late().await;
    let edge = lasting(&origin).await;
    // The zone is learnt with the first such response.
    while edge.get(&format!("{EVENTS}?search=a")).await.status != 200 || asked(&origin) == origin.seen().len()
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let today = edge.get(EVENTS).await;
    let fixed = format!("{EVENTS}?start_date=2027-01-01&end_date=2027-12-31");
    let always = edge.get(&fixed).await;
    assert_eq!(left(&always), 3599);
    if started.elapsed() + Duration::from_secs(1) < EVENING {
        assert!(left(&today) <= EVENING.as_secs(), "{today:?}");
        tokio::time::sleep(EVENING).await;
        let tomorrow = edge.get(EVENTS).await;
        assert!(cache_status(&tomorrow).starts_with("fwd=stale"), "{tomorrow:?}");
        assert_ne!(today.body, tomorrow.body);
        assert!(cache_status(&edge.get(&fixed).await).starts_with("hit"));
    }
}

#[tokio::test]
async fn a_stale_answer_is_served_while_a_new_one_is_fetched() {
    let origin = counting().await;
    let edge = edge(&origin, |settings| {
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::from_hours(1);
    })
    .await;
    let event = format!("{API}/events/56");
    edge.get(&event).await;
    let stale = edge.get(&event).await;
    assert_eq!(
        (stale.json()["title"].as_str(), cache_status(&stale)),
        (Some("1"), "hit; ttl=0")
    );
    for _ in 0..100 {
        if edge.get(&event).await.json()["title"] != "1" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the answer is never renewed");
}

#[tokio::test]
async fn an_answer_that_hangs_on_the_moment_is_never_served_stale() {
    let origin = Origin::always(Reply::json(200, r#"{"events":[],"venues":[]}"#)).await;
    let edge = edge(&origin, |settings| {
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::from_hours(1);
    })
    .await;
    for target in ["/events?ends_after=now", "/venues?only_with_upcoming=1"] {
        let target = format!("{API}{target}");
        edge.get(&target).await;
        let again = edge.get(&target).await;
        assert_eq!(cache_status(&again), "fwd=stale; stored; ttl=0", "{target}");
    }
}
