//! A refusal of the companion plugin: no client can cause or repair it.

use http::StatusCode;

use super::envelope::enveloped_status;
use super::member::text_at;
use crate::relay::failure::{OriginFailure, shortened};

/// The beginning of the plugin's codes.
const PREFIX: &str = "calendar_edge_";

/// The bytes of a code that are read.
const CODE_BYTES: usize = 64;

/// The refusal of a call by the plugin, also inside an envelope; none where a document is something else.
pub(super) fn mark_refused(status: StatusCode, document: &[u8]) -> Option<OriginFailure> {
    let code = match status {
        StatusCode::FORBIDDEN => text_at(document, &["code"], CODE_BYTES)?,
        StatusCode::OK if document.starts_with(br#"{"body":{"code":"calendar_edge_"#) => {
            enveloped_status(document).filter(|status| *status == StatusCode::FORBIDDEN)?;
            text_at(document, &["body", "code"], CODE_BYTES)?
        }
        _ => return None,
    };
    let is_of_the_plugin = code.starts_with(PREFIX);
    is_of_the_plugin.then(|| OriginFailure::MarkRefused {
        code: shortened(&code),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_refusals_of_the_plugin_are_known() {
        let missing = r#"{"code":"calendar_edge_mark_missing","message":"No.","data":{"status":403}}"#;
        let forbidden = r#"{"code":"rest_forbidden","message":"No.","data":{"status":403}}"#;
        let enveloped = format!(r#"{{"body":{missing},"status":403,"headers":{{"Allow":"GET"}}}}"#);
        for (status, document, expected) in [
            (403, missing, Some("calendar_edge_mark_missing")),
            (403, forbidden, None),
            (404, missing, None),
            (200, enveloped.as_str(), Some("calendar_edge_mark_missing")),
            (200, missing, None),
            (403, "[]", None),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let found = mark_refused(status, document.as_bytes());
            let code = found.map(|failure| match failure {
                OriginFailure::MarkRefused { code } => code,
                other => panic!("{other}"),
            });
            assert_eq!(code.as_deref(), expected, "{document}");
        }
    }
}
