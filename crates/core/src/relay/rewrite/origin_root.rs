//! The address of a REST root at the origin, reduced to the parts needed for rewriting.

use url::Url;

/// A REST root of the origin: `https://wp.example.org/wp-json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginRoot {
    scheme: &'static str,
    /// The host, and the port if it is explicit.
    pub(super) authority: String,
    /// The text between the authority and the slash before the namespace.
    pub(super) prefix: String,
}

/// The names of one REST root.
#[derive(Debug, Clone)]
pub struct RootNames {
    /// The public path, without a trailing slash: `/de/wp-json`.
    pub public_path: String,
    /// The root as the edge dials it.
    pub dialled: OriginRoot,
    /// The root as the site prints it, if known.
    pub advertised: Option<OriginRoot>,
}

// === impl OriginRoot ===

impl OriginRoot {
    /// Parses the URL of a root that the origin printed. `None` unless it is http or https, and has no user, query or
    /// fragment.
    pub fn from_printed(url: &Url) -> Option<Self> {
        let plain = url.username().is_empty() && url.password().is_none();
        let plain = plain && url.query().is_none() && url.fragment().is_none();
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        (plain && is_web).then(|| Self::from_setting(url))
    }

    /// Parses the URL of a root from the settings, which accept only http and https URLs with a host and a path. A user
    /// name is not part of the root.
    pub fn from_setting(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        Self {
            scheme: if url.scheme() == "https" { "https" } else { "http" },
            authority: url
                .port()
                .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
            prefix: url.path().trim_end_matches('/').to_owned(),
        }
    }

    /// This root without its port, as the plugin prints the server of `/doc`; `None` if it has no port.
    pub(super) fn without_port(&self) -> Option<Self> {
        let (host, _) = self
            .authority
            .rsplit_once(':')
            .filter(|(_, port)| !port.ends_with(']'))?;
        Some(Self {
            authority: host.to_owned(),
            ..self.clone()
        })
    }

    /// The scheme and authority: `https://wp.example.org`.
    pub(super) fn site(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }

    /// True if two roots have the same address. http and https count as the same, because sites behind a
    /// proxy print both.
    pub(super) fn is_same_place(&self, other: &Self) -> bool {
        self.authority == other.authority && self.prefix == other.prefix
    }

    /// True if a text is surely this root, as WordPress prints one; it is not parsed.
    pub(super) fn is_printed_as(&self, text: &str) -> bool {
        let rest = text.strip_prefix(self.scheme);
        let rest = rest.and_then(|rest| rest.strip_prefix("://")?.strip_prefix(self.authority.as_str()));
        let path = rest.and_then(|rest| rest.strip_prefix(self.prefix.as_str()));
        matches!(path, Some("" | "/"))
    }

    /// True if two roots have the same place at their sites, whatever the sites' names are.
    pub(in crate::relay) fn has_path_of(&self, other: &Self) -> bool {
        self.prefix == other.prefix
    }

    /// True if this root has the path of another one with a directory more, like the root of a language.
    pub(in crate::relay) fn is_in_directory_of(&self, other: &Self) -> bool {
        let (theirs, own) = different_beginnings(&other.prefix, &self.prefix);
        own.strip_prefix(theirs)
            .is_some_and(|below| below.starts_with('/'))
    }

    /// True if the authority, standing alone in a text, can only be an address: an IP literal, or a name with
    /// a port.
    pub(super) fn is_unmistakable(&self) -> bool {
        let bare = self.authority.as_str();
        bare.contains(':') || bare.parse::<std::net::Ipv4Addr>().is_ok()
    }

    /// This root under another name of the site: the change from `base` to `advertised`, applied to `self`.
    ///
    /// `None` if this root does not have the same site as `base`, so that its name cannot be derived.
    pub(in crate::relay) fn renamed(&self, base: &Self, advertised: &Self) -> Option<Self> {
        if self.authority != base.authority {
            return None;
        }
        let (from, to) = different_beginnings(&base.prefix, &advertised.prefix);
        let rest = self.prefix.strip_prefix(from)?;
        Some(Self {
            scheme: advertised.scheme,
            authority: advertised.authority.clone(),
            prefix: format!("{to}{rest}"),
        })
    }
}

/// True if `base` is this authority with a scheme before it.
pub(super) fn is_authority_of(authority: &[u8], base: &str) -> bool {
    base.split_once("://")
        .is_some_and(|(_, rest)| rest.as_bytes() == authority)
}

/// Removes the longest common end of two paths, cut at a slash, and returns the two beginnings.
fn different_beginnings<'a>(left: &'a str, right: &'a str) -> (&'a str, &'a str) {
    let (mut left, mut right) = (left, right);
    while let (Some((left_rest, left_end)), Some((right_rest, right_end))) =
        (left.rsplit_once('/'), right.rsplit_once('/'))
    {
        if left_end != right_end {
            break;
        }
        (left, right) = (left_rest, right_rest);
    }
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(url: &str) -> OriginRoot {
        OriginRoot::from_printed(&Url::parse(url).unwrap()).unwrap()
    }

    #[test]
    fn trailing_slash_and_default_port_do_not_matter() {
        assert_eq!(root("https://h:443/wp-json/"), root("https://h/wp-json"));
        assert_eq!(root("http://h:8080/").prefix, "");
    }

    #[test]
    fn a_root_is_known_by_its_usual_text() {
        let known = root("https://h.example:8443/de/wp-json/");
        for text in [
            "https://h.example:8443/de/wp-json/",
            "https://h.example:8443/de/wp-json",
        ] {
            assert!(known.is_printed_as(text), "{text}");
            assert_eq!(root(text), known);
        }
        for text in [
            "http://h.example:8443/de/wp-json/",
            "https://h.example/de/wp-json/",
            "https://h.example:8443/de/wp-json//",
            "https://h.example:8443/wp-json/",
            "https://h.example:8443/de/wp-json/?x",
        ] {
            assert!(!known.is_printed_as(text), "{text}");
        }
    }

    #[test]
    fn refuses_urls_that_cannot_be_roots() {
        for url in [
            "ftp://h/wp-json",
            "http://u@h/wp-json",
            "http://:p@h/",
            "http://h/wp-json#x",
            "http://h/wp-json?a=1",
            "http://h/?rest_route=/",
            "data:text/plain,x",
        ] {
            assert_eq!(OriginRoot::from_printed(&Url::parse(url).unwrap()), None, "{url}");
        }
    }

    #[test]
    fn language_roots_follow_the_advertised_name() {
        let base = root("http://10.0.0.5:8080/wp-json");
        let german = root("http://10.0.0.5:8080/de/wp-json");
        for (advertised, expected) in [
            (
                "https://wp.example.org/wp-json",
                "https://wp.example.org/de/wp-json",
            ),
            (
                "https://wp.example.org/blog/wp-json",
                "https://wp.example.org/blog/de/wp-json",
            ),
        ] {
            assert_eq!(german.renamed(&base, &root(advertised)), Some(root(expected)));
        }
        assert_eq!(
            root("http://other/wp-json").renamed(&base, &root("https://x/wp-json")),
            None
        );
    }
}
