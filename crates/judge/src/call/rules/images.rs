//! Images that the site may fetch: WordPress itself sends a request for the URL of an image (T-17).

use crate::policy::ImageHost;

/// Ports that every image host admits without naming them.
const USUAL_PORTS: [u16; 2] = [80, 443];

/// Host and port of a URL that every parser splits at the same positions.
struct ImageAuthority<'a> {
    host: &'a [u8],
    port: Option<u16>,
}

/// Returns true if a text is a plain URL of one of these hosts; no host is listed by an empty list.
///
/// Plain: a server, PHP and curl cannot split it differently. There is no user name, no escape and no
/// non-ASCII letter before the path, and there is a path.
pub(in crate::call) fn is_hosted(hosts: &[ImageHost], text: &[u8]) -> bool {
    ImageAuthority::of(text).is_some_and(|authority| hosts.iter().any(|host| authority.is_at(host)))
}

// === impl ImageAuthority ===

impl<'a> ImageAuthority<'a> {
    fn of(text: &'a [u8]) -> Option<Self> {
        if text.iter().any(u8::is_ascii_control) {
            return None;
        }
        let rest = [&b"http://"[..], b"https://"].iter().find_map(|scheme| {
            let (start, rest) = text.split_at_checked(scheme.len())?;
            start.eq_ignore_ascii_case(scheme).then_some(rest)
        })?;
        // Parsers in use disagree about a question mark or a hash: it ends the authority for some of them only.
        let authority = rest.get(..rest.iter().position(|&byte| byte == b'/')?)?;
        let (host, port) = match authority.iter().position(|&byte| byte == b':') {
            Some(colon) => (authority.get(..colon)?, Some(port(authority.get(colon + 1..)?)?)),
            None => (authority, None),
        };
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        host.iter().all(plain).then_some(Self { host, port })
    }

    fn is_at(&self, known: &ImageHost) -> bool {
        let name = known.name.as_bytes();
        let is_host = if known.below {
            self.host
                .len()
                .checked_sub(name.len())
                .and_then(|start| self.host.split_at_checked(start))
                .is_some_and(|(labels, end)| {
                    end.eq_ignore_ascii_case(name) && labels.len() > 1 && labels.ends_with(b".")
                })
        } else {
            self.host.eq_ignore_ascii_case(name)
        };
        let is_port = self
            .port
            .is_none_or(|port| USUAL_PORTS.contains(&port) || known.port == Some(port));
        is_host && is_port
    }
}

fn port(digits: &[u8]) -> Option<u16> {
    let is_plain = digits.len() <= 5 && digits.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_plain)?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, below: bool, port: Option<u16>) -> [ImageHost; 1] {
        let name = name.to_owned();
        [ImageHost { name, below, port }]
    }

    #[test]
    fn urls_that_could_name_another_host_are_refused() {
        let images = listed("a.example", false, None);
        for text in [
            "http://a.example",
            "http://a.example?/",
            "http://a.example#@b.example/",
            "http://a.example\\@b.example/",
            "http://a.example@b.example/",
            "http://u:p@a.example/",
            "http://a.example:@b.example/",
            "http://a.example:/",
            "http://a.example:080000/",
            "http://a.example./x",
            "http://b.a.example/x",
            "http://a.example%2e/x",
            "http://a%2eexample/x",
            "http:a.example/x",
            "http:///a.example/x",
            "http:\\\\a.example/x",
            " http://a.example/x",
            "http://a.example/x\n",
            "http://\ta.example/x",
            "http://a.example\u{3002}b/x",
            "ftp://a.example/x",
            "//a.example/x",
            "http://[a.example]/x",
            "",
        ] {
            assert!(!is_hosted(&images, text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_star_matches_names_below_a_host() {
        let images = listed("example.org", true, Some(81));
        for (text, held) in [
            ("https://cdn.example.org/x", true),
            ("https://a.b.EXAMPLE.org:81/x", true),
            ("https://example.org/x", false),
            ("https://.example.org/x", false),
            ("https://badexample.org/x", false),
            ("https://cdn.example.org:82/x", false),
            ("https://cdn.example.org.b/x", false),
        ] {
            assert_eq!(is_hosted(&images, text.as_bytes()), held, "{text}");
        }
    }
}
