//! The key by which an edge recognises its own requests, where the address of a backend leads back to it (T-118).

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::keyed_hash::KeyedHash;

/// The header of requests to backends, and of the refusal of a request that came back. Clients' own never pass.
pub const CIRCLE: HeaderName = HeaderName::from_static("x-calendar-edge-circle");

/// Two values that only this process has, or the edges of one fleet: one names requests, the other proves refusals.
///
/// A client that learns the first can have its own requests refused, and nothing else: what an edge concludes, it concludes
/// from the second, in a response of its backend.
#[derive(Debug)]
pub struct CircleKey {
    hash: KeyedHash,
    request: HeaderValue,
    /// The value of the header in the refusal of a request that came back.
    pub refusal: HeaderValue,
}

// === impl CircleKey ===

impl CircleKey {
    /// The values of a fleet with this hash; without one, of this process.
    pub fn new(fleet: Option<KeyedHash>) -> Self {
        let hash = fleet.unwrap_or_else(KeyedHash::random);
        Self {
            request: hash.of(b"circle: request").into(),
            refusal: hash.of(b"circle: refusal").into(),
            hash,
        }
    }

    /// Names the edge in a request to a backend.
    pub fn sign(&self, request: &mut HeaderMap) {
        request.insert(CIRCLE, self.request.clone());
    }

    /// True if a request is one that this edge, or another one of its fleet, sent to a backend.
    pub fn is_own(&self, request: &HeaderMap) -> bool {
        self.is_found(request, &self.request)
    }

    /// True if a backend's response is the refusal by this edge, or by another one of its fleet.
    pub fn is_refusal(&self, status: StatusCode, response: &HeaderMap) -> bool {
        status == StatusCode::LOOP_DETECTED && self.is_found(response, &self.refusal)
    }

    /// Compares hashes: the time of the comparison shows nothing of the value.
    fn is_found(&self, headers: &HeaderMap, value: &HeaderValue) -> bool {
        let mut found = headers.get_all(CIRCLE).iter();
        found.any(|found| self.hash.of(found.as_bytes()) == self.hash.of(value.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(key: &CircleKey) -> HeaderMap {
        let mut request = HeaderMap::new();
        key.sign(&mut request);
        request
    }

    fn refused(key: &CircleKey) -> HeaderMap {
        HeaderMap::from_iter([(CIRCLE, key.refusal.clone())])
    }

    #[test]
    fn an_edge_recognises_its_own_requests_and_no_others() {
        let (one, other) = (CircleKey::new(None), CircleKey::new(None));
        assert!(one.is_own(&signed(&one)));
        assert!(!one.is_own(&signed(&other)), "another process");
        assert!(
            !one.is_own(&refused(&one)),
            "what a refusal shows names no request"
        );
        assert!(!one.is_own(&HeaderMap::new()));
        for made_up in ["", "0", "18446744073709551615"] {
            let made_up = HeaderMap::from_iter([(CIRCLE, HeaderValue::from_static(made_up))]);
            assert!(!one.is_own(&made_up));
        }
    }

    #[test]
    fn a_second_field_does_not_hide_the_own_one() {
        let key = CircleKey::new(None);
        let mut request = HeaderMap::from_iter([(CIRCLE, HeaderValue::from_static("0"))]);
        request.append(CIRCLE, signed(&key)[CIRCLE].clone());
        assert!(key.is_own(&request));
    }

    #[test]
    fn edges_of_a_fleet_recognise_each_other() {
        let member = |key| CircleKey::new(Some(KeyedHash::new([key; 16])));
        assert!(member(7).is_own(&signed(&member(7))));
        assert!(!member(7).is_own(&signed(&member(8))));
        assert!(member(7).is_refusal(StatusCode::LOOP_DETECTED, &refused(&member(7))));
    }

    #[test]
    fn a_refusal_is_proven_by_its_own_value() {
        let key = CircleKey::new(None);
        let is_refusal = |status, headers: &HeaderMap| key.is_refusal(status, headers);
        assert!(is_refusal(StatusCode::LOOP_DETECTED, &refused(&key)));
        // A site that echoes the request, and a host that sends 508 where a site uses too much.
        assert!(!is_refusal(StatusCode::LOOP_DETECTED, &signed(&key)));
        assert!(!is_refusal(StatusCode::LOOP_DETECTED, &HeaderMap::new()));
        assert!(!is_refusal(StatusCode::OK, &refused(&key)));
    }
}
