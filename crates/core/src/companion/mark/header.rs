//! The name of the header that carries a mark.

use http::HeaderName;

use super::site_user::IDENTITY;

/// Carries a mark to the origin; a client must never be able to send it there.
pub const MARK: HeaderName = HeaderName::from_static("x-calendar-edge-mark");

/// Whether PHP reads a header of this name as one that the edge signs: for PHP, `_` and `-` are the same.
pub fn is_signed(name: &HeaderName) -> bool {
    let dashed = |byte| if byte == b'_' { b'-' } else { byte };
    [MARK, IDENTITY]
        .iter()
        .any(|signed| name.as_str().bytes().map(dashed).eq(signed.as_str().bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underscores_make_no_other_header() {
        for (name, expected) in [
            ("x-calendar-edge-mark", true),
            ("X-Calendar-Edge-Mark", true),
            ("x_calendar_edge_mark", true),
            ("x-calendar_edge-mark", true),
            ("x-calendar-edge-marks", false),
            ("calendar-edge-mark", false),
            ("x_calendar-edge_identity", true),
            ("x-calendar-edge-identity-x", false),
        ] {
            let name: HeaderName = name.parse().unwrap();
            assert_eq!(is_signed(&name), expected, "{name}");
        }
    }
}
