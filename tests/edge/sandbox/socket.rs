//! The socket: bounds, bad input, the end.

use reqwest::Method;
use serde_json::json;

use super::calendar::{Calendar, answer, send};

#[tokio::test]
async fn oversized_bodies_are_refused() {
    let calendar = Calendar::open().await;
    let request = calendar
        .as_admin(Method::POST, "/tags")
        .header("content-type", "application/json");
    let (status, _) = answer(request.body(vec![b' '; 2 * 1024 * 1024])).await;
    assert_eq!(status, 413);
}

#[tokio::test]
async fn nothing_is_left_after_a_stop() {
    let calendar = Calendar::open().await;
    let (address, url) = (calendar.sandbox.address(), calendar.url("/tags"));
    assert_eq!(answer(calendar.client.get(&url)).await.0, 200);
    calendar.sandbox.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

/// Nested, empty, huge and mistyped values in every parameter of every operation: refused or taken, never a 5xx.
#[tokio::test]
async fn no_input_is_a_server_error() {
    use calendar_edge_judge::contract::table;
    let calendar = Calendar::open().await;
    let values = [
        json!(""),
        json!("0"),
        json!(" "),
        json!("-1"),
        json!("9223372036854775808"),
        json!(1e300),
        json!(null),
        json!([]),
        json!([[[]]]),
        json!([[7]]),
        json!({"id": 7}),
        json!({"": {"a": [null]}}),
        json!([1, "7,8", {"venue": "x", "organizer": "y"}]),
        json!("\u{0}\u{ffff}🎉<script>&amp;%FF"),
        json!("-9999-01-01 +99999 years"),
        json!("2027-01-01"),
    ];
    for operation in table().operations() {
        let template = operation.id.route.template();
        let path = template.replace("{id}", "12").replace("{slug}", "lantern-parade");
        let method = operation.id.action.methods()[0].clone();
        for argument in &operation.arguments {
            for value in &values {
                let mut body =
                    json!({"title": "t", "start_date": "tomorrow", "end_date": "tomorrow", "name": "n"});
                body[argument.name] = value.clone();
                let request = calendar.as_admin(method.clone(), &path);
                let request = request
                    .header("content-type", "application/json")
                    .body(body.to_string());
                let status = send(request).await.status();
                assert!(!status.is_server_error(), "{status}: {} {body}", operation.name);
            }
        }
    }
}
