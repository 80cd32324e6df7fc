//! Images that the site may fetch: WordPress itself sends a request for the URL of an image (T-17).

use url::{Host, Url};

use crate::settings::{ImageHost, Settings};

/// Ports that every image host admits without naming them.
const USUAL_PORTS: [u16; 2] = [80, 443];

/// The hosts of images; an empty list admits no host.
#[derive(Debug, Clone, Default)]
pub struct ImageHosts(Vec<ImageHost>);

/// Host and port of a URL that every parser splits at the same positions.
struct ImageAuthority<'a> {
    host: &'a [u8],
    port: Option<u16>,
}

// === impl ImageHosts ===

impl ImageHosts {
    /// The hosts of the setting, or by default the hosts of the calendar's own pages.
    pub(in crate::call) fn new(settings: &Settings) -> Self {
        let own = || {
            let site = settings
                .origin
                .advertised_url
                .as_ref()
                .unwrap_or(&settings.origin.url);
            let addresses = settings.public_url.iter().chain([site]);
            addresses.filter_map(host_of).collect()
        };
        Self(settings.image_hosts.clone().unwrap_or_else(own))
    }

    /// A list of exactly these hosts.
    #[cfg(test)]
    pub(in crate::call) const fn listed(hosts: Vec<ImageHost>) -> Self {
        Self(hosts)
    }

    /// Returns true if a text is a plain URL of one of the hosts.
    ///
    /// Plain: a server, PHP and curl cannot split it differently. There is no user name, no escape and no
    /// non-ASCII letter before the path, and there is a path.
    pub(in crate::call) fn hold(&self, text: &[u8]) -> bool {
        ImageAuthority::of(text).is_some_and(|authority| self.0.iter().any(|host| authority.is_at(host)))
    }
}

/// The host of a URL as an image host. IP addresses and names of this machine do not count: the network
/// around the site is not opened by default.
fn host_of(url: &Url) -> Option<ImageHost> {
    let Some(Host::Domain(name)) = url.host() else {
        return None;
    };
    let is_loopback = name == "localhost" || name.ends_with(".localhost");
    (!is_loopback).then(|| ImageHost {
        name: name.to_owned(),
        below: false,
        port: url.port(),
    })
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
        // Parsers in use disagree whether a question mark or a hash ends the authority.
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

    fn hosts(settings: impl FnOnce(&mut Settings)) -> ImageHosts {
        let origin = "http://wordpress:8080/wp-json".parse().unwrap();
        let mut edge = Settings::for_origin(origin);
        settings(&mut edge);
        ImageHosts::new(&edge)
    }

    fn listed(name: &str, below: bool, port: Option<u16>) -> ImageHosts {
        let name = name.to_owned();
        ImageHosts(vec![ImageHost { name, below, port }])
    }

    #[test]
    fn the_calendars_own_hosts_are_known() {
        let own = hosts(|edge| {
            edge.public_url = Some("https://events.example.org".parse().unwrap());
            edge.origin.advertised_url = Some("https://www.example.org:8443/wp-json".parse().unwrap());
        });
        for (text, held) in [
            ("https://events.example.org/x.png", true),
            ("HTTP://Events.Example.ORG:80/m\u{fc}ller?a=@b", true),
            ("https://www.example.org:8443/x.png", true),
            ("https://events.example.org:8443/x.png", false),
            ("http://wordpress:8080/x.png", false),
        ] {
            assert_eq!(own.hold(text.as_bytes()), held, "{text}");
        }
        assert!(hosts(|_| {}).hold(b"http://wordpress:8080/x.png"));
    }

    #[test]
    fn addresses_and_this_machine_are_not_image_hosts() {
        for origin in [
            "http://127.0.0.1/wp-json",
            "http://[::1]/wp-json",
            "http://localhost/wp-json",
        ] {
            let images = hosts(|edge| {
                edge.origin.advertised_url = Some(origin.parse().unwrap());
                edge.public_url = Some("http://edge.localhost".parse().unwrap());
            });
            for text in [
                "http://127.0.0.1/x",
                "http://[::1]/x",
                "http://localhost/x",
                "http://edge.localhost/x",
            ] {
                assert!(!images.hold(text.as_bytes()), "{origin} {text}");
            }
        }
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
            assert!(!images.hold(text.as_bytes()), "{text}");
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
            assert_eq!(images.hold(text.as_bytes()), held, "{text}");
        }
    }
}
