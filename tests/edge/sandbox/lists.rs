//! Lists: pages and filters.

use serde_json::{Value, json};

use super::calendar::{Calendar, answer};

#[tokio::test]
async fn pages_follow_each_other_to_the_end() {
    let calendar = Calendar::open().await;
    let mut url = Some(calendar.url("/events?per_page=7"));
    let (mut seen, mut dates) = (0, Vec::new());
    let mut total = Value::Null;
    while let Some(next) = url {
        let (status, body) = answer(calendar.client.get(next)).await;
        assert_eq!(status, 200);
        let events = body["events"].as_array().expect("events");
        seen += events.len();
        dates.extend(
            events
                .iter()
                .filter_map(|event| event["start_date"].as_str().map(str::to_owned)),
        );
        total = body["total"].clone();
        url = body["next_rest_url"].as_str().map(str::to_owned);
    }
    assert_eq!(json!(seen), total);
    assert!(seen > 15 && dates.is_sorted());
}

#[tokio::test]
async fn filters_narrow_the_list() {
    let calendar = Calendar::open().await;
    let cases = [
        ("/events?categories=music&search=jazz", 2),
        ("/events?categories=jazz&tags=18%252B", 2),
        ("/events?categories=999", 400),
        ("/events?featured=true", 2),
        ("/events?start_date=2026-11-21&end_date=2026-11-21", 1),
        (
            "/events?start_date=2026-11-21%2019:30:00&end_date=2026-11-21%2020:00:00&strict_dates=true",
            0,
        ),
        ("/events?starts_before=2026-11-20", 3),
        ("/events?start_date=2000-01-01&end_date=2026-11-19", 2),
        ("/events?search=nobody", 0),
        ("/events?status=draft", 400),
        ("/events?post_parent=7", 400),
        ("/venues?search=salt", 1),
        ("/venues?search=nothing%20like%20it", 5),
        ("/organizers?event=999", 400),
        ("/categories?hide_empty=0", 8),
        ("/categories?parent=1&hide_empty=0", 2),
        ("/tags?include=9,10&orderby=id&order=desc", 2),
    ];
    for (path, expected) in cases {
        let (status, body) = calendar.get(path).await;
        let found = if status == 200 {
            body["total"].as_u64()
        } else {
            Some(status.into())
        };
        assert_eq!(found, Some(expected), "{path}: {body}");
    }
}
