//! The life of a response as the site states it to shared caches (RFC 9111 sections 4.2.1, 5.2.2 and 5.3).

use std::time::{Duration, UNIX_EPOCH};

use http::header::{AGE, CACHE_CONTROL, DATE, EXPIRES};
use http::{HeaderMap, HeaderName};

use crate::unix_time::UnixTime;

/// The site's statements; nothing by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatedLife {
    /// The time for which the response is fresh when it arrives: of `s-maxage`, else of `max-age`, else of `Expires`.
    pub fresh: Option<Duration>,
    /// True if it must not be served stale, not even when the site fails: `must-revalidate`, `proxy-revalidate` or
    /// `s-maxage`.
    pub must_revalidate: bool,
}

/// The longest lifetime that is distinguished, in seconds (RFC 9111 section 1.2.2).
const LONGEST: u64 = 1 << 31;

// === impl StatedLife ===

impl StatedLife {
    /// Reads the headers of a response that arrives at the time `now`. A lifetime that cannot be read has ended.
    pub fn of(headers: &HeaderMap, now: UnixTime) -> Self {
        let (mut s_maxage, mut max_age, mut must_revalidate) = (None, None, false);
        for field in headers.get_all(CACHE_CONTROL) {
            let text = field.to_str().ok();
            let Some(text) = text.filter(|text| text.matches('"').count() % 2 == 0) else {
                // A directive that cannot be read may mean anything.
                shorten(&mut max_age, Duration::ZERO);
                continue;
            };
            for item in items(text) {
                let (name, value) = item.split_once('=').unwrap_or((item, ""));
                let is = |known: &str| name.trim().eq_ignore_ascii_case(known);
                if is("s-maxage") {
                    shorten(&mut s_maxage, seconds(value));
                } else if is("max-age") {
                    shorten(&mut max_age, seconds(value));
                }
                must_revalidate |= is("must-revalidate") || is("proxy-revalidate");
            }
        }
        let fresh = s_maxage.or(max_age).or_else(|| expires(headers, now));
        Self {
            fresh: fresh.map(|fresh| fresh.saturating_sub(stated_age(headers))),
            must_revalidate: must_revalidate || s_maxage.is_some(),
        }
    }

    /// True if the lifetime has ended when the response is so old.
    pub fn has_ended(&self, age: Duration) -> bool {
        self.fresh.is_some_and(|fresh| fresh <= age)
    }
}

/// The members of a list, whose commas within quotation marks part nothing.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(move |letter| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match letter {
            '\\' if is_quoted => is_escaped = !was_escaped,
            '"' if !was_escaped => is_quoted = !is_quoted,
            _ => {}
        }
        letter == ',' && !is_quoted
    })
}

/// The shortest of several lifetimes counts.
fn shorten(stated: &mut Option<Duration>, further: Duration) {
    *stated = Some(stated.map_or(further, |stated| stated.min(further)));
}

/// A number of seconds, with or without quotation marks; zero if it is none.
fn seconds(value: &str) -> Duration {
    let value = value.trim();
    let unquoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let digits = unquoted.unwrap_or(value);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = if is_number {
        digits.parse().unwrap_or(LONGEST)
    } else {
        0
    };
    Duration::from_secs(number.min(LONGEST))
}

/// The time up to `Expires`, by the clock of the site where it shows one.
fn expires(headers: &HeaderMap, now: UnixTime) -> Option<Duration> {
    let fields = headers.get_all(EXPIRES);
    let since = times(headers, &DATE).flatten().next().unwrap_or(now);
    let left = |end: Option<UnixTime>| end.unwrap_or_default().saturating_since(since);
    fields.iter().next()?;
    times(headers, &EXPIRES).map(left).min()
}

/// The times in all fields of a name.
fn times<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = Option<UnixTime>> + 'h {
    headers.get_all(name).into_iter().map(|field| {
        let time = httpdate::parse_http_date(field.to_str().ok()?.trim()).ok()?;
        time.duration_since(UNIX_EPOCH).ok().map(UnixTime::after_epoch)
    })
}

/// The time that the response was in caches before (RFC 9111 section 5.1).
pub fn stated_age(headers: &HeaderMap) -> Duration {
    let fields = headers.get_all(AGE).iter();
    fields
        .filter_map(|field| field.to_str().ok())
        .map(seconds)
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const NOW: UnixTime = UnixTime::from_secs(784_111_777);

    fn stated(fields: &[(&'static str, &str)]) -> StatedLife {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        StatedLife::of(&headers, NOW)
    }

    fn fresh(fields: &[(&'static str, &str)]) -> Option<u64> {
        stated(fields).fresh.map(|fresh| fresh.as_secs())
    }

    #[test]
    fn lifetimes_are_read_in_every_form() {
        for (text, expected) in [
            ("public", None),
            ("max-age=60", Some(60)),
            ("MAX-AGE = 60", Some(60)),
            ("max-age=\"60\"", Some(60)),
            ("max-age=0", Some(0)),
            ("max-age=60, max-age=5", Some(5)),
            ("max-age=60, s-maxage=0", Some(0)),
            ("s-maxage=90, max-age=0", Some(90)),
            ("max-age", Some(0)),
            ("max-age=", Some(0)),
            ("max-age=-1", Some(0)),
            ("max-age=1.5", Some(0)),
            ("max-age=99999999999999999999", Some(LONGEST)),
            ("x=\"a, max-age=0\", max-age=60", Some(60)),
            ("x=\"a\\\"\", max-age=60", Some(0)),
            ("x=\"a, max-age=60", Some(0)),
            ("x-max-age=0", None),
        ] {
            assert_eq!(fresh(&[("cache-control", text)]), expected, "{text}");
        }
        assert_eq!(
            fresh(&[("cache-control", "public"), ("cache-control", "max-age=3")]),
            Some(3)
        );
    }

    #[test]
    fn expires_counts_where_no_age_is_stated() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:00 GMT");
        for (text, expected) in [
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
            ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun Nov  6 08:50:37 1994", 60),
            ("Wed, 11 Jan 1984 05:00:00 GMT", 0),
            ("0", 0),
            ("-1", 0),
            ("", 0),
        ] {
            assert_eq!(fresh(&[("expires", text)]), Some(expected), "{text}");
            let with_date = if expected == 0 { 0 } else { expected + 37 };
            assert_eq!(fresh(&[("expires", text), date]), Some(with_date), "{text}");
            assert_eq!(
                fresh(&[("expires", text), ("cache-control", "max-age=5")]),
                Some(5)
            );
        }
        let later = ("expires", "Sun, 06 Nov 1994 08:50:37 GMT");
        assert_eq!(fresh(&[later, ("expires", "0")]), Some(0));
        assert_eq!(fresh(&[later, ("date", "x")]), Some(60));
    }

    #[test]
    fn the_time_in_other_caches_counts() {
        assert_eq!(fresh(&[("cache-control", "max-age=60"), ("age", "45")]), Some(15));
        assert_eq!(fresh(&[("cache-control", "max-age=60"), ("age", "61")]), Some(0));
        assert_eq!(fresh(&[("cache-control", "max-age=60"), ("age", "x")]), Some(60));
        assert_eq!(fresh(&[("age", "45")]), None);
    }

    #[test]
    fn stale_service_is_forbidden_by_three_directives() {
        for (text, expected) in [
            ("must-revalidate", true),
            ("Proxy-Revalidate", true),
            ("s-maxage=60", true),
            ("max-age=60", false),
            ("x=\"must-revalidate\"", false),
        ] {
            assert_eq!(
                stated(&[("cache-control", text)]).must_revalidate,
                expected,
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(control in proptest::collection::vec(32_u8..=255, 0..60), expires in "[ -~]{0,40}") {
            let mut headers = HeaderMap::new();
            headers.append(CACHE_CONTROL, HeaderValue::from_bytes(&control).unwrap_or(HeaderValue::from_static("")));
            headers.append(EXPIRES, HeaderValue::from_str(&expires).unwrap());
            let _ = StatedLife::of(&headers, NOW);
        }
    }
}
