//! The schema.org data (`json_ld`) of single reads.

use jiff::civil::DateTime;
use serde_json::{Map, Value, json};

use crate::records::{Event, Organizer, Venue};
use crate::texts::summary;

/// A venue as a place.
pub(crate) fn place(venue: &Venue) -> Value {
    let mut address = Map::from_iter([("@type".to_owned(), "PostalAddress".into())]);
    for (name, text) in [
        ("streetAddress", &venue.address),
        ("addressLocality", &venue.city),
        ("addressRegion", &venue.stateprovince),
        ("postalCode", &venue.zip),
        ("addressCountry", &venue.country),
    ] {
        if !text.is_empty() {
            address.insert(name.to_owned(), text.as_str().into());
        }
    }
    json!({
        "@type": "Place",
        "name": venue.venue,
        "description": summary(&venue.description),
        "url": "",
        "address": address,
        "telephone": venue.phone,
        "sameAs": venue.website,
    })
}

/// An organizer as a person. WordPress writes the address of e-mail with entities that it picks at random.
pub(crate) fn person(organizer: &Organizer) -> Value {
    json!({
        "@type": "Person",
        "name": organizer.organizer,
        "description": summary(&organizer.description),
        "url": organizer.website,
        "telephone": organizer.phone,
        "email": organizer.email,
        "sameAs": organizer.website,
    })
}

/// An event with its place and its first organizer, and the currency of its cost.
pub(crate) fn event(
    event: &Event,
    place: Option<Value>,
    person: Option<Value>,
    currency: &str,
) -> Map<String, Value> {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    let text = if event.excerpt.is_empty() {
        &event.description
    } else {
        &event.excerpt
    };
    put("@context", "http://schema.org".into());
    put("@type", "Event".into());
    put("name", event.title.as_str().into());
    put("description", summary(text).into());
    if let Some(image) = event.image.0.get("url") {
        put("image", image.clone());
    }
    put("url", event.url.as_str().into());
    put(
        "eventAttendanceMode",
        "https://schema.org/OfflineEventAttendanceMode".into(),
    );
    put("eventStatus", "https://schema.org/EventScheduled".into());
    put(
        "startDate",
        with_offset(&event.start_date, &event.utc_start_date).into(),
    );
    put(
        "endDate",
        with_offset(&event.end_date, &event.utc_end_date).into(),
    );
    place.map(|place| put("location", place));
    person.map(|person| put("organizer", person));
    if let Some(price) = event.cost_details.0.values.first() {
        put("offers", offer(event, price, currency));
    }
    put("performer", "Organization".into());
    members
}

fn offer(event: &Event, price: &str, currency: &str) -> Value {
    let day = event.date.split(' ').next().unwrap_or_default();
    json!({
        "@type": "Offer",
        "price": price,
        "priceCurrency": currency,
        "url": event.url,
        "category": "primary",
        "availability": "inStock",
        "validFrom": format!("{day}T00:00:00+00:00"),
    })
}

/// A local time with its distance from the same time in UTC.
fn with_offset(local: &str, utc: &str) -> String {
    let minutes = match (local.parse::<DateTime>(), utc.parse::<DateTime>()) {
        (Ok(local), Ok(utc)) => local.duration_since(utc).as_mins(),
        _ => 0,
    };
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    let local = local.replace(' ', "T");
    format!("{local}{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}
