//! An envelope (`_envelope`): the status that the status of the response itself hides.

use http::StatusCode;
use serde::Deserialize;

/// The needed part of an envelope; the rest is skipped.
#[derive(Deserialize)]
struct Envelope {
    status: u16,
}

/// The status that an envelope holds; `None` if the bytes are not an envelope.
pub(crate) fn enveloped_status(document: &[u8]) -> Option<StatusCode> {
    let envelope: Envelope = serde_json::from_slice(document).ok()?;
    StatusCode::from_u16(envelope.status).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_status_of_an_envelope() {
        for (document, expected) in [
            (
                r#"{"body":{"status":"publish"},"status":401,"headers":[]}"#,
                Some(401),
            ),
            (r#"{"body":{"status":401},"headers":[]}"#, None),
            (r#"{"id":5,"status":"publish"}"#, None),
            ("", None),
        ] {
            let found = enveloped_status(document.as_bytes());
            assert_eq!(found.map(|status| status.as_u16()), expected, "{document}");
        }
    }
}
