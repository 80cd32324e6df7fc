//! The behaviour of WordPress backends only: their pages, scripts and envelopes, and the root that they
//! advertise.

mod companion_refusal;
mod envelope;
mod member;
mod page;
mod script;

pub(crate) use envelope::enveloped_status;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use crate::relay::failure::OriginFailure;
use crate::relay::link::api_target;

/// The checker of a WordPress backend.
pub(super) struct WordPress;

// === impl WordPress ===

impl WordPress {
    /// The number of bytes of a page that are searched for WordPress's own messages.
    pub(super) const PAGE_BYTES: usize = page::PAGE_BYTES;

    /// The failure that a page reports in WordPress's words.
    pub(super) fn page_failure(page: &[u8]) -> Option<OriginFailure> {
        page::known_page(page)
    }

    /// The failure that a JSON document reports, if it is not an error of the API.
    pub(super) fn document_failure(status: StatusCode, document: &[u8]) -> Option<OriginFailure> {
        page::fatal(status, document).or_else(|| companion_refusal::mark_refused(status, document))
    }

    /// The document inside a script; a body that is not a script is returned unchanged.
    pub(super) fn script_argument(body: &[u8]) -> Result<&[u8], OriginFailure> {
        script::script_argument(body)
    }

    /// The REST root that a response names as its own.
    pub(super) fn advertised_root(headers: &HeaderMap) -> Option<&str> {
        api_target(headers)
    }

    /// The code of an error of the REST API, in an envelope or not.
    pub(super) fn error_code(document: &[u8], is_enveloped: bool) -> Option<String> {
        const LONGEST: usize = 128;
        let path: &[&str] = if is_enveloped {
            &["body", "code"]
        } else {
            &["code"]
        };
        member::text_at(document, path, LONGEST)
    }

    /// An enveloped document without the headers that are between the companion plugin and the edge.
    pub(super) fn without_marks(document: Bytes) -> Bytes {
        envelope::without_marks(document)
    }
}
