//! The host that requests for the origin name, and the address that is dialled for them.

use std::fmt;

use url::{Host, Url};

/// A host with an optional port, as the `Host` header names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OriginHost {
    /// The name or IP address.
    pub host: Host,
    /// The port, if it differs from the one of the scheme.
    pub port: Option<u16>,
}

/// A host and a port that connections are opened to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DialAddress {
    /// The name or IP address.
    pub host: Host,
    /// The port.
    pub port: u16,
}

// === impl OriginHost ===

impl OriginHost {
    /// Reads `events.example.org`, `events.example.org:8443` or `[::1]:8080`; none if the text is something else.
    pub fn parse(text: &str) -> Option<Self> {
        // A closing bracket after the last colon: the colon belongs to an IPv6 address.
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, Some(parse_port(port)?)),
            Some(_) | None => (text, None),
        };
        let host = Host::parse(host).ok()?;
        Some(Self { host, port })
    }

    /// The host and the port of a URL; none if it has no host.
    pub fn of(url: &Url) -> Option<Self> {
        Some(Self {
            host: url.host()?.to_owned(),
            port: url.port(),
        })
    }
}

impl fmt::Display for OriginHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => write!(f, "{}", self.host),
        }
    }
}

// === impl DialAddress ===

impl DialAddress {
    /// Reads `10.0.0.5:8080`, `[::1]:8080` or `wordpress:80`; none if the text is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let OriginHost { host, port } = OriginHost::parse(text)?;
        Some(Self { host, port: port? })
    }

    /// The address that a URL leads to; none if it has no host.
    pub fn of(url: &Url) -> Option<Self> {
        Some(Self {
            host: url.host()?.to_owned(),
            port: url.port_or_known_default()?,
        })
    }
}

impl fmt::Display for DialAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

fn parse_port(text: &str) -> Option<u16> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let port = text.parse().ok().filter(|&port: &u16| port != 0);
    port.filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_a_port_or_none() {
        for (text, expected) in [
            ("Events.example.org", Some("events.example.org")),
            ("events.example.org:8443", Some("events.example.org:8443")),
            ("10.0.0.5", Some("10.0.0.5")),
            ("[::1]", Some("[::1]")),
            ("[::1]:8080", Some("[::1]:8080")),
            ("::1", None),
            ("a.example:0", None),
            ("a.example:+1", None),
            ("a.example:65536", None),
            ("a.example:", None),
            ("a.example/x", None),
            ("user@a.example", None),
            ("", None),
        ] {
            let read = OriginHost::parse(text).map(|host| host.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn an_address_to_dial_has_a_port() {
        for (text, expected) in [
            ("10.0.0.5:8080", Some("10.0.0.5:8080")),
            ("wordpress:80", Some("wordpress:80")),
            ("[::1]:80", Some("[::1]:80")),
            ("10.0.0.5", None),
        ] {
            let read = DialAddress::parse(text).map(|address| address.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
