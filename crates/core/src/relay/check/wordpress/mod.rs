//! The behaviour of WordPress backends only: their pages, scripts and envelopes.

mod companion_refusal;
mod envelope;
mod member;
mod page;
mod script;

pub(crate) use envelope::enveloped_status;
pub(super) use page::{PAGE_BYTES, known_page};
pub(super) use script::script_argument;

use http::StatusCode;

use crate::relay::failure::OriginFailure;

/// The failure that a JSON document reports, if it is not an error of the API.
pub(super) fn document_failure(status: StatusCode, document: &[u8]) -> Option<OriginFailure> {
    page::fatal(status, document).or_else(|| companion_refusal::mark_refused(status, document))
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
