//! The id of a request.

use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

/// The header with the id, in requests and responses.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Maximum length of an id from a trusted proxy, in bytes.
const LONGEST: usize = 128;

/// The id of one request.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(HeaderValue);

// === impl RequestId ===

impl RequestId {
    /// A new id; ids sort by time of creation. The rest of it is random and cannot be guessed: it comes from a
    /// cryptographic generator of the thread, which the system seeds.
    pub(super) fn fresh() -> Self {
        let mut text = [0; Hyphenated::LENGTH];
        let text = Uuid::now_v7().hyphenated().encode_lower(&mut text);
        Self(HeaderValue::from_str(text).expect("a UUID is made of letters, digits and hyphens"))
    }

    /// The id that a request came with, if it is valid.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(X_REQUEST_ID).iter();
        let value = values.next().filter(|value| is_sane(value.as_bytes()))?;
        values.next().is_none().then(|| Self(value.clone()))
    }

    /// The id as text.
    pub(crate) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// The id as a header's value.
    pub(crate) fn value(&self) -> &HeaderValue {
        &self.0
    }
}

/// Letters, digits and a few separators: no character with a meaning in a log or a header.
fn is_sane(id: &[u8]) -> bool {
    !id.is_empty()
        && id.len() <= LONGEST
        && id.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'=' | b'/')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_only_sane_ids() {
        for (id, expected) in [
            ("0191f2a4-7b1c", true),
            ("Root=1-67891233-abcdef", true),
            ("", false),
            ("a b", false),
            ("a\"b", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(X_REQUEST_ID, HeaderValue::from_str(id).unwrap());
            assert_eq!(RequestId::of(&headers).is_some(), expected, "{id}");
        }
        let long = [b'a'; LONGEST + 1];
        assert!(!is_sane(&long));
        assert!(is_sane(&long[1..]));
    }

    #[test]
    fn two_ids_count_as_none() {
        let mut headers = HeaderMap::new();
        headers.append(X_REQUEST_ID, HeaderValue::from_static("a"));
        headers.append(X_REQUEST_ID, HeaderValue::from_static("b"));
        assert!(RequestId::of(&headers).is_none());
    }

    #[test]
    fn fresh_ids_differ_and_sort_by_time() {
        let first = RequestId::fresh();
        let others: Vec<RequestId> = (0..1000).map(|_| RequestId::fresh()).collect();
        assert!(others.iter().all(|other| other.as_str() != first.as_str()));
        std::thread::sleep(std::time::Duration::from_millis(2));
        let elsewhere = std::thread::spawn(RequestId::fresh).join().unwrap();
        assert!(others.iter().all(|other| other.as_str() < elsewhere.as_str()));
        // Two ids of one moment share the time, and nothing else.
        let random = |id: &RequestId| id.as_str()[24..].to_owned();
        assert!(others.iter().all(|other| random(other) != random(&first)));
    }
}
