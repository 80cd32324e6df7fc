//! Nonces of WordPress in a response, which are for its client alone.

use memchr::memmem;

/// The digits of a nonce: `wp_create_nonce()` takes ten of a hexadecimal digest.
const DIGITS: usize = 10;

/// The most bytes between the end of a name and its value: `_wpnonce\" value=\"`.
const BETWEEN: usize = 32;

/// Returns true if a body names a nonce and shows its value: `_wpnonce=…` in a link, a field of a form, a member of an
/// object.
pub fn shows_nonce(body: &[u8]) -> bool {
    ["once", "ONCE"].iter().any(|name| {
        memmem::find_iter(body, name).any(|at| {
            let is_nonce = at.checked_sub(1).and_then(|before| body.get(before));
            matches!(is_nonce, Some(b'n' | b'N'))
                && has_value(body.get(at + name.len()..).unwrap_or_default())
        })
    })
}

/// True if ten digits follow soon, and no more of them.
fn has_value(after: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (1..BETWEEN).any(|start| {
        let (Some(before), Some(value)) = (after.get(..start), after.get(start..start + DIGITS)) else {
            return false;
        };
        let begins = !before.last().is_some_and(u8::is_ascii_alphanumeric)
            // Quotation marks as JSON may write them.
            || [b"\\u0022", b"\\u0027"].iter().any(|quote| before.ends_with(*quote));
        let ends = !after.get(start + DIGITS).is_some_and(u8::is_ascii_alphanumeric);
        begins && ends && value.iter().all(is_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_nonces_are_found_where_they_are_named() {
        for (body, expected) in [
            (
                r#"{"d":"<input name=\"_wpnonce\" value=\"1a2b3c4d5e\" />"}"#,
                true,
            ),
            (r#"{"d":"<a href='?a=b&_wpnonce=1a2b3c4d5e'>"}"#, true),
            (r#"{"nonce":"1a2b3c4d5e"}"#, true),
            (r#"{"rest_Nonce": "0123456789"}"#, true),
            (r#"{"d":"NONCE=0123456789"}"#, true),
            (r#"{"d":"\u0022nonce\u0022:\u00220123456789\u0022"}"#, true),
            (r#"{"d":"data-nonce=&quot;1a2b3c4d5e&quot;"}"#, true),
            (r#"{"d":"a nonce is a number"}"#, false),
            (r#"{"d":"nonce=1a2b3c4d5"}"#, false),
            (r#"{"d":"nonce=1a2b3c4d5ef"}"#, false),
            (r#"{"d":"once 1a2b3c4d5e"}"#, false),
            (r#"{"id":1234567890}"#, false),
            ("nonce=", false),
            ("nonce", false),
            ("once", false),
            ("", false),
        ] {
            assert_eq!(shows_nonce(body.as_bytes()), expected, "{body}");
        }
    }
}
