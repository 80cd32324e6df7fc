//! The forms of texts: addresses, URLs, namespaces, names.

use std::borrow::Cow;
use std::net::IpAddr;
use std::str::FromStr;

use http::HeaderValue;
use ipnet::IpNet;
use url::{Host, Url};

use super::text_form::{TextError, TypedSyntax};
use crate::settings::{DialAddress, OriginHost, OriginNamespace, without_trailing_slash};
use calendar_edge_judge::contract::PluginVersion;
use calendar_edge_judge::contract::global::{NEVER_FORWARDED, global};

pub(crate) const REST_ROOT: TypedSyntax<Url> = TypedSyntax::new(
    "URL",
    "the http or https URL of a REST root",
    &["https://wp.example.org/wp-json"],
    rest_root,
);
pub(crate) const SITE: TypedSyntax<Url> = TypedSyntax::new(
    "URL",
    "a scheme and a host, with a port if needed",
    &["https://events.example.org"],
    site,
);
pub(crate) const HOST: TypedSyntax<String> = TypedSyntax::new(
    "host name",
    "a host name or IP address without a port",
    &["events.example.org"],
    host,
);
pub(crate) const ORIGIN_HOST: TypedSyntax<OriginHost> = TypedSyntax::new(
    "host",
    "a host name or IP address, with a port if needed",
    &["events.example.org"],
    |text| OriginHost::parse(text).ok_or(TextError::Malformed),
);
pub(crate) const DIAL_ADDRESS: TypedSyntax<DialAddress> = TypedSyntax::new(
    "address",
    "a host name or IP address with a port",
    &["10.0.0.5:8080", "wordpress:80"],
    |text| DialAddress::parse(text).ok_or(TextError::Malformed),
);
pub(crate) const NAMESPACE: TypedSyntax<String> = TypedSyntax::new(
    "namespace",
    "a namespace without a slash at its beginning or end",
    &["calendar/events/v1", "tribe/events/v1"],
    plain_segments,
);
pub(crate) const PATH: TypedSyntax<String> = TypedSyntax::new(
    "path",
    "a path that begins with a slash and does not end with one",
    &["/de/wp-json"],
    path,
);
pub(crate) const LANGUAGE: TypedSyntax<String> =
    TypedSyntax::new("language tag", "a language tag", &["de", "pt-BR"], language);
pub(crate) const NETWORK: TypedSyntax<IpNet> = TypedSyntax::new(
    "network",
    "a network or an IP address",
    &["10.0.0.0/8", "::1"],
    network,
);
pub(crate) const PARAMETER: TypedSyntax<String> = TypedSyntax::new(
    "parameter name",
    "a parameter name of letters, digits, \"_\" and \"-\"",
    &["ticket_provider"],
    extra_parameter,
);
pub(crate) const SENTENCE: TypedSyntax<String> = TypedSyntax::new(
    "text",
    "a message of 1 to 1000 bytes on one line",
    &["Es wurde keine Route gefunden."],
    sentence,
);
/// The writer of the log decides whether a text is a filter.
pub(crate) const FILTER: TypedSyntax<String> = TypedSyntax::new(
    "log filter",
    "a log filter",
    &["info", "info,calendar_edge=debug"],
    |text| Ok(text.to_owned()),
);
pub(crate) const WEB_ORIGIN: TypedSyntax<HeaderValue> = SITE.read_by(web_origin);
pub(crate) const ORIGIN_NAMESPACE: TypedSyntax<OriginNamespace> =
    NAMESPACE.read_by(|text| plain_segments(text).map(OriginNamespace::Set));
pub(crate) const KNOWN_NAMESPACE: TypedSyntax<String> =
    NAMESPACE.read_by(|text| plain_segments(text).map(|name| name.to_ascii_lowercase()));
pub(crate) const REASON: TypedSyntax<String> = SENTENCE.read_by(|text| line(text, 1_000));

pub(crate) const ANSWERS: TypedSyntax<Option<PluginVersion>> = TypedSyntax::new(
    "version",
    "a version of the plugin from 5.12 on whose differences are known, \"spec\" or \"as the site\"",
    &["as the site", "spec", "6.10"],
    answers,
);

/// A REST root is a path; plain permalinks (`?rest_route=`) are not supported.
const QUERY_OR_FRAGMENT: TextError =
    TextError::Impossible(Cow::Borrowed("a URL must not contain a query or a fragment"));

/// Reads the version whose contract clients get; none: that of the site.
fn answers(text: &str) -> Result<Option<PluginVersion>, TextError> {
    if text == "as the site" {
        return Ok(None);
    }
    let version = PluginVersion::chosen(text).map_err(|_| TextError::Malformed)?;
    Ok(Some(version))
}

/// Reads the URL of a REST root and drops its trailing slashes.
fn rest_root(text: &str) -> Result<Url, TextError> {
    let url = web_address(text)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(QUERY_OR_FRAGMENT);
    }
    Ok(without_trailing_slash(url))
}

/// Reads a text of one line.
fn sentence(text: &str) -> Result<String, TextError> {
    let is_one_line = !text.chars().any(char::is_control);
    if is_one_line && !text.trim().is_empty() && text.len() <= 1000 {
        return Ok(text.to_owned());
    }
    Err(TextError::Malformed)
}

/// Reads scheme and authority.
fn site(text: &str) -> Result<Url, TextError> {
    let url = rest_root(text)?;
    if url.path() != "/" {
        // Roots have their own paths.
        return Err(TextError::Impossible("this URL must not contain a path".into()));
    }
    Ok(url)
}

/// Reads a web origin and writes it as browsers do in `Origin`.
fn web_origin(text: &str) -> Result<HeaderValue, TextError> {
    let origin = site(text)?.origin().ascii_serialization();
    HeaderValue::from_str(&origin).map_err(|_| TextError::Malformed)
}

/// Reads a host name and writes it in lower case and ASCII.
fn host(text: &str) -> Result<String, TextError> {
    Host::parse(text)
        .map(|host| host.to_string())
        .map_err(|_| TextError::Malformed)
}

/// Reads the public path of a REST root.
fn path(text: &str) -> Result<String, TextError> {
    let segments = text.strip_prefix('/').ok_or(TextError::Malformed)?;
    plain_segments(segments).map(|segments| format!("/{segments}"))
}

/// Reads a language tag.
fn language(text: &str) -> Result<String, TextError> {
    let part =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let starts_well = text.starts_with(|letter: char| letter.is_ascii_alphabetic());
    if starts_well && text.len() <= 35 && text.split(['-', '_']).all(part) {
        return Ok(text.to_owned());
    }
    Err(TextError::Malformed)
}

/// Reads a network; a single address is a network of one.
fn network(text: &str) -> Result<IpNet, TextError> {
    IpNet::from_str(text)
        .map(|network| network.trunc())
        .or_else(|_| IpAddr::from_str(text).map(IpNet::from))
        .map_err(|_| TextError::Malformed)
}

/// Reads an undeclared parameter that an operation forwards.
fn extra_parameter(text: &str) -> Result<String, TextError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if text.is_empty() || !text.bytes().all(plain) {
        return Err(TextError::Malformed);
    }
    if NEVER_FORWARDED.contains(&text) || global(text.as_bytes()).is_some() {
        // It would change the meaning of a request.
        let reason = format!("`{text}` is never forwarded as a parameter");
        return Err(TextError::Impossible(reason.into()));
    }
    Ok(text.to_owned())
}

/// Reads a text of one line, whatever stands in it.
pub(crate) fn line(text: &str, longest: usize) -> Result<String, TextError> {
    let is_line = !text.is_empty() && text.len() <= longest && !text.chars().any(char::is_control);
    is_line.then(|| text.to_owned()).ok_or(TextError::Malformed)
}

/// Reads a name of letters, digits, `-`, `_` and some further characters.
pub(crate) fn plain_name(text: &str, longest: usize, further: &[u8]) -> Result<String, TextError> {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || further.contains(&byte);
    let is_name = (1..=longest).contains(&text.len()) && text.bytes().all(is_plain);
    is_name.then(|| text.to_owned()).ok_or(TextError::Malformed)
}

fn web_address(text: &str) -> Result<Url, TextError> {
    // The URL parser tolerates blanks and missing slashes; settings should not contain either.
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return Err(TextError::Malformed);
    }
    if text.bytes().any(|byte| byte <= b' ' || byte == b'\\') {
        return Err(TextError::Malformed);
    }
    let url = Url::parse(text).map_err(|_| TextError::Malformed)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(TextError::Credentials);
    }
    if url.port() == Some(0) {
        return Err(TextError::Malformed);
    }
    Ok(url)
}

/// Reads a namespace: segments of letters, digits, `.`, `_`, `-` and `~`.
fn plain_segments(text: &str) -> Result<String, TextError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'~');
    let segment = |segment: &str| {
        !matches!(segment, "" | "." | "..") && segment.len() <= 200 && segment.bytes().all(plain)
    };
    if text.split('/').all(segment) {
        return Ok(text.to_owned());
    }
    Err(TextError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rest_roots() {
        let url = rest_root("https://WP.example.org/wp-json/").expect("an address");
        assert_eq!(url.as_str(), "https://wp.example.org/wp-json");
        let bad = [
            "wp.example.org",
            "ftp://wp.example.org",
            "https:wp.example.org",
            "https://wp.example.org/ wp-json",
            "https://u:p@wp.example.org",
            "https://wp.example.org/?rest_route=/",
            "https://wp.example.org/#x",
            "http://:80/",
        ];
        for text in bad {
            assert!(rest_root(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_site_has_no_path() {
        assert!(site("https://events.example.org/").is_ok());
        assert!(site("https://events.example.org/calendar").is_err());
    }

    #[test]
    fn a_web_origin_is_spelled_as_browsers_do() {
        let origin = web_origin("https://APP.example.org:443/").expect("an origin");
        assert_eq!(origin, "https://app.example.org");
        assert!(web_origin("*").is_err());
        assert!(web_origin("null").is_err());
    }

    #[test]
    fn reads_hosts_paths_and_names() {
        assert_eq!(host("Events.Example.Org").expect("a host"), "events.example.org");
        assert!(host("events.example.org:80").is_err());
        for good in ["/wp-json", "/index.php/wp-json"] {
            assert!(path(good).is_ok(), "{good}");
        }
        for bad in ["", "/", "wp-json", "/wp-json/", "/../wp-json", "/a b", "/%2e"] {
            assert!(path(bad).is_err(), "{bad}");
        }
        for bad in ["", "/calendar/events/v1", "calendar//v1", "calendar/v1/"] {
            assert!(plain_segments(bad).is_err(), "{bad}");
        }
        for (tag, good) in [
            ("de", true),
            ("pt-BR", true),
            ("de_AT", true),
            ("", false),
            ("-de", false),
        ] {
            assert_eq!(language(tag).is_ok(), good, "{tag}");
        }
        for (text, good) in [
            ("10.1.2.3/8", true),
            ("::1", true),
            ("10.0.0.0/33", false),
            ("any", false),
        ] {
            assert_eq!(network(text).is_ok(), good, "{text}");
        }
    }

    #[test]
    fn extra_parameters_are_plain_and_not_dangerous() {
        assert!(extra_parameter("meta").is_ok());
        for name in [
            "rest_route",
            "_method",
            "_wpnonce",
            "wp_customize",
            "a[b]",
            "a.b",
            "",
        ] {
            assert!(extra_parameter(name).is_err(), "{name}");
        }
    }
}
