//! Mode report shows the figures for an operator's decision: the requests, and the site's responses to them.

use std::process::Command;

use calendar_edge_core::settings::Mode;
use http::Method;
use serde_json::{Value, json};

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

const INVALID: &str = r#"{"code":"rest_invalid_param","message":"No.","data":{"status":400}}"#;

/// A site that refuses page 0, serves other odd pages, and fails for a time that cannot be read.
async fn origin() -> Origin {
    Origin::answering(|seen| {
        if seen.target.contains("page=0") {
            return Reply::json(400, INVALID);
        }
        if seen.target.contains("start_date") {
            return Reply::json(500, r#"{"code":"broken","message":"No.","data":{"status":500}}"#);
        }
        if seen.target.contains("_envelope") {
            let enveloped = format!(r#"{{"body":{INVALID},"status":400,"headers":{{}}}}"#);
            return Reply::json(200, &enveloped);
        }
        Reply::json(200, r#"{"events":[]}"#)
    })
    .await
}

async fn reporting(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| settings.mode = Mode::Report)
        .start()
        .await
}

/// The row of a parameter, once all its responses are counted.
async fn row(edge: &Edge, parameter: &str) -> Value {
    let sums = edge.admin("/findings").await.json();
    let rows = sums["findings"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["parameter"] == parameter);
    row.unwrap_or_else(|| panic!("{sums}")).clone()
}

/// The explanation of a sample, once its request has ended.
async fn explained(edge: &Edge, id: &str) -> Value {
    for _ in 0..1000 {
        let kept = edge.admin(&format!("/refusals/{id}")).await;
        if kept.status == 200 {
            return kept.json();
        }
        tokio::task::yield_now().await;
    }
    panic!("the sample is not kept");
}

#[tokio::test]
async fn each_finding_says_what_the_site_made_of_the_same_requests() {
    let origin = origin().await;
    let edge = reporting(&origin).await;
    for query in [
        "page=0",
        "page=0",
        "page=-1",
        "page=x&_envelope=1",
        "start_date=never",
    ] {
        edge.get(&format!("{EVENTS}?{query}")).await;
    }
    let page = row(&edge, "page").await;
    assert_eq!(page["count"], 4);
    assert_eq!(page["meaning"], "The value must be a whole number above zero.");
    let expected = json!({
        "accepted": 1, "refused": 3, "failed": 0,
        "refusals": [{"status": 400, "code": "rest_invalid_param", "count": 3}],
    });
    assert_eq!(page["site"], expected);
    let time = row(&edge, "start_date").await;
    assert_eq!(time["site"]["failed"], 1, "{time}");

    // One that `enforce` forwards without its parameter is not among those that it would refuse.
    edge.get(&format!("{EVENTS}?utm_source=a")).await;
    let noise = row(&edge, "utm_source").await;
    assert_eq!(noise["site"]["accepted"], 1, "{noise}");
    let status = edge.admin("/status").await.json();
    let expected = json!({"accepted": 1, "failed": 1, "refused": 3});
    assert_eq!(status["reported"], expected);
    let metrics = edge.admin("/metrics").await.body;
    for (site, count) in [("accepted", 1), ("refused", 3), ("failed", 1)] {
        let line = format!("edge_reported_requests_total{{site=\"{site}\"}} {count}\n");
        assert!(metrics.contains(&line), "{line}");
    }
}

#[tokio::test]
async fn the_sample_of_a_finding_is_explained_without_its_secrets() {
    let origin = origin().await;
    let edge = reporting(&origin).await;
    let request = edge
        .request(Method::GET, &format!("{EVENTS}?page=0&jwt=hidden-query"))
        .header("cookie", "wordpress_logged_in_1=alice%7Chidden-cookie");
    Answer::to(request).await;
    // Others with the same code do not take its place.
    for _ in 0..20 {
        edge.get(&format!("{EVENTS}?start_date=never")).await;
    }
    let page = row(&edge, "page").await;
    let id = page["sample"].as_str().expect("an id").to_owned();
    let kept = explained(&edge, &id).await;
    assert_eq!(kept["action"], "forwarded");
    assert_eq!(kept["decided_by"], "site");
    assert_eq!(
        kept["site"],
        json!({"outcome": "refused", "status": 400, "code": "rest_invalid_param"})
    );
    assert_eq!(kept["findings"][0]["parameter"], "page");
    let target = kept["request"]["target"].as_str().expect("a target");
    assert!(target.ends_with("?page=0&jwt=redacted"), "{target}");
    assert!(!kept.to_string().contains("hidden"), "{kept}");
    // The list of refusals stays one of refusals.
    assert_eq!(edge.admin("/refusals").await.json()["refusals"], json!([]));

    let admin = edge.admin_base();
    let explain = move || {
        Command::new(env!("CARGO_BIN_EXE_calendar-edge"))
            .args(["explain", &id, "--admin", &admin])
            .output()
            .expect("the program runs")
    };
    let output = tokio::task::spawn_blocking(explain).await.expect("no panic");
    let text = String::from_utf8_lossy(&output.stdout);
    for part in [
        "?page=0&jwt=redacted",
        "forwarded, and the site refused it with 400 rest_invalid_param",
        "page breaks the rule positive_int",
        "The value must be a whole number above zero.",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert_eq!(output.status.code(), Some(0));
}

#[tokio::test]
async fn a_site_that_does_not_answer_has_no_say() {
    let edge = reporting(&Origin::down()).await;
    let failed = edge.get(&format!("{EVENTS}?page=0")).await;
    assert_eq!(failed.status, 502);
    let page = row(&edge, "page").await;
    let none = json!({"accepted": 0, "refused": 0, "failed": 0, "refusals": []});
    assert_eq!((&page["count"], &page["site"]), (&json!(1), &none));
    let kept = explained(&edge, failed.header("x-request-id").expect("an id")).await;
    assert_eq!(kept["action"], "refused");
    assert_eq!(kept["code"], failed.code());
}

#[tokio::test]
async fn nothing_is_asked_where_requests_are_refused() {
    let origin = origin().await;
    let edge = Edge::before(&origin).await;
    edge.get(&format!("{EVENTS}?page=0")).await;
    let page = row(&edge, "page").await;
    assert_eq!(
        (&page["action"], &page["site"]),
        (&json!("refused"), &Value::Null)
    );
}
