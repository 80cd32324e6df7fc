//! Permissions, and the order of refusals.

use reqwest::Method;
use serde_json::json;

use super::calendar::{Calendar, answer, recorded};

#[tokio::test]
async fn callers_see_what_they_may() {
    let calendar = Calendar::open().await;
    let by = |name: &'static str, path: &str| {
        answer(
            calendar
                .request(Method::GET, path)
                .basic_auth(name, Some(calendar.sandbox.password())),
        )
    };
    let draft = "/events/by-slug/surprise-for-the-mayor";
    assert_eq!(calendar.get(draft).await.1, recorded("error-not-accessible"));
    assert_eq!(by("contributor", draft).await.0, 403);
    assert_eq!(by("demo", draft).await.0, 200);
    let locked = "/events/by-slug/secret-rehearsal";
    assert_eq!(calendar.get(locked).await.1, recorded("error-password-protected"));
    assert_eq!(calendar.get(&format!("{locked}?password=herring")).await.0, 200);
    assert_eq!(by("demo", locked).await.0, 403);
    assert_eq!(by("demo", &format!("{locked}?context=edit")).await.0, 200);
    let (status, wrong) = answer(
        calendar
            .request(Method::GET, "/tags/9")
            .basic_auth("demo", Some("x")),
    )
    .await;
    assert_eq!((status, &wrong["code"]), (401, &json!("incorrect_password")));
}

#[tokio::test]
async fn writes_are_refused_after_validation() {
    let calendar = Calendar::open().await;
    let write = |name: Option<&'static str>, body: &'static str| {
        let request = calendar
            .request(Method::POST, "/tags")
            .header("content-type", "application/json");
        let request = match name {
            Some(name) => request.basic_auth(name, Some(calendar.sandbox.password())),
            None => request,
        };
        answer(request.body(body))
    };
    assert_eq!(write(None, "{}").await.1["code"], "rest_missing_callback_param");
    assert_eq!(write(None, "{").await.1, recorded("error-invalid-json"));
    assert_eq!(
        write(None, r#"{"name":"x"}"#).await.1,
        recorded("error-forbidden-anonymous")
    );
    let subscriber = write(Some("subscriber"), r#"{"name":"x"}"#).await;
    assert_eq!(subscriber.1, recorded("error-forbidden-subscriber"));
    assert_eq!(write(Some("contributor"), r#"{"name":"x"}"#).await.0, 201);
}

#[tokio::test]
async fn what_is_no_route_says_so() {
    let calendar = Calendar::open().await;
    assert_eq!(calendar.get("/nope").await.1, recorded("error-no-route"));
    assert_eq!(
        calendar.write(Method::PUT, "/events", json!({})).await.1,
        recorded("error-no-route")
    );
    let (status, nothing) = answer(calendar.request(Method::OPTIONS, "/nope")).await;
    assert_eq!((status, nothing), (200, json!([])));
    let (_, described) = answer(calendar.request(Method::OPTIONS, "/events/999")).await;
    assert_eq!(
        described["methods"],
        json!(["GET", "DELETE", "POST", "PUT", "PATCH"])
    );
    let deleting = calendar
        .as_admin(Method::POST, "/tags/9")
        .header("x-http-method-override", "DELETE");
    assert_eq!(answer(deleting).await.0, 200);
    let root = answer(calendar.client.get(format!("{}/", calendar.sandbox.rest_root()))).await;
    assert_eq!(root.1["namespaces"], json!(["tribe/events/v1"]));
}
