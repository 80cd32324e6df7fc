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
