//! The nonce that is sent as a parameter.

use http::HeaderValue;

use super::reading::RawCall;
use crate::wordpress::payload::{Parameters, Source};

/// The nonce of a form that PHP reads, else of the query. A nonce that no header can carry becomes `0`, which
/// is never valid.
pub(super) fn nonce(call: &RawCall<'_>, parameters: &Parameters) -> Option<HeaderValue> {
    let of = |source| parameters.of(source).and_then(|sent| sent.get("_wpnonce"));
    let form = of(Source::Form).filter(|_| call.is_php_form());
    let value = form.or_else(|| of(Source::Query))?;
    let text = value.as_text().filter(|text| !text.is_empty());
    Some(
        text.and_then(|text| HeaderValue::from_bytes(text).ok())
            .unwrap_or(HeaderValue::from_static("0")),
    )
}
