//! The method of a request, and the one that WordPress takes in its place.

use http::header::CONNECTION;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::wordpress::value::PhpArray;

/// The header in which a client names another method.
pub const METHOD_OVERRIDE: HeaderName = HeaderName::from_static("x-http-method-override");

/// The method of a request line, with the one that a header names beside it.
#[derive(Debug, Clone, Copy)]
pub struct SentMethod<'a> {
    /// The method on the wire.
    pub wire: &'a Method,
    /// The value of `X-HTTP-Method-Override`; `None` if the request has no such header.
    pub named: Option<&'a [u8]>,
}

/// The reason why WordPress takes no method at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodFault {
    /// `_method` is an array, which ends PHP with a fatal error.
    Array,
    /// The name is no token (RFC 9110 section 5.6.2), so that no route has it.
    NoToken,
}

// === impl SentMethod ===

impl<'a> SentMethod<'a> {
    /// The method of a request.
    pub fn of(head: &'a Parts) -> Self {
        Self {
            wire: &head.method,
            named: method_override(&head.headers).map(HeaderValue::as_bytes),
        }
    }
}

impl SentMethod<'_> {
    /// The method that WordPress takes for a route: `_method` of the query, else the one of the header, else the
    /// one on the wire (backend.md section 6).
    ///
    /// # Errors
    /// The name is no method.
    pub fn taken(self, query: &PhpArray) -> Result<Method, MethodFault> {
        let named = match query.get("_method") {
            Some(value) => Some(value.as_text().ok_or(MethodFault::Array)?),
            None => self.named,
        };
        let Some(named) = named else {
            return Ok(self.wire.clone());
        };
        Method::from_bytes(&named.to_ascii_uppercase()).map_err(|_| MethodFault::NoToken)
    }

    /// The same for the calendar: beside a method that reads, and one that is unknown, no other one counts.
    ///
    /// # Errors
    /// The name is no method.
    pub fn taken_for_write(self, query: &PhpArray) -> Result<Method, MethodFault> {
        match *self.wire {
            Method::POST | Method::PUT | Method::PATCH | Method::DELETE => self.taken(query),
            _ => Ok(self.wire.clone()),
        }
    }
}

impl<'a> From<&'a Method> for SentMethod<'a> {
    fn from(wire: &'a Method) -> Self {
        Self { wire, named: None }
    }
}

/// The field that names another method, if it goes on to the site: the last one, unless `Connection` names it (T-101).
pub fn method_override(headers: &HeaderMap) -> Option<&HeaderValue> {
    let named = headers.get_all(METHOD_OVERRIDE).iter().next_back()?;
    nominated(headers)
        .all(|name| name != METHOD_OVERRIDE)
        .then_some(named)
}

/// The headers that `Connection` names.
pub fn nominated(headers: &HeaderMap) -> impl Iterator<Item = HeaderName> {
    let fields = headers.get_all(CONNECTION).iter();
    let fields = fields.filter_map(|value| value.to_str().ok());
    fields
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::payload::parse_form;

    #[test]
    fn t109_the_query_counts_before_the_header_and_reads_stay_reads() {
        use MethodFault::{Array, NoToken};
        for (wire, query, header, expected) in [
            ("POST", "", None, Ok("POST")),
            ("POST", "", Some("DELETE"), Ok("DELETE")),
            ("POST", "_method=delete", None, Ok("DELETE")),
            ("POST", "_method=PUT", Some("DELETE"), Ok("PUT")),
            ("POST", "_method=PUT&_method=PATCH", None, Ok("PATCH")),
            ("PUT", "%5Fmethod=POST", None, Ok("POST")),
            ("PATCH", "a=1&.method=get", None, Ok("GET")),
            ("DELETE", "", Some("options"), Ok("OPTIONS")),
            ("POST", "_Method=DELETE", None, Ok("POST")),
            ("POST", "_method=FOO", None, Ok("FOO")),
            ("POST", "_method", Some("DELETE"), Err(NoToken)),
            ("POST", "", Some(""), Err(NoToken)),
            ("POST", "", Some("DELETE, GET"), Err(NoToken)),
            ("POST", "_method=%20DELETE", None, Err(NoToken)),
            ("POST", "_method[]=DELETE", Some("GET"), Err(Array)),
            ("GET", "_method=DELETE", Some("DELETE"), Ok("GET")),
            ("HEAD", "_method[]=DELETE", None, Ok("HEAD")),
            ("OPTIONS", "_method=DELETE", None, Ok("OPTIONS")),
            ("FOO", "_method=DELETE", None, Ok("FOO")),
        ] {
            let sent = SentMethod {
                wire: &Method::from_bytes(wire.as_bytes()).expect("a method"),
                named: header.map(str::as_bytes),
            };
            let taken = sent.taken_for_write(&parse_form(query.as_bytes()));
            let taken = taken.as_ref().map(Method::as_str).map_err(|fault| *fault);
            assert_eq!(taken, expected, "{wire} {query} {header:?}");
        }
    }
}
