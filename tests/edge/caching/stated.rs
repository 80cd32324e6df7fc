//! Lifetimes and prohibitions that the site states are obeyed (T-92).

use super::*;

const EVENT: &str = "/wp-json/calendar/events/v1/events/56";

/// A site that gives each response these headers.
async fn stating(fields: &[(&'static str, &'static str)]) -> Origin {
    let fields = fields.to_vec();
    let count = AtomicU64::new(0);
    Origin::answering(move |seen| {
        if !is_calendar(seen) {
            return Reply::json(404, "{}");
        }
        let reply = numbered(count.fetch_add(1, Ordering::SeqCst) + 1);
        fields
            .iter()
            .fold(reply, |reply, (name, value)| reply.header(name, value))
    })
    .await
}

#[tokio::test]
async fn t92_what_the_site_forbids_is_not_stored() {
    for fields in [
        &[("cache-control", "no-store")][..],
        &[("cache-control", "no-cache=\"x\"")],
        &[("cache-control", "private")],
        &[("cache-control", "max-age=0")],
        &[("cache-control", "max-age=\"0\"")],
        &[("cache-control", "max-age=soon")],
        &[("cache-control", "max-age=600, s-maxage=0")],
        &[("cache-control", "max-age=600"), ("age", "600")],
        &[("cache-control", "max-age=600"), ("cache-control", "max-age=0")],
        &[("cache-control", "max-age=0, must-revalidate")],
        &[("expires", "Wed, 11 Jan 1984 05:00:00 GMT")],
        &[("expires", "0")],
        &[("x-wp-nonce", "1a2b3c4d5e")],
    ] {
        let origin = stating(fields).await;
        let edge = lasting(&origin).await;
        for _ in 0..3 {
            let answer = edge.get(EVENT).await;
            assert_eq!(cache_status(&answer), "fwd=uri-miss", "{fields:?}");
        }
        assert_eq!(asked(&origin), 3, "{fields:?}");
    }
}

#[tokio::test]
async fn t92_an_answer_is_kept_as_long_as_the_site_says() {
    for fields in [
        &[("cache-control", "max-age=2")][..],
        &[("cache-control", "max-age=0, s-maxage=2")],
        &[("cache-control", "max-age=600"), ("age", "598")],
        &[
            ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("expires", "Sun, 06 Nov 1994 08:49:39 GMT"),
        ],
    ] {
        let origin = stating(fields).await;
        let edge = edge(&origin, |settings| {
            settings.cache.stale_while_revalidate = Duration::from_hours(1);
            settings.cache.client_max_age = Duration::from_hours(1);
        })
        .await;
        assert_eq!(
            cache_status(&edge.get(EVENT).await),
            "fwd=uri-miss; stored; ttl=1",
            "{fields:?}"
        );
        let kept = edge.get(EVENT).await;
        assert_eq!(cache_status(&kept), "hit; ttl=1", "{fields:?}");
        let clients = kept.header("cache-control").expect("directives");
        assert!(clients.starts_with("public, max-age=1"), "{fields:?}: {clients}");
        tokio::time::sleep(Duration::from_millis(2100)).await;
        let later = edge.get(EVENT).await;
        assert!(
            cache_status(&later).ends_with("; stored; ttl=1"),
            "{fields:?}: {later:?}"
        );
        assert_eq!(asked(&origin), 2, "{fields:?}");
    }
}

#[tokio::test]
async fn t92_what_must_be_revalidated_is_not_served_when_the_site_fails() {
    for (directives, expected) in [
        ("public", 200),
        ("must-revalidate", 500),
        ("proxy-revalidate", 500),
        ("s-maxage=600", 500),
    ] {
        let count = AtomicU64::new(0);
        let origin = Origin::answering(move |_| match count.fetch_add(1, Ordering::SeqCst) {
            0 => numbered(1).header("cache-control", directives),
            _ => Reply::json(500, r#"{"code":"x","message":"y","data":{"status":500}}"#),
        })
        .await;
        let edge = edge(&origin, |settings| {
            settings.cache.fresh = Duration::from_millis(300);
            settings.cache.stale_while_revalidate = Duration::ZERO;
        })
        .await;
        assert_eq!(edge.get(EVENT).await.status, 200);
        assert!(
            cache_status(&edge.get(EVENT).await).starts_with("hit"),
            "{directives}"
        );
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(edge.get(EVENT).await.status, expected, "{directives}");
    }
}

#[tokio::test]
async fn t92_an_answer_with_a_nonce_is_for_one() {
    let form = r#"{"id":56,"description":"<input name=\"_wpnonce\" value=\"1a2b3c4d5e\">"}"#;
    for (body, expected) in [(form, 2), (r#"{"id":56,"description":"a nonce"}"#, 1)] {
        let origin = Origin::always(Reply::json(200, body)).await;
        let edge = lasting(&origin).await;
        for _ in 0..2 {
            assert_eq!(edge.get(EVENT).await.body, body);
        }
        assert_eq!(asked(&origin), expected, "{body}");
    }
}

#[tokio::test]
async fn the_time_in_caches_before_the_edge_counts() {
    let origin = stating(&[("cache-control", "max-age=1300"), ("age", "700")]).await;
    let seconds = |answer: &Answer, name: &str, prefix: &str| -> Option<u64> {
        let text = answer
            .header(name)?
            .split(", ")
            .find_map(|part| part.strip_prefix(prefix))?;
        text.parse().ok()
    };
    let caching = edge(&origin, |settings| {
        settings.cache.client_max_age = Duration::from_hours(1);
    })
    .await;
    for edge in [caching, Edge::before(&origin).await] {
        for _ in 0..2 {
            let answer = edge.get(EVENT).await;
            let age = seconds(&answer, "age", "").expect("an age");
            assert!((700..760).contains(&age), "{answer:?}");
            let fresh = seconds(&answer, "cache-control", "max-age=").expect("a lifetime");
            assert!(fresh.saturating_sub(age) <= 600, "{answer:?}");
        }
    }
}
