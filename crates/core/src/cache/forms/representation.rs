//! `Accept`: the form of events that a client prefers (RFC 9110 section 12.5.1).

use http::HeaderMap;
use http::header::ACCEPT;

use crate::cache::weight::{Weight, weight};
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::contract::{Action, Kind};

/// The media type of iCalendar (RFC 5545).
pub const CALENDAR: &str = "text/calendar";

/// Returns true if the response to a call has another form than JSON where the settings offer one: it reads events.
pub fn reads_events(call: &ForwardableCall) -> bool {
    call.operation().is_some_and(|operation| {
        operation.id.kind() == Some(Kind::Event) && matches!(operation.id.action, Action::List | Action::Read)
    })
}

/// True if a client gets the response to a call as a calendar, in place of JSON.
///
/// That is for clients that name it, and that do not like JSON better. A script or an envelope has JSON inside, and an
/// unacceptable response is better than none: a client that names nothing that is offered gets JSON.
pub fn wants_calendar(
    offers_calendar: bool,
    call: &ForwardableCall,
    is_calendar_file: bool,
    headers: &HeaderMap,
) -> bool {
    let may_differ = offers_calendar && reads_events(call);
    let has_json_inside = || call.expects_javascript || call.expects_envelope;
    may_differ && !has_json_inside() && (is_calendar_file || prefers_calendar(headers))
}

fn prefers_calendar(headers: &HeaderMap) -> bool {
    // The closeness with which a media range names JSON, and its weight: the closest counts, and of equal ones the
    // first.
    let (mut closeness, mut json, mut calendar) = (0, 0, None);
    for (range, weight) in accepted_ranges(headers) {
        let named = match range {
            "*/*" => 1,
            _ if range.eq_ignore_ascii_case("application/*") => 2,
            _ if range.eq_ignore_ascii_case("application/json") => 3,
            _ => 0,
        };
        if named > closeness {
            (closeness, json) = (named, weight);
        }
        if range.eq_ignore_ascii_case(CALENDAR) {
            calendar.get_or_insert(weight);
        }
    }
    let weight = calendar.unwrap_or(0);
    weight > json || (weight > 0 && weight == json && closeness < 3)
}

/// Returns true if a client names this media type, and takes it.
pub fn names_media_type(headers: &HeaderMap, media_type: &str) -> bool {
    accepted_ranges(headers).any(|(range, weight)| weight > 0 && range.eq_ignore_ascii_case(media_type))
}

fn accepted_ranges(headers: &HeaderMap) -> impl Iterator<Item = (&str, Weight)> {
    let fields = headers.get_all(ACCEPT).iter();
    let fields = fields.filter_map(|field| field.to_str().ok());
    fields.flat_map(|field| field.split(',')).filter_map(item)
}

/// One item: a media range, and its weight, 1 by default. Its other parameters do not count.
fn item(text: &str) -> Option<(&str, Weight)> {
    let mut parts = text.split(';').map(str::trim);
    let range = parts.next()?;
    let said = parts.find(|part| part.starts_with("q=") || part.starts_with("Q="));
    let weight = said.map_or(Some(1000), weight)?;
    (!range.is_empty()).then_some((range, weight))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;
    use crate::cache::tests::get;

    fn headers(fields: &[&str]) -> HeaderMap {
        let fields = fields.iter().map(|field| HeaderValue::from_str(field).unwrap());
        fields.map(|field| (ACCEPT, field)).collect()
    }

    fn accepted(fields: &[&str]) -> bool {
        prefers_calendar(&headers(fields))
    }

    #[test]
    fn a_client_gets_the_form_that_it_names_and_likes_best() {
        for (field, expected) in [
            ("text/calendar", true),
            ("Text/Calendar; charset=utf-8", true),
            ("text/calendar;component=VEVENT;q=0.3", true),
            ("text/calendar, */*", true),
            ("text/calendar,text/plain;q=0.8,*/*;q=0.5", true),
            ("text/calendar;q=0.5, */*", false),
            ("text/calendar;q=0.5, application/json;q=0.4", true),
            ("text/calendar, application/json", false),
            ("application/json;q=0.9, text/calendar", true),
            ("application/json;q=0.9, text/calendar;q=0.95, */*", true),
            ("*/*, application/json;q=0, text/calendar;q=0.1", true),
            ("application/*;q=0.2, */*, text/calendar;q=0.3", true),
            ("text/calendar;q=0", false),
            ("text/calendar;q=0.000, */*;q=0.1", false),
            ("application/ld+json", false),
            ("application/ld+json, text/calendar", true),
            ("*/*", false),
            ("text/*", false),
            ("application/*", false),
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8",
                false,
            ),
            ("application/json", false),
            ("image/png", false),
            ("", false),
            ("text/calendar;q=2", false),
            ("text/calendar;q=x", false),
            ("text/calendarx", false),
        ] {
            assert_eq!(accepted(&[field]), expected, "{field}");
        }
        assert!(!accepted(&[]));
        assert!(accepted(&["text/html", "text/calendar"]));
    }

    #[test]
    fn a_media_type_counts_where_it_is_named_with_a_weight() {
        for (field, expected) in [
            ("text/event-stream", true),
            ("*/*, Text/Event-Stream;q=0.1", true),
            ("text/event-stream;q=0", false),
            ("text/event-stream ; q=0.0, */*", false),
            ("*/*", false),
            ("text/event-streams", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(field));
            assert_eq!(
                names_media_type(&headers, "text/event-stream"),
                expected,
                "{field}"
            );
        }
        assert!(!names_media_type(&HeaderMap::new(), "text/event-stream"));
    }

    #[test]
    fn what_is_not_offered_is_not_given() {
        let call = get("/events");
        let headers = headers(&["text/calendar"]);
        for (offers, is_file, expected) in [
            (false, false, false),
            (false, true, false),
            (true, false, true),
            (true, true, true),
        ] {
            assert_eq!(wants_calendar(offers, &call, is_file, &headers), expected);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                let mut headers = HeaderMap::new();
                headers.insert(ACCEPT, value);
                let _ = prefers_calendar(&headers);
            }
        }
    }
}
