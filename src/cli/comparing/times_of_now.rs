//! Times in answers that say when the question was asked, and nothing else.
//!
//! A list of events without `start_date` begins today, and its answer prints that day in the addresses of its pages. What
//! was recorded last week names another day than an answer of today, and both are right.

use bytes::Bytes;

/// The parameters of a question that were left to the clock.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TimesOfNow {
    start: bool,
    end: bool,
}

// === impl TimesOfNow ===

impl TimesOfNow {
    /// Those of a target with its query.
    pub(super) fn of(target: &str) -> Self {
        Self {
            start: !target.contains("start_date"),
            end: !target.contains("end_date"),
        }
    }

    /// The body with `now` for each of these times.
    pub(super) fn neutral(self, body: Bytes) -> Bytes {
        let Ok(text) = std::str::from_utf8(&body) else {
            return body;
        };
        let names = [(self.start, "start_date="), (self.end, "end_date=")];
        let mut neutral = text.to_owned();
        for (_, name) in names.into_iter().filter(|(is_now, _)| *is_now) {
            let mut parts = neutral.split(name);
            let mut joined = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                joined.push_str(name);
                match after_time(part) {
                    Some(rest) => joined.extend(["now", rest]),
                    None => joined.push_str(part),
                }
            }
            neutral = joined;
        }
        if neutral == text { body } else { neutral.into() }
    }
}

/// The rest behind a time such as `2026-11-20 00:00:00`, in any encoding of a query.
fn after_time(text: &str) -> Option<&str> {
    let mut rest = digits(text, 4)?;
    for (marks, count) in [
        (&["-"][..], 2),
        (&["-"], 2),
        (&[" ", "+", "%20"], 2),
        (&[":", "%3A"], 2),
        (&[":", "%3A"], 2),
    ] {
        rest = marks.iter().find_map(|mark| rest.strip_prefix(mark))?;
        rest = digits(rest, count)?;
    }
    Some(rest)
}

/// The rest behind so many digits.
fn digits(text: &str, count: usize) -> Option<&str> {
    let (number, rest) = text.split_at_checked(count)?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_that_nobody_asked_for_are_neutral() {
        let body = r#"{"rest_url":"http:\/\/a\/events\/?page=1&start_date=2026-11-20 00:00:00&end_date=2028-11-20+23%3A59%3A59&status=publish","start_date":"2027-01-01 08:00:00"}"#;
        let both = body
            .replace("=2026-11-20 00:00:00", "=now")
            .replace("=2028-11-20+23%3A59%3A59", "=now");
        for (target, expected) in [
            ("/events", both.as_str()),
            ("/events?start_date=a&end_date=b", body),
            (
                "/events?start_date=2026-11-20",
                &body.replace("=2028-11-20+23%3A59%3A59", "=now"),
            ),
        ] {
            let neutral = TimesOfNow::of(target).neutral(Bytes::copy_from_slice(body.as_bytes()));
            assert_eq!(neutral, expected, "{target}");
        }
        for other in [
            "start_date=",
            "start_date=2026-11-20",
            "start_date=tomorrow",
            "\u{fffd}",
        ] {
            assert_eq!(TimesOfNow::of("/").neutral(Bytes::from(other)), other);
        }
    }
}
