//! `Accept`: the form of events that a client asks for (RFC 9110 section 12.5.1).

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};

use crate::cache::weight::{Weight, weight};
use crate::settings::FormSettings;
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::contract::{Action, Kind};

/// The form of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Representation {
    /// JSON, as WordPress answers.
    #[default]
    Json,
    /// iCalendar (RFC 5545).
    Calendar,
}

/// The forms that the settings offer beside JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OfferedRepresentations {
    calendar: bool,
}

/// How much a client likes JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct JsonWish {
    /// How closely the media range names JSON: 1 for any type, 3 for its own.
    named: u8,
    weight: Weight,
}

// === impl Representation ===

impl Representation {
    /// The media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Calendar => "text/calendar",
        }
    }

    /// The value of `Content-Type`.
    pub const fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => "application/json; charset=UTF-8",
            Self::Calendar => "text/calendar; charset=utf-8",
        })
    }
}

// === impl OfferedRepresentations ===

impl OfferedRepresentations {
    /// The forms of these settings.
    pub const fn new(settings: &FormSettings) -> Self {
        Self {
            calendar: settings.calendar,
        }
    }

    /// Returns true if there is a form beside JSON.
    pub const fn are_several(self) -> bool {
        self.calendar
    }

    /// The forms of the response to a call: it reads events.
    #[must_use]
    pub fn of(self, call: &ForwardableCall) -> Self {
        let reads_events = call.operation().is_some_and(|operation| {
            operation.id.kind() == Some(Kind::Event)
                && matches!(operation.id.action, Action::List | Action::Read)
        });
        Self {
            calendar: self.calendar && reads_events,
        }
    }

    /// The form that a client gets of the response to a call.
    ///
    /// Another form than JSON is for clients that name it, and that do not like JSON better. A script or an envelope has
    /// JSON inside, and an unacceptable answer is better than none: whoever names nothing that is offered gets JSON.
    pub fn chosen(
        self,
        call: &ForwardableCall,
        is_calendar_file: bool,
        headers: &HeaderMap,
    ) -> Representation {
        let offered = self.of(call);
        if !offered.are_several() || call.expects_javascript() || call.expects_envelope() {
            return Representation::Json;
        }
        if is_calendar_file {
            return Representation::Calendar;
        }
        offered.accepted(headers)
    }

    fn accepted(self, headers: &HeaderMap) -> Representation {
        let (mut json, mut calendar) = (JsonWish::default(), None);
        for (range, weight) in accepted_ranges(headers) {
            json.note(range, weight);
            if range.eq_ignore_ascii_case(Representation::Calendar.media_type()) {
                calendar.get_or_insert(weight);
            }
        }
        let weight = calendar.filter(|_| self.calendar).unwrap_or(0);
        if weight > json.weight || (weight > 0 && weight == json.weight && !json.is_exact()) {
            Representation::Calendar
        } else {
            Representation::Json
        }
    }
}

// === impl JsonWish ===

impl JsonWish {
    /// The closest range counts, and of equal ones the first.
    fn note(&mut self, range: &str, weight: Weight) {
        let named = match range {
            "*/*" => 1,
            _ if range.eq_ignore_ascii_case("application/*") => 2,
            _ if range.eq_ignore_ascii_case(Representation::Json.media_type()) => 3,
            _ => 0,
        };
        if named > self.named {
            *self = Self { named, weight };
        }
    }

    const fn is_exact(self) -> bool {
        self.named == 3
    }
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

/// One item: a media range, and its weight of 1 unless it says another. Its other parameters do not count.
fn item(text: &str) -> Option<(&str, Weight)> {
    let mut parts = text.split(';').map(str::trim);
    let range = parts.next()?;
    let said = parts.find(|part| part.starts_with("q=") || part.starts_with("Q="));
    let weight = said.map_or(Some(1000), weight)?;
    (!range.is_empty()).then_some((range, weight))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: OfferedRepresentations = OfferedRepresentations { calendar: true };

    fn accepted(offered: OfferedRepresentations, fields: &[&str]) -> Representation {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(ACCEPT, HeaderValue::from_str(field).unwrap());
        }
        offered.accepted(&headers)
    }

    #[test]
    fn a_client_gets_the_form_that_it_names_and_likes_best() {
        use Representation::{Calendar, Json};
        for (field, expected) in [
            ("text/calendar", Calendar),
            ("Text/Calendar; charset=utf-8", Calendar),
            ("text/calendar;component=VEVENT;q=0.3", Calendar),
            ("text/calendar, */*", Calendar),
            ("text/calendar,text/plain;q=0.8,*/*;q=0.5", Calendar),
            ("text/calendar;q=0.5, */*", Json),
            ("text/calendar;q=0.5, application/json;q=0.4", Calendar),
            ("text/calendar, application/json", Json),
            ("application/json;q=0.9, text/calendar", Calendar),
            ("application/json;q=0.9, text/calendar;q=0.95, */*", Calendar),
            ("*/*, application/json;q=0, text/calendar;q=0.1", Calendar),
            ("application/*;q=0.2, */*, text/calendar;q=0.3", Calendar),
            ("text/calendar;q=0", Json),
            ("text/calendar;q=0.000, */*;q=0.1", Json),
            ("application/ld+json", Json),
            ("application/ld+json, text/calendar", Calendar),
            ("*/*", Json),
            ("text/*", Json),
            ("application/*", Json),
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8",
                Json,
            ),
            ("application/json", Json),
            ("image/png", Json),
            ("", Json),
            ("text/calendar;q=2", Json),
            ("text/calendar;q=x", Json),
            ("text/calendarx", Json),
        ] {
            assert_eq!(accepted(ALL, &[field]), expected, "{field}");
        }
        assert_eq!(accepted(ALL, &[]), Json);
        assert_eq!(accepted(ALL, &["text/html", "text/calendar"]), Calendar);
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
        assert_eq!(
            accepted(OfferedRepresentations::default(), &["text/calendar"]),
            Representation::Json
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                let mut headers = HeaderMap::new();
                headers.insert(ACCEPT, value);
                let _ = ALL.accepted(&headers);
            }
        }
    }
}
