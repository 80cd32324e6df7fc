//! The headers of a request that describe its body.

use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};

/// The fields that describe a body: its type, and whether the body can be read in one way only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContentHeaders<'a> {
    content_type: Option<&'a HeaderValue>,
    /// True if there is more than one `Content-Type`.
    pub(super) repeats_type: bool,
    /// True if the body has a content coding.
    pub(super) is_coded: bool,
}

// === impl ContentHeaders ===

impl<'a> ContentHeaders<'a> {
    /// Reads the fields of a request.
    pub fn of(headers: &'a HeaderMap) -> Self {
        let mut types = headers.get_all(CONTENT_TYPE).iter();
        Self {
            content_type: types.next(),
            repeats_type: types.next().is_some(),
            is_coded: headers.contains_key(CONTENT_ENCODING),
        }
    }

    /// The first `Content-Type`, which PHP and WordPress read.
    pub fn content_type(self) -> Option<&'a [u8]> {
        self.content_type.map(HeaderValue::as_bytes)
    }

    /// The `Content-Type` of a body that every server reads in the same way: sent once, and without a content
    /// coding.
    pub fn plain_type(self) -> Option<&'a HeaderValue> {
        self.content_type.filter(|_| !self.repeats_type && !self.is_coded)
    }
}
