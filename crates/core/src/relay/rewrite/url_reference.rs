//! A URL reference of a response head, split by the syntax of RFC 3986 and otherwise left as it is written.

/// An absolute http or https URL, one without a scheme (`//h/a`), or a path from the site's root (`/a`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference<'a> {
    /// The host in lower case, with its port if that is not the scheme's own; none in a path.
    pub(super) authority: Option<String>,
    /// Empty, or from its first slash on.
    pub(super) path: &'a str,
    /// Query and fragment with their marks.
    pub(super) rest: &'a str,
}

// === impl Reference ===

impl<'a> Reference<'a> {
    /// Splits a reference; `None` for every other kind, and for an authority with a user or odd bytes.
    pub(super) fn split(text: &'a str) -> Option<Self> {
        if !text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() || !byte.is_ascii())
            || text.contains('\\')
        {
            return None;
        }
        let (scheme, behind) = match text.split_once("://") {
            Some((scheme, rest)) if is_web(scheme) => (Some(scheme), Some(rest)),
            _ => (None, text.strip_prefix("//")),
        };
        let Some(behind) = behind else {
            let (path, rest) = text.split_at(text.find(['?', '#']).unwrap_or(text.len()));
            let authority = None;
            return path.starts_with('/').then_some(Self {
                authority,
                path,
                rest,
            });
        };
        let (authority, tail) = behind.split_at(behind.find(['/', '?', '#']).unwrap_or(behind.len()));
        let (path, rest) = tail.split_at(tail.find(['?', '#']).unwrap_or(tail.len()));
        let authority = Some(authority_of(authority, scheme)?);
        Some(Self {
            authority,
            path,
            rest,
        })
    }
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Host and port without the port that the scheme has by itself. Without a scheme, both such ports go.
fn authority_of(text: &str, scheme: Option<&str>) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:[]%".contains(&byte) || !byte.is_ascii();
    if text.is_empty() || !text.bytes().all(is_plain) {
        return None;
    }
    let own: &[&str] = match scheme {
        Some(scheme) if scheme.eq_ignore_ascii_case("http") => &[":80", ":"],
        Some(_) => &[":443", ":"],
        None => &[":80", ":443", ":"],
    };
    let bare = own.iter().find_map(|port| text.strip_suffix(port));
    Some(bare.unwrap_or(text).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Option<(Option<String>, &str, &str)> {
        Reference::split(text).map(|reference| (reference.authority, reference.path, reference.rest))
    }

    #[test]
    fn splits_what_can_lead_to_a_site() {
        let at = |host: &str| Some(host.to_owned());
        for (text, expected) in [
            ("http://H:80/a?b#c", (at("h"), "/a", "?b#c")),
            ("HTTPS://h:8443", (at("h:8443"), "", "")),
            ("https://h:443?x=/y", (at("h"), "", "?x=/y")),
            ("http://h:443/", (at("h:443"), "/", "")),
            ("//h:/a", (at("h"), "/a", "")),
            ("http://[::1]:8080/a", (at("[::1]:8080"), "/a", "")),
            ("/a/b?u=http://h/", (None, "/a/b", "?u=http://h/")),
        ] {
            assert_eq!(split(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "a",
            "?a",
            "#a",
            "ftp://h/",
            "mailto:a@h",
            "http:/h",
            "http:///a",
            "http://u@h/",
            "http://h:8 0/",
            "http:\\\\h\\a",
            "http://h/a b",
            "x/http://h/",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_parts_are_the_whole(text in "(https?://|//)?[a-zA-Z0-9.:-]{0,12}[/?#a-z0-9=&%ü]{0,20}") {
            if let Some(reference) = Reference::split(&text) {
                let tail = format!("{}{}", reference.path, reference.rest);
                prop_assert!(text.ends_with(&tail));
                prop_assert_eq!(reference.authority.is_none(), tail == text);
            }
        }
    }
}
