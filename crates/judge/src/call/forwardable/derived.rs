//! Reads that the rules admit because they admitted another one.

use http::Method;

use super::{EncodedCall, ForwardableCall, ValidatedCall};
use crate::contract::{LARGEST_PAGE, PAGE_NUMBER, PAGE_SIZE, Route};

/// The members that a response shows.
const FIELDS: &str = "_fields";

// === impl ValidatedCall ===

impl ValidatedCall {
    /// The GET of a HEAD, which the same rules admit (RFC 9110 section 9.3.2); `None` for other methods.
    pub fn get_of_head(&self) -> Option<Self> {
        (self.encoded.request.method == Method::HEAD).then(|| {
            let mut call = self.clone();
            call.encoded.request.method = Method::GET;
            call
        })
    }
}

// === impl ForwardableCall ===

impl ForwardableCall {
    /// The page with this number, from 1, of the records of a read, with whole records. A read that names its page, or
    /// one record, has one page: the request for it ignores the number. `None` for calls other than reads, and for
    /// responses in a script or an envelope.
    ///
    /// Page and size only select records of the same list, which the rules that admit one page admit.
    pub fn page_of_read(&self, number: u32) -> Option<Self> {
        let is_plain = !self.expects_javascript && !self.expects_envelope;
        let is_read = is_plain && self.operation().is_some_and(|operation| !operation.is_write());
        let mut page = self.clone();
        let encoded = match &mut page {
            Self::Validated(call) if is_read => &mut call.encoded,
            Self::Unproven(call) if is_read && call.waiver.is_some() => &mut call.encoded,
            _ => return None,
        };
        encoded.turn_to(number);
        Some(page)
    }

    /// True if the pages of a read follow each other: it is a list, and the client names no page.
    pub fn has_pages(&self) -> bool {
        self.is_list() && !self.request().query_names().any(|name| name == PAGE_NUMBER)
    }

    /// True if a call reads a list.
    pub fn is_list(&self) -> bool {
        matches!(self.request().route.route, Route::Collection(_)) && !self.is_write()
    }
}

// === impl EncodedCall ===

impl EncodedCall {
    fn turn_to(&mut self, number: u32) {
        let request = &mut self.request;
        let is_named = |name| request.query_names().any(|sent| sent == name);
        let is_list = matches!(request.route.route, Route::Collection(_));
        let mut pairs = Vec::new();
        if is_list && number > 1 && !is_named(PAGE_NUMBER) {
            pairs.push(format!("{PAGE_NUMBER}={number}"));
        }
        // All pages are read, so that their size is not the client's to choose: small ones would be many.
        let is_sized = is_list && !is_named(PAGE_NUMBER);
        if is_sized {
            pairs.push(format!("{PAGE_SIZE}={LARGEST_PAGE}"));
        }
        let sent = request.pairs.split('&').zip(request.query_names());
        let kept = sent.filter(|(_, name)| *name != FIELDS && !(is_sized && *name == PAGE_SIZE));
        pairs.extend(kept.map(|(pair, _)| pair.to_owned()));
        request.pairs = pairs.join("&");
        request.method = Method::GET;
    }
}
