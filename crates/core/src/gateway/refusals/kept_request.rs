//! A request that was refused or is recorded, without its secrets.

use http::request::Parts;
use http::uri::{Authority, PathAndQuery};
use http::{HeaderMap, Uri};

use super::recorded_body::{DecidingBody, RecordedPart};
use super::{parameters, recorded_headers};

/// Maximum bytes of a head that is kept.
const MOST_HEAD_BYTES: usize = 8 * 1024;

/// A request without its secrets, at most some 12 KiB.
#[derive(Debug, Clone)]
pub struct KeptRequest {
    /// Its head.
    pub head: Parts,
    /// The kept part of its body.
    pub body: RecordedPart,
    /// The names of the headers, parameters and members whose values were replaced.
    pub redacted: Vec<String>,
}

// === impl KeptRequest ===

impl KeptRequest {
    /// A request with the body that decides; `None` for a head that is too large to be kept.
    pub fn keep(head: &Parts, body: DecidingBody<'_>) -> Option<Self> {
        if head_bytes(&head.headers, &head.uri) > MOST_HEAD_BYTES {
            return None;
        }
        let (kept, mut redacted) = recorded_headers::redacted(&head.headers);
        let (mut parts, ()) = http::Request::new(()).into_parts();
        parts.method = head.method.clone();
        parts.version = head.version;
        parts.uri = without_secrets(&head.uri, &mut redacted);
        parts.headers = kept;
        let body = RecordedPart::of(&head.headers, body, &mut redacted);
        Some(Self {
            head: parts,
            body,
            redacted,
        })
    }

    /// The bytes of memory that it takes, about.
    pub fn weight(&self) -> usize {
        head_bytes(&self.head.headers, &self.head.uri) + self.body.len() + size_of::<Self>()
    }
}

fn head_bytes(headers: &HeaderMap, uri: &Uri) -> usize {
    let fields = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 64);
    let target = uri.path_and_query().map_or(0, |target| target.as_str().len());
    target + fields.sum::<usize>()
}

fn without_secrets(uri: &Uri, redacted: &mut Vec<String>) -> Uri {
    let mut parts = uri.clone().into_parts();
    if let Some(authority) = uri.authority().and_then(without_user_info) {
        redacted.push("authority".to_owned());
        parts.authority = Some(authority);
    }
    let query = uri.query().unwrap_or_default();
    if let Some((query, names)) = parameters::redacted(query.as_bytes()) {
        redacted.extend(names);
        let target = [uri.path().as_bytes(), b"?", &query].concat();
        // The bytes are those of a target, with fewer letters.
        parts.path_and_query = PathAndQuery::try_from(target).ok();
    }
    detached(&Uri::from_parts(parts).unwrap_or_default())
}

/// The authority with other user info, which is refused as well; none where it has none.
fn without_user_info(authority: &Authority) -> Option<Authority> {
    let (_, host) = authority.as_str().rsplit_once('@')?;
    format!("{}@{host}", parameters::REDACTED).parse().ok()
}

/// A copy: the target that was received may be part of a larger block of memory.
fn detached(uri: &Uri) -> Uri {
    Uri::try_from(uri.to_string()).unwrap_or_else(|_| uri.clone())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn head(target: &str) -> Parts {
        let (mut head, ()) = http::Request::new(()).into_parts();
        head.uri = target.parse().expect("a target");
        head
    }

    #[test]
    fn the_target_stays_but_for_its_secrets() {
        for (target, expected) in [
            ("/a?page=c", "/a?page=c"),
            ("/a", "/a"),
            ("/a?password=c&page=e", "/a?password=redacted&page=e"),
            (
                "http://h.example/a?_wpnonce=c",
                "http://h.example/a?_wpnonce=redacted",
            ),
            (
                "http://editor:secret@h.example:81/a?password=c",
                "http://redacted@h.example:81/a?password=redacted",
            ),
        ] {
            let kept = KeptRequest::keep(&head(target), DecidingBody::None).expect("it is small");
            assert_eq!(kept.head.uri.to_string(), expected);
        }
    }

    #[test]
    fn large_heads_are_not_kept() {
        let long = format!("/{}", "a".repeat(MOST_HEAD_BYTES));
        assert!(KeptRequest::keep(&head(&long), DecidingBody::None).is_none());
    }

    #[test]
    fn nothing_of_the_received_memory_is_held() {
        let mut text = b"[1,2,3]".to_vec();
        text.resize(1 << 16, b' ');
        let part = Bytes::from(text).slice(..8);
        let kept = KeptRequest::keep(&head("/a"), DecidingBody::Read(&part)).expect("it is small");
        let RecordedPart::Whole(kept) = kept.body else {
            panic!("it is whole")
        };
        assert_ne!(kept.as_ptr(), part.as_ptr());
    }
}
