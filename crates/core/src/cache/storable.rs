//! The responses of the site that may be kept.

use std::time::Duration;

use http::header::{CACHE_CONTROL, SET_COOKIE, VARY};
use http::{HeaderMap, HeaderName, StatusCode};

use super::nonce::shows_nonce;
use super::stated::StatedLife;

/// The decision whether a response of the site may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storable {
    /// It may, as long as it is fresh.
    Yes,
    /// It may for a short time: there is nothing here, or nothing any more.
    Briefly,
    /// It is a failure of the site, which is the same for every client that waits.
    Failure,
    /// It is for the client of the request, and for no other.
    No,
}

/// A new nonce for the client of the request.
const NONCE: HeaderName = HeaderName::from_static("x-wp-nonce");

/// The request headers that the edge forwards and that differ from client to client.
const FORWARDED: [&str; 4] = ["*", "user-agent", "x-forwarded-for", "x-request-id"];

// === impl Storable ===

impl Storable {
    /// Judges a response to an anonymous read by status and headers, as the site sent them, and by the life that the site
    /// states for it.
    pub fn of(status: StatusCode, headers: &HeaderMap, stated: StatedLife) -> Self {
        if is_personal(headers) {
            return Self::No;
        }
        match status {
            _ if status.is_server_error() => Self::Failure,
            _ if stated.has_ended(Duration::ZERO) => Self::No,
            StatusCode::OK => Self::Yes,
            StatusCode::NOT_FOUND | StatusCode::GONE => Self::Briefly,
            _ => Self::No,
        }
    }

    /// The same for a response with this body: one that shows a nonce is for the client of the request.
    #[must_use]
    pub fn with_body(self, body: &[u8]) -> Self {
        match self {
            Self::Yes | Self::Briefly if shows_nonce(body) => Self::No,
            _ => self,
        }
    }
}

fn is_personal(headers: &HeaderMap) -> bool {
    headers.contains_key(SET_COOKIE)
        || headers.contains_key(NONCE)
        || has_any(headers, &CACHE_CONTROL, &["private", "no-store", "no-cache"])
        || has_any(headers, &VARY, &FORWARDED)
}

/// Returns true if a list of tokens names one of these; a value behind `=` does not count.
pub(super) fn has_any(headers: &HeaderMap, name: &HeaderName, tokens: &[&str]) -> bool {
    headers.get_all(name).iter().any(|field| {
        // A field that cannot be read may have any.
        field.to_str().map_or(true, |text| {
            text.split(',').any(|item| {
                let token = item.split('=').next().unwrap_or_default().trim();
                tokens.iter().any(|known| token.eq_ignore_ascii_case(known))
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::unix_time::UnixTime;

    fn judge(status: u16, fields: &[(&'static str, &'static str)]) -> Storable {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_static(value));
        }
        let stated = StatedLife::of(&headers, UnixTime::from_secs(489_936 * 3600));
        Storable::of(StatusCode::from_u16(status).unwrap(), &headers, stated)
    }

    #[test]
    fn only_answers_for_everybody_are_kept() {
        for (status, fields, expected) in [
            (200, &[][..], Storable::Yes),
            (200, &[("vary", "Origin, Accept-Encoding")], Storable::Yes),
            (200, &[("cache-control", "public, max-age=60")], Storable::Yes),
            (404, &[], Storable::Briefly),
            (410, &[], Storable::Briefly),
            (500, &[], Storable::Failure),
            (503, &[], Storable::Failure),
            (201, &[], Storable::No),
            (204, &[], Storable::No),
            (400, &[], Storable::No),
            (401, &[], Storable::No),
            (403, &[], Storable::No),
            (429, &[], Storable::No),
            (200, &[("set-cookie", "a=b")], Storable::No),
            (200, &[("cache-control", "max-age=9, Private")], Storable::No),
            (200, &[("cache-control", "private=\"x\"")], Storable::No),
            (
                200,
                &[("cache-control", "public"), ("cache-control", "NO-STORE")],
                Storable::No,
            ),
            (200, &[("cache-control", "no-cache")], Storable::No),
            (200, &[("vary", "*")], Storable::No),
            (200, &[("vary", "Origin"), ("vary", "User-Agent")], Storable::No),
            (503, &[("set-cookie", "a=b")], Storable::No),
            (404, &[("cache-control", "private")], Storable::No),
            (200, &[("cache-control", "max-age=0")], Storable::No),
            (200, &[("cache-control", "max-age=60, s-maxage=0")], Storable::No),
            (200, &[("expires", "0")], Storable::No),
            (404, &[("expires", "Wed, 11 Jan 1984 05:00:00 GMT")], Storable::No),
            (500, &[("cache-control", "max-age=0")], Storable::Failure),
            (200, &[("x-wp-nonce", "1a2b3c4d5e")], Storable::No),
        ] {
            assert_eq!(judge(status, fields), expected, "{status} {fields:?}");
        }
    }
}
