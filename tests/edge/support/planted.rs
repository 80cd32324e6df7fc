//! A calendar with differences planted in its responses, which a comparison shall find.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use calendar_service::Calendar;
use serde_json::{Map, Value};

use super::{Origin, Reply, Seen};

/// The readers that a nearly right service had before.
const VIEWS: u64 = 1_000_000;

/// The headers of the calendar that stay.
const HEADERS: [&str; 4] = ["allow", "link", "x-tec-total", "x-tec-totalpages"];

/// Serves a service that is nearly right: authors are numbers, records begin with another member, the names of cities
/// are in capitals, and records count their readers anew.
pub(crate) async fn planted(calendar: Calendar) -> Origin {
    let count = AtomicU64::new(VIEWS);
    Origin::answering(move |seen| {
        let response = responded(&calendar, seen);
        let headers = response.headers().clone();
        let status = response.status().as_u16();
        let document: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        let document = if status < 300 {
            altered(document, count.fetch_add(1, Ordering::Relaxed))
        } else {
            document
        };
        let reply = Reply::json(status, &document.to_string());
        HEADERS.into_iter().fold(reply, |reply, name| {
            match headers.get(name).and_then(|value| value.to_str().ok()) {
                Some(value) => reply.header(name, value),
                None => reply,
            }
        })
    })
    .await
}

/// The response of a service to a request that an origin has seen.
pub(crate) fn responded(calendar: &Calendar, seen: &Seen) -> http::Response<Bytes> {
    let mut request = http::Request::builder()
        .method(seen.method.clone())
        .uri(&seen.target);
    for (name, value) in &seen.headers {
        request = request.header(name, value);
    }
    let (parts, ()) = request.body(()).expect("a request").into_parts();
    calendar.respond(&parts, &seen.body)
}

fn altered(value: Value, count: u64) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(|item| altered(item, count)).collect(),
        Value::Object(members) => {
            let is_record = members.contains_key("id");
            let members = members.into_iter();
            let members = members.map(|(name, value)| {
                let value = different(&name, value);
                (name, altered(value, count))
            });
            let mut members: Vec<(String, Value)> = members.collect();
            if is_record {
                members.push(("views".to_owned(), count.into()));
                members.rotate_left(1);
            }
            Map::from_iter(members).into()
        }
        plain => plain,
    }
}

fn different(name: &str, value: Value) -> Value {
    match (name, value.as_str()) {
        ("author", Some(author)) => author.parse::<u64>().map_or(value, Value::from),
        ("city", Some(city)) => city.to_uppercase().into(),
        _ => value,
    }
}
