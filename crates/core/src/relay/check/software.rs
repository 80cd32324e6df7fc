//! The messages of the software behind a backend in other words than those of the API.

use http::StatusCode;

use super::wordpress;
use crate::relay::failure::OriginFailure;
use crate::settings::BackendSoftware;

/// The failure that a page reports in the words of the software; none where its pages report nothing.
pub(super) fn page_failure(software: BackendSoftware, page: &[u8]) -> Option<OriginFailure> {
    match software {
        BackendSoftware::WordPress => wordpress::known_page(page),
        BackendSoftware::Service => None,
    }
}

/// The failure that a JSON document reports, if it is not an error of the API. Of a service every JSON object is one:
/// WordPress's message about a failure of PHP is an error code like others there.
pub(super) fn document_failure(
    software: BackendSoftware,
    status: StatusCode,
    document: &[u8],
) -> Option<OriginFailure> {
    match software {
        BackendSoftware::WordPress => wordpress::document_failure(status, document),
        BackendSoftware::Service => None,
    }
}
