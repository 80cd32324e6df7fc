//! Reads, writes and is refused, with types made by typify.

use std::env;
use std::error::Error;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
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

/// Creates, changes and deletes a record.
fn lives<C, U, R>(path: &str, create: Value, update: Value) -> Result<(), Box<dyn Error>>
where
    C: Serialize + DeserializeOwned,
    U: Serialize + DeserializeOwned,
    R: DeserializeOwned,
{
    let account = env::var("AUTHORIZATION")?;
    let create: C = serde_json::from_value(create)?;
    let made: Value = call(Method::POST, path, Some(&account), &create, 201)?;
    let at = format!("{path}/{}", made["id"]);
    let change: U = serde_json::from_value(update.clone())?;
    let changed: Value = call(Method::POST, &at, Some(&account), &change, 200)?;
    for (name, value) in update.as_object().ok_or("an object")? {
        assert_eq!(changed[name], *value, "{at}");
    }
    let deleted: Value = call(Method::DELETE, &at, Some(&account), &(), 200)?;
    for answer in [made, changed, deleted] {
        let _: R = serde_json::from_value(answer)?;
    }
    println!("created, changed and deleted {at}");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
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

    let (name, again) = ("Made by Rust", "Made by Rust again");
    lives::<api::EventCreate, api::EventUpdate, api::Event>(
        "/events",
        json!({"title": name, "start_date": "2035-05-04 19:00:00", "end_date": "2035-05-04 21:00:00"}),
        json!({"title": again}),
    )?;
    let venue = json!({"venue": name, "city": "Lübeck"});
    lives::<api::VenueCreate, api::VenueUpdate, api::Venue>("/venues", venue, json!({"venue": again}))?;
    lives::<api::OrganizerCreate, api::OrganizerUpdate, api::Organizer>(
        "/organizers",
        json!({"organizer": name}),
        json!({"organizer": again}),
    )?;
    let named = || (json!({"name": name}), json!({"name": again}));
    let (create, update) = named();
    lives::<api::CategoryCreate, api::CategoryUpdate, api::Category>("/categories", create, update)?;
    let (create, update) = named();
    lives::<api::TagCreate, api::TagUpdate, api::Tag>("/tags", create, update)?;
    let body: api::VenueCreate = serde_json::from_value(json!({"venue": name}))?;

    let invalid: api::InvalidParameters = call(Method::GET, "/events?page=0", None, &(), 400)?;
    let forbidden: api::Error = call(Method::POST, "/venues", None, &body, 401)?;
    println!("refused: {}; {:?}", invalid.message, forbidden.code);
    Ok(())
}
