//! Reads, creates and is refused, with types made by typify.

use std::env;
use std::error::Error;

use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::{Method, Request};

/// The types of the document.
mod api {
    #![allow(clippy::all, dead_code, reason = "made by a generator, and used in part")]
    include!(concat!(env!("OUT_DIR"), "/api.rs"));
}

/// Sends a request, with an account's `Authorization` or none, and reads the answer of this status.
fn call<T: DeserializeOwned>(
    method: Method,
    path: &str,
    account: Option<&str>,
    body: &impl Serialize,
    status: u16,
) -> Result<T, Box<dyn Error>> {
    let mut request = Request::builder().method(&method).uri(format!("{}{path}", env::var("API")?));
    if let Some(account) = account {
        request = request.header("authorization", account);
    }
    let agent = ureq::Agent::from(ureq::Agent::config_builder().http_status_as_error(false).build());
    let mut answer = if method == Method::POST {
        let request = request.header("content-type", "application/json");
        agent.run(request.body(serde_json::to_string(body)?)?)?
    } else {
        agent.run(request.body(())?)?
    };
    assert_eq!(answer.status(), status, "{method} {path}");
    Ok(serde_json::from_str(&answer.body_mut().read_to_string()?)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let account = env::var("AUTHORIZATION")?;
    let page: api::EventList = call(Method::GET, "/events?per_page=2", None, &(), 200)?;
    assert!(page.total > 2 && page.events.len() == 2, "{page:?}");
    let first = &page.events[0];
    let event: api::Event = call(Method::GET, &format!("/events/{}", first.id), None, &(), 200)?;
    assert_eq!(event.title, first.title);
    let city = match &event.venue {
        api::EventVenue::Venue(venue) => venue.city.clone().unwrap_or_default(),
        _ => "nowhere".to_owned(),
    };
    println!("read {}: {}, {city}", event.id, event.title);

    let body = serde_json::json!({"venue": "Made by Rust", "city": "Lübeck"});
    let body: api::VenueCreate = serde_json::from_value(body)?;
    let venue: api::Venue = call(Method::POST, "/venues", Some(&account), &body, 201)?;
    let deleted: api::Venue =
        call(Method::DELETE, &format!("/venues/{}", venue.id), Some(&account), &(), 200)?;
    assert_eq!(deleted.status, "trash");
    println!("created and deleted {}", venue.id);

    let invalid: api::InvalidParameters = call(Method::GET, "/events?page=0", None, &(), 400)?;
    let forbidden: api::Error = call(Method::POST, "/venues", None, &body, 401)?;
    println!("refused: {}; {:?}", invalid.message, forbidden.code);
    Ok(())
}
