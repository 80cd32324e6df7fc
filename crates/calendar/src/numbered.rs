//! The number that a copy of a record asks for, in a signed header: a site without it would give another one.

use http::{HeaderMap, Method};

use crate::secret::{Secret, unhex};

/// The header with the mark of a request.
pub(crate) const MARK: &str = "x-calendar-edge-mark";

/// The header with the number.
pub(crate) const NUMBER: &str = "x-calendar-edge-number";

/// The largest difference between two clocks, in seconds.
const SKEW: u64 = 60;

// === impl Secret ===

impl Secret {
    /// The number for the request with this mark.
    #[cfg(feature = "site")]
    pub(crate) fn number(&self, id: u64, mark: &str) -> String {
        format!("v1 n={id},s={}", self.sign(&message(id, mark)))
    }

    /// The number that a request asks for, if its mark and its number are signed; `target` is its path and query.
    pub(crate) fn asked_number(
        &self,
        headers: &HeaderMap,
        (method, target, body): (&Method, &str, &[u8]),
        now: u64,
    ) -> Option<u64> {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let (mark, number) = (header(MARK)?, header(NUMBER)?);
        let (made, _) = mark.strip_prefix("v1 t=")?.split_once(',')?;
        let made: u64 = made.parse().ok()?;
        let (id, signature) = number.strip_prefix("v1 n=")?.split_once(",s=")?;
        let id: u64 = id.parse().ok()?;
        let is_marked = self.mark(method.as_str(), target, body, made) == mark && made.abs_diff(now) <= SKEW;
        (is_marked && self.has_signed(&message(id, mark), &unhex(signature)?)).then_some(id)
    }
}

fn message(id: u64, mark: &str) -> String {
    format!("calendar-edge number v1\n{id}\n{mark}")
}

#[cfg(all(test, feature = "site"))]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_number_belongs_to_one_request() {
        let secret = Secret::new(b"a secret of thirty-two characters").expect("long enough");
        let call = (&Method::POST, "/wp-json/tribe/events/v1/events", &b"{}"[..]);
        let mark = secret.mark("POST", call.1, call.2, 1000);
        let headers = |number: &str| {
            let pairs = [(MARK, mark.as_str()), (NUMBER, number)];
            pairs
                .into_iter()
                .map(|(name, value)| {
                    let name = http::HeaderName::from_static(name);
                    (name, HeaderValue::from_str(value).expect("a value"))
                })
                .collect::<HeaderMap>()
        };
        let number = secret.number(7, &mark);
        let asked = |number: &str, call, now| secret.asked_number(&headers(number), call, now);
        assert_eq!(asked(&number, call, 1000), Some(7));
        assert_eq!(asked(&number, call, 1061), None, "too late");
        assert_eq!(asked(&number, (call.0, call.1, b"{\"a\":1}"), 1000), None);
        assert_eq!(asked(&number.replace("n=7", "n=8"), call, 1000), None);
        assert_eq!(asked(&secret.number(7, "another"), call, 1000), None);
    }
}
