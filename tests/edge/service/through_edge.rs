//! The calendar behind a real edge: the commands that the demo prints work unchanged.

use calendar_edge_core::settings::Settings;
use calendar_service::try_lines;
use reqwest::{Client, Method};

use super::calendar::Calendar;
use crate::support::Edge;

async fn edge_before(calendar: &Calendar) -> Edge {
    let fresh = Settings::for_origin(calendar.server.rest_root().clone());
    let change = |settings: &mut Settings| {
        settings.forms.calendar = true;
        settings.origin.url = fresh.origin.url;
        settings.roots = fresh.roots;
    };
    Edge::builder().settings(change).caching().start().await
}

/// The words of a shell line; only single quotes quote.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Does the same as `curl`, and returns the status, with a star for a stored response.
async fn run(client: &Client, line: &str) -> String {
    let words = words(line);
    let after = |flag: &str| {
        let place = words.iter().position(|word| word == flag)?;
        words.get(place + 1).map(String::as_str)
    };
    let body = after("-d");
    let method = match after("-X") {
        Some(method) => method.parse().expect("a method"),
        None if body.is_some() => Method::POST,
        None => Method::GET,
    };
    let url = words.last().expect("a URL");
    let mut request = client.request(method, url);
    if let Some((user, password)) = after("-u").and_then(|login| login.split_once(':')) {
        request = request.basic_auth(user, Some(password));
    }
    if let Some((name, value)) = after("-H").and_then(|header| header.split_once(": ")) {
        request = request.header(name, value);
    }
    let request = request.body(body.unwrap_or_default().to_owned());
    let answer = request.send().await.expect("the edge answers");
    let cache_status = answer.headers().get("cache-status");
    let is_hit = cache_status.is_some_and(|status| status.as_bytes().starts_with(b"calendar-edge; hit"));
    format!("{}{}", answer.status().as_u16(), if is_hit { "*" } else { "" })
}

#[tokio::test]
async fn the_lines_to_try_work() {
    let calendar = Calendar::open().await;
    let edge = edge_before(&calendar).await;
    let lines = try_lines(&edge.url("/wp-json"));
    let client = Edge::client();
    let mut statuses = Vec::new();
    for line in lines.lines().filter(|line| line.starts_with("curl")) {
        statuses.push(run(&client, line).await);
    }
    let expected = "200 200* 400 401 201 200 200 200";
    assert_eq!(statuses.join(" "), expected, "{lines}");
}

#[tokio::test]
async fn addresses_lead_back_to_the_edge() {
    let calendar = Calendar::open().await;
    let edge = edge_before(&calendar).await;
    let body = edge
        .get("/wp-json/calendar/events/v1/events?per_page=2")
        .await
        .json();
    let public = edge.url("/wp-json/calendar/events/v1/events/");
    for address in [
        &body["rest_url"],
        &body["next_rest_url"],
        &body["events"][0]["rest_url"],
    ] {
        let address = address.as_str().expect("an address");
        assert!(address.starts_with(&public), "{address}");
    }
}
