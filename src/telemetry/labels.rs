//! Label values from closed sets for text of clients.

use http::{Method, StatusCode};

/// The method as a label: one of nine names, or `other`.
pub(crate) fn method_label(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        "CONNECT" => "CONNECT",
        "TRACE" => "TRACE",
        _ => "other",
    }
}

/// What became of a call that `[record]` drew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum RecordOutcome {
    /// It is in the file.
    Recorded,
    /// Its operation has no quota left in this file.
    Quota,
    /// It is too large, or cannot be kept without its secrets.
    Unrecordable,
    /// Too many lines wait for the disk.
    DiskSlow,
    /// The file cannot be written.
    DiskFailed,
}

/// The class of a status as a label: `2xx` and so on.
pub(crate) fn class_label(status: StatusCode) -> &'static str {
    class_of(status.as_u16())
}

/// The class of the number of a status.
pub(super) const fn class_of(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        5 => "5xx",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_methods_share_one_label() {
        let strange = Method::from_bytes(b"X-EVIL~1").unwrap();
        assert_eq!(method_label(&strange), "other");
        assert_eq!(method_label(&Method::PATCH), "PATCH");
    }
}
