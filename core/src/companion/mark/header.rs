//! The name of the header that carries a mark.

use http::HeaderName;

/// Carries a mark to the origin; a client must never be able to send it there.
pub const MARK: HeaderName = HeaderName::from_static("x-calendar-edge-mark");

/// Whether PHP reads a header of this name as a mark: for PHP, `_` and `-` are the same.
pub fn is_mark(name: &HeaderName) -> bool {
    let name = name.as_str().bytes();
    name.map(|byte| if byte == b'_' { b'-' } else { byte })
        .eq(MARK.as_str().bytes())
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
        ] {
            let name: HeaderName = name.parse().unwrap();
            assert_eq!(is_mark(&name), expected, "{name}");
        }
    }
}
