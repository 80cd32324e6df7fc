//! The conditions of a client about the record before a PATCH.

use http::Method;
use http::header::{HeaderMap, IF_MATCH, IF_UNMODIFIED_SINCE};
use jiff::civil::DateTime;

use calendar_edge_judge::contract::patch::ReadRecord;

/// The preconditions of a PATCH (RFC 9110 section 13.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchConditions {
    /// None, or one that is true of every record.
    Always,
    /// The record was not changed after this moment.
    UnmodifiedSince(DateTime),
    /// The record has an entity tag. The edge gives none to callers with credentials, so no record has it.
    Tagged,
}

// === impl PatchConditions ===

impl PatchConditions {
    /// The conditions of a request; `None` if it is no PATCH.
    pub fn of(method: &Method, headers: &HeaderMap) -> Option<Self> {
        if method != Method::PATCH {
            return None;
        }
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        // With `If-Match` the date does not count.
        Some(match (headers.get(IF_MATCH), text(IF_UNMODIFIED_SINCE)) {
            (Some(tags), _) if tags != "*" => Self::Tagged,
            (Some(_), _) | (None, None) => Self::Always,
            // A text that is no date is as good as absent.
            (None, Some(date)) => date_of(date).map_or(Self::Always, Self::UnmodifiedSince),
        })
    }

    /// Returns true if they are true of the record.
    pub fn hold(self, record: &ReadRecord) -> bool {
        match self {
            Self::Always => true,
            Self::UnmodifiedSince(date) => record.modified().is_some_and(|modified| modified <= date),
            Self::Tagged => false,
        }
    }
}

/// Date and time as the header may have them: recipients must accept all three (RFC 9110 section 5.6.7).
const HTTP_DATES: [&str; 3] = [
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %e %H:%M:%S %Y",
];

/// The moment of a header in UTC, in any year: clients send the first one to state "never changed".
fn date_of(header: &str) -> Option<DateTime> {
    let mut forms = HTTP_DATES.iter();
    forms.find_map(|form| DateTime::strptime(form, header).ok())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn of(fields: &[(http::HeaderName, &'static str)]) -> Option<PatchConditions> {
        let fields = fields.iter().cloned();
        let headers = fields.map(|(name, value)| (name, HeaderValue::from_static(value)));
        PatchConditions::of(&Method::PATCH, &headers.collect())
    }

    #[test]
    fn a_tag_counts_before_a_date_and_no_date_counts_as_none() {
        let date = "Fri, 20 Nov 2026 08:39:45 GMT";
        let since = PatchConditions::UnmodifiedSince(date_of(date).unwrap());
        for (fields, expected) in [
            (vec![], PatchConditions::Always),
            (vec![(IF_UNMODIFIED_SINCE, date)], since),
            (vec![(IF_UNMODIFIED_SINCE, "soon")], PatchConditions::Always),
            (
                vec![(IF_MATCH, "*"), (IF_UNMODIFIED_SINCE, date)],
                PatchConditions::Always,
            ),
            (vec![(IF_MATCH, "\"a\"")], PatchConditions::Tagged),
        ] {
            assert_eq!(of(&fields), Some(expected), "{fields:?}");
        }
        assert_eq!(PatchConditions::of(&Method::PUT, &HeaderMap::new()), None);
    }

    #[test]
    fn a_record_meets_the_date_of_its_last_change_and_no_tag() {
        let record = ReadRecord::read(br#"{"modified_utc":"2026-11-20 08:39:45"}"#).unwrap();
        let draft = ReadRecord::read(br#"{"modified_utc":"0000-00-00 00:00:00"}"#).unwrap();
        let since = |date| PatchConditions::UnmodifiedSince(date_of(date).unwrap());
        assert!(since("Fri, 20 Nov 2026 08:39:45 GMT").hold(&record));
        assert!(!since("Fri, 20 Nov 2026 08:39:44 GMT").hold(&record));
        assert!(!since("Fri, 20 Nov 2026 08:39:45 GMT").hold(&draft));
        assert!(PatchConditions::Always.hold(&record) && !PatchConditions::Tagged.hold(&record));
    }

    #[test]
    fn dates_of_headers_are_compared_with_those_of_records() {
        let record = ReadRecord::read(br#"{"modified_utc":"2026-11-20 08:39:45"}"#).unwrap();
        assert_eq!(date_of("Fri, 20 Nov 2026 08:39:45 GMT"), record.modified());
        assert!(date_of("Fri, 20 Nov 2026 08:39:44 GMT") < record.modified());
        assert_eq!(date_of("Friday, 20-Nov-26 08:39:45 GMT"), record.modified());
        assert_eq!(date_of("Fri Nov 20 08:39:45 2026"), record.modified());
        let former = date_of("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(date_of("Sun Nov  6 08:49:37 1994"), former);
        assert_eq!(date_of("Sunday, 06-Nov-94 08:49:37 GMT"), former);
        assert!(former.is_some());
        assert_eq!(date_of("2026-11-20"), None);
        for past in [
            "Mon, 01 Jan 0001 00:00:00 GMT",
            "Wed, 31 Dec 1969 23:59:59 GMT",
            "Fri, 20 Nov 2026 08:38:60 GMT",
        ] {
            let condition = PatchConditions::UnmodifiedSince(date_of(past).unwrap());
            assert!(!condition.hold(&record), "{past}");
        }
    }
}
