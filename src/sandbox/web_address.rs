//! Which web addresses a record may carry.

use url::Url;

/// Whether PHP's URL filter would take an address: ASCII, a scheme with a host, or `mailto:` and `file:///`.
pub(super) fn is_valid(address: &str) -> bool {
    if !address.bytes().all(|byte| byte.is_ascii_graphic()) {
        return false;
    }
    if let Some(rest) = address.strip_prefix("mailto:") {
        return !rest.is_empty();
    }
    if let Some(rest) = address.strip_prefix("file://") {
        return rest.starts_with('/');
    }
    let Some((scheme, rest)) = address.split_once("://") else {
        return false;
    };
    !rest.is_empty() && scheme != "javascript" && Url::parse(address).is_ok_and(|url| url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_recorded_verdicts() {
        for address in [
            "https://x.example/",
            "http://localhost",
            "ftp://x.example/",
            "http://user:pw@x.example/",
            "http://[::1]/",
            "mailto:a@b.example",
            "file:///etc/passwd",
        ] {
            assert!(is_valid(address), "{address}");
        }
        for address in [
            "x.example",
            "//x.example/",
            "javascript:alert(1)",
            "data:text/plain,x",
            "http://",
            "http://x.example/a b",
            "http://müller.example/",
        ] {
            assert!(!is_valid(address), "{address}");
        }
    }
}
