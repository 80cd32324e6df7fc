//! Creation, update and deletion of records.

use reqwest::Method;
use serde_json::{Value, json};

use super::calendar::{Calendar, recorded, send, shape};

#[tokio::test]
async fn an_event_lives_and_dies() {
    let calendar = Calendar::open().await;
    let event = json!({
        "title": "Tea & Cake", "start_date": "2026-12-01 15:00:00", "end_date": "2026-12-01 14:00:00",
        "cost": "5-15", "website": "https://tea.example/?a=1&b=2", "sticky": true, "tags": ["brand new"],
    });
    let (status, created) = calendar.write(Method::POST, "/events", event.clone()).await;
    assert_eq!((status, &created["slug"]), (201, &json!("tea-cake")));
    assert_eq!(created["title"], "Tea &#038; Cake");
    assert_eq!(created["end_date"], created["start_date"]);
    assert_eq!(created["utc_start_date"], "2026-12-01 14:00:00");
    assert_eq!(created["cost"], "$5 – $15");
    assert_eq!(created["tags"][0]["slug"], "brand-new");
    let (_, twin) = calendar.write(Method::POST, "/events", event).await;
    assert_eq!(twin["slug"], "tea-cake-2");

    let path = format!("/events/{}", created["id"]);
    let (status, updated) = calendar
        .write(Method::PATCH, &path, json!({"title": "Coffee"}))
        .await;
    assert_eq!(
        (status, &updated["title"], &updated["slug"]),
        (200, &json!("Coffee"), &json!("tea-cake"))
    );
    // An update resets the members that it does not send, except for a few.
    assert_eq!(
        (&updated["cost"], &updated["website"], &updated["sticky"]),
        (&json!(""), &json!(""), &json!(false))
    );
    assert_eq!(updated["tags"], created["tags"].clone());

    let (status, deleted) = calendar.write(Method::DELETE, &path, json!({})).await;
    assert_eq!(
        (status, &deleted["status"], &deleted["slug"]),
        (200, &json!("trash"), &json!("tea-cake__trashed"))
    );
    assert_eq!(calendar.write(Method::DELETE, &path, json!({})).await.0, 410);
    assert_eq!(calendar.get(&path).await.0, 403);
    assert_eq!(calendar.get("/events/by-slug/tea-cake").await.0, 400);
    let (_, back) = calendar.write(Method::PUT, &path, json!({})).await;
    assert_eq!(
        (&back["status"], &back["slug"]),
        (&json!("publish"), &json!("tea-cake"))
    );
}

#[tokio::test]
async fn terms_live_and_die_for_good() {
    let calendar = Calendar::open().await;
    let request = calendar
        .as_admin(Method::POST, "/categories")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("name=Swing&parent=2");
    let response = send(request).await;
    let location = response
        .headers()
        .get("location")
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let created: Value = serde_json::from_str(&response.text().await.expect("a body")).expect("JSON");
    assert_eq!(shape(&created), shape(&recorded("category-created")));
    assert!(location.is_some_and(|location| location.ends_with(&format!("/wp/v2/tribe_events_cat/{}", created["id"]))));
    let again = json!({"name": "SWING", "parent": 2});
    let (status, exists) = calendar.write(Method::POST, "/categories", again).await;
    assert_eq!((status, &exists["code"]), (400, &json!("term_exists")));

    let path = format!("/categories/{}", created["id"]);
    let (status, refused) = calendar.write(Method::PUT, &path, json!({"slug": "jazz"})).await;
    assert_eq!((status, &refused["code"]), (400, &json!("duplicate_term_slug")));
    let (status, deleted) = calendar.write(Method::DELETE, &path, json!({})).await;
    assert_eq!((status, &deleted["name"]), (200, &json!("Swing")));
    assert_eq!(deleted.get("_links"), None);
    assert_eq!(calendar.write(Method::DELETE, &path, json!({})).await.0, 400);
}

#[tokio::test]
async fn a_venue_list_is_refused_as_the_plugin_does() {
    let calendar = Calendar::open().await;
    let event = |venue: Value, organizer: Value| json!({"title": "x", "start_date": "tomorrow", "end_date": "tomorrow", "venue": venue, "organizer": organizer});
    let cases = [
        (event(json!([7]), json!(null)), "could-not-create-venue"),
        (event(json!({"venue": ""}), json!(null)), "could-not-create-venue"),
        (event(json!(null), json!("12,13")), "could-not-create-organizer"),
        (
            event(json!(null), json!({"organizer": "New"})),
            "could-not-create-organizer",
        ),
        (event(json!(999), json!(null)), "rest_invalid_param"),
    ];
    for (body, code) in cases {
        let (status, refused) = calendar.write(Method::POST, "/events", body.clone()).await;
        assert_eq!((status, &refused["code"]), (400, &json!(code)), "{body}");
    }
    let inline = event(
        json!({"venue": "New Place", "city": "X"}),
        json!([12, {"organizer": "New"}]),
    );
    let (status, created) = calendar.write(Method::POST, "/events", inline).await;
    assert_eq!((status, &created["venue"]["city"]), (201, &json!("X")));
    assert_eq!(created["organizer"].as_array().map(Vec::len), Some(2));
}
