//! The nonce that is sent as a parameter.

use http::{HeaderValue, Method};

use crate::wordpress::payload::{Parameters, Source};

/// The nonce of a form that PHP reads, else of the query. A nonce that no header can carry becomes `0`, which
/// is never valid.
pub(super) fn nonce(method: &Method, parameters: &Parameters) -> Option<HeaderValue> {
    let of = |source| parameters.of(source).and_then(|sent| sent.get("_wpnonce"));
    let form = if method == Method::POST {
        of(Source::Form)
    } else {
        None
    };
    let value = form.or_else(|| of(Source::Query))?;
    let text = value.as_text().filter(|text| !text.is_empty());
    Some(
        text.and_then(|text| HeaderValue::from_bytes(text).ok())
            .unwrap_or(HeaderValue::from_static("0")),
    )
}
