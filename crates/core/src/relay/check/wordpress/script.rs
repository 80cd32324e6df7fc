//! The script into which WordPress wraps a document for `_jsonp` (backend.md section 12).

use crate::relay::check::document::trimmed;
use crate::relay::failure::OriginFailure;

/// The argument of a JSONP call. If WordPress refuses the callback, it sends bare JSON.
pub(in crate::relay::check) fn script_argument(bytes: &[u8]) -> Result<&[u8], OriginFailure> {
    let Some(call) = bytes.strip_prefix(b"/**/") else {
        return Ok(bytes);
    };
    let open = call.iter().position(|&byte| byte == b'(');
    let argument = open.and_then(|open| call.get(open + 1..));
    let argument = argument.ok_or(OriginFailure::Malformed)?;
    Ok(trimmed(argument.strip_suffix(b")").unwrap_or(argument)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_around_a_document_is_removed() {
        for (script, argument) in [
            ("/**/a.b({\"id\":56})", Some("{\"id\":56}")),
            ("/**/a( [] \n)", Some("[]")),
            ("/**/a({\"id\":56", Some("{\"id\":56")),
            ("/**/a()", Some("")),
            ("{\"code\":1}", Some("{\"code\":1}")),
            ("/**/a", None),
        ] {
            let found = script_argument(script.as_bytes()).ok();
            assert_eq!(found, argument.map(str::as_bytes), "{script}");
        }
    }
}
