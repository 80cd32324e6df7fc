//! Bodies and headers against those of the recorded site.

use reqwest::Method;
use serde_json::json;

use super::calendar::{Calendar, recorded, send, shape};

#[tokio::test]
async fn bodies_have_the_recorded_shape() {
    let calendar = Calendar::open().await;
    let parade = calendar.get("/events/by-slug/lantern-parade").await.1;
    let venue = parade["venue"]["id"].as_u64().expect("a venue");
    let path = format!("/venues/{venue}");
    let cases = [
        ("category-list", "/categories?per_page=3&hide_empty=0".to_owned()),
        ("tag", "/tags/9".to_owned()),
        ("tag-list", "/tags?per_page=3".to_owned()),
        ("category-nested", "/categories/2".to_owned()),
        (
            "event-enveloped",
            "/events/by-slug/lantern-parade?_envelope=1&_fields=id,title".to_owned(),
        ),
        (
            "event-list-empty",
            "/events?start_date=2040-01-01&end_date=2040-12-31".to_owned(),
        ),
        (
            "event-list-with-password-event",
            "/events?search=secret".to_owned(),
        ),
        ("error-invalid-id", "/events/999".to_owned()),
        ("error-invalid-callback", "/events?page=0&per_page=abc".to_owned()),
        ("error-invalid-type", "/events?featured=maybe".to_owned()),
        ("error-event-page-not-found", "/events?page=500".to_owned()),
        (
            "error-organizer-page-not-found",
            "/organizers?page=500".to_owned(),
        ),
        ("error-bad-nonce", "/events?_wpnonce=bad".to_owned()),
        ("error-bad-jsonp", "/events?_jsonp=a-b".to_owned()),
    ];
    for (fixture, path) in cases {
        let (_, body) = calendar.get(&path).await;
        assert_eq!(shape(&body), shape(&recorded(fixture)), "{fixture} from {path}");
    }
    let (_, body) = calendar.get(&path).await;
    assert_eq!(body["json_ld"]["@type"], "Place");
}

/// The members of a full event, venue and organizer depend on their data, so both are created with the same data.
#[tokio::test]
async fn posts_have_the_recorded_shape() {
    let calendar = Calendar::open().await;
    let (_, venue) = calendar
        .write(Method::POST, "/venues", json!({
            "venue": "Grand Hall", "description": "<p>x</p>", "address": "1 Opera Square", "city": "Berlin",
            "country": "Germany", "zip": "10117", "phone": "1", "website": "https://hall.example/",
            "stateprovince": "Berlin",
        }))
        .await;
    let (_, organizer) = calendar
        .write(Method::POST, "/organizers", json!({
            "organizer": "Acme", "description": "<p>x</p>", "phone": "1", "website": "https://acme.example",
            "email": "info@acme.example",
        }))
        .await;
    let (status, created) = calendar
        .write(
            Method::POST,
            "/events",
            json!({
                "title": "Fixture", "start_date": "2027-10-01 10:00:00", "end_date": "2027-10-01 12:00:00",
                "venue": venue["id"], "organizer": [organizer["id"]], "categories": [1], "tags": [9],
                "cost": "$ 12.50", "featured": true, "image": "5", "timezone": "America/New_York",
            }),
        )
        .await;
    assert_eq!(status, 201);
    assert_eq!(created["cost_details"]["currency_position"], "prefix");
    assert_eq!(shape(&created), shape(&recorded("event-created")));
    let (_, full) = calendar.get(&format!("/events/{}", created["id"])).await;
    let mut expected = recorded("event-full");
    for list in ["categories", "tags"] {
        expected[list] = full[list].clone();
    }
    assert_eq!(shape(&full), shape(&expected));
    let (_, own) = calendar.get(&format!("/venues/{}", venue["id"])).await;
    assert_eq!(shape(&own), shape(&recorded("venue-full")));
    let (_, own) = calendar.get(&format!("/organizers/{}", organizer["id"])).await;
    assert_eq!(shape(&own), shape(&recorded("organizer-full")));
}

#[tokio::test]
async fn answers_are_escaped_as_php_does() {
    let calendar = Calendar::open().await;
    let response = send(calendar.request(Method::GET, "/events?search=%E6%98%A0%E7%94%BB")).await;
    let text = response.text().await.expect("a body");
    assert!(
        text.contains(r#""title":"\u6e2f"#) && text.contains(r"http:\/\/127.0.0.1"),
        "{text}"
    );
    assert!(text.contains(r#""slug":"%e6%b8%af"#), "{text}");
}

#[tokio::test]
async fn headers_are_the_recorded_ones() {
    let calendar = Calendar::open().await;
    let index = recorded("INDEX");
    let anonymous = send(calendar.request(Method::GET, "/events?per_page=3")).await;
    let admin = send(calendar.as_admin(Method::GET, "/events?per_page=3")).await;
    let cases = [
        (anonymous, &index["event-list-page1.json"]),
        (admin, &index["event-list-as-admin-any-status.json"]),
    ];
    for (response, recorded) in cases {
        let expected = recorded["headers"].as_array().expect("headers");
        let expected = expected
            .iter()
            .filter_map(|pair| Some((pair[0].as_str()?, pair[1].as_str()?)));
        let expected: Vec<_> = expected.collect();
        for (name, value) in &expected {
            let ours = response
                .headers()
                .get(*name)
                .and_then(|value| value.to_str().ok());
            let varies = ["X-TEC-Total", "X-TEC-TotalPages", "Link"].contains(name);
            assert!(
                ours.is_some() && (varies || ours == Some(*value)),
                "{name}: {ours:?}"
            );
        }
        let known = |name: &str| expected.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let mut extra = response
            .headers()
            .keys()
            .map(http::HeaderName::as_str)
            .filter(|name| !known(name));
        assert_eq!(
            extra.find(|name| !["date", "content-length"].contains(name)),
            None
        );
    }
}
