//! The texts that settings are made of: addresses, URLs, namespaces, paths, names.

use std::net::IpAddr;
use std::str::FromStr;

use http::HeaderValue;
use ipnet::IpNet;
use url::{Host, Url};

use super::key::{Form, Refusal};
use super::problem::Impossible;
use super::settings::without_trailing_slash;
use crate::contract::{OperationId, global::global, table};

pub(super) static REST_ROOT: Form = Form::new(
    "URL",
    "the http or https address of a REST root, like \"https://wp.example.org/wp-json\"",
);
pub(super) static SITE: Form = Form::new(
    "URL",
    "scheme and host, with a port where needed, like \"https://events.example.org\"",
);
pub(super) static HOST: Form = Form::new(
    "host name",
    "a host name or address without a port, like \"events.example.org\"",
);
pub(super) static NAMESPACE: Form = Form::new(
    "namespace",
    "a namespace without slashes around it, like \"calendar/events/v1\"",
);
pub(super) static PATH: Form = Form::new(
    "path",
    "a path that begins with a slash and ends without one, like \"/de/wp-json\"",
);
pub(super) static LANGUAGE: Form = Form::new("language tag", "a language tag, like \"de\" or \"pt-BR\"");
pub(super) static NETWORK: Form = Form::new(
    "network",
    "a network or an address, like \"10.0.0.0/8\" or \"::1\"",
);
pub(super) static PARAMETER: Form = Form::new(
    "parameter name",
    "a parameter name of letters, digits, \"_\" and \"-\"",
);
pub(super) static SENTENCE: Form = Form::new("text", "a message of 1 to 1000 bytes on one line");
pub(super) static SENTENCE_OF_ONE: Form = Form::new(
    "text with `%s`",
    "a message of 1 to 1000 bytes on one line with one \"%s\", like \"Missing parameter(s): %s\"",
);
pub(super) static SENTENCE_OF_TWO: Form = Form::new(
    "text with `%1$s`, `%2$s`",
    "a message of 1 to 1000 bytes on one line with \"%1$s\" and \"%2$s\", like \"%1$s is not of type %2$s.\"",
);
pub(super) static FILTER: Form = Form::new(
    "log filter",
    "a log filter, like \"info\" or \"info,calendar_edge=debug\"",
);

/// Parameters that WordPress obeys beyond the API's own: they choose another route, theme or user.
const NEVER_FORWARDED: [&str; 2] = ["wp_customize", "customize_changeset_uuid"];

/// Reads the address of a REST root, without slashes at its end.
pub(super) fn rest_root(text: &str) -> Result<Url, Refusal> {
    let url = web_address(text)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(Refusal::Impossible(Impossible::QueryOrFragment));
    }
    Ok(without_trailing_slash(url))
}

/// Reads scheme and authority.
pub(super) fn site(text: &str) -> Result<Url, Refusal> {
    let url = rest_root(text)?;
    if url.path() != "/" {
        return Err(Refusal::Impossible(Impossible::Path));
    }
    Ok(url)
}

/// Reads a web origin as browsers send it in `Origin`.
pub(super) fn web_origin(text: &str) -> Result<HeaderValue, Refusal> {
    let origin = site(text)?.origin().ascii_serialization();
    HeaderValue::from_str(&origin).map_err(|_| Refusal::Malformed)
}

/// Reads a host name, in lower case and with other scripts in their ASCII form.
pub(super) fn host(text: &str) -> Result<String, Refusal> {
    Host::parse(text)
        .map(|host| host.to_string())
        .map_err(|_| Refusal::Malformed)
}

/// Reads a namespace: segments of letters, digits, `.`, `_` and `-`.
pub(super) fn namespace(text: &str) -> Result<String, Refusal> {
    plain_segments(text)
}

/// Reads the public path of a REST root.
pub(super) fn path(text: &str) -> Result<String, Refusal> {
    let segments = text.strip_prefix('/').ok_or(Refusal::Malformed)?;
    plain_segments(segments).map(|segments| format!("/{segments}"))
}

/// Reads a language tag.
pub(super) fn language(text: &str) -> Result<String, Refusal> {
    let part =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let starts_well = text.starts_with(|letter: char| letter.is_ascii_alphabetic());
    if starts_well && text.len() <= 35 && text.split(['-', '_']).all(part) {
        return Ok(text.to_owned());
    }
    Err(Refusal::Malformed)
}

/// Reads a network; an address alone is a network of one.
pub(super) fn network(text: &str) -> Result<IpNet, Refusal> {
    IpNet::from_str(text)
        .map(|network| network.trunc())
        .or_else(|_| IpAddr::from_str(text).map(IpNet::from))
        .map_err(|_| Refusal::Malformed)
}

/// Reads a parameter that an operation passes on beyond its own.
pub(super) fn extra_parameter(operation: OperationId, text: &str) -> Result<String, Refusal> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if text.is_empty() || !text.bytes().all(plain) {
        return Err(Refusal::Malformed);
    }
    let owned = text.to_owned();
    if NEVER_FORWARDED.contains(&text) || global(text.as_bytes()).is_some() {
        return Err(Refusal::Impossible(Impossible::NeverForwarded(owned)));
    }
    let row = table().operations().iter().find(|row| row.id == operation);
    if row.is_some_and(|row| row.argument(text.as_bytes()).is_some()) {
        return Err(Refusal::Impossible(Impossible::Declared(owned)));
    }
    Ok(owned)
}

/// Reads a filter for log lines.
pub(super) fn filter(text: &str) -> Result<String, Refusal> {
    tracing_subscriber::EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|_| Refusal::Malformed)
}

fn web_address(text: &str) -> Result<Url, Refusal> {
    // The URL parser forgives blanks and missing slashes; a setting should say what it means.
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return Err(Refusal::Malformed);
    }
    if text.bytes().any(|byte| byte <= b' ' || byte == b'\\') {
        return Err(Refusal::Malformed);
    }
    let url = Url::parse(text).map_err(|_| Refusal::Malformed)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Refusal::Impossible(Impossible::Credentials));
    }
    if url.port() == Some(0) {
        return Err(Refusal::Malformed);
    }
    Ok(url)
}

fn plain_segments(text: &str) -> Result<String, Refusal> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'~');
    let segment = |segment: &str| {
        !matches!(segment, "" | "." | "..") && segment.len() <= 200 && segment.bytes().all(plain)
    };
    if text.split('/').all(segment) {
        return Ok(text.to_owned());
    }
    Err(Refusal::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Action, Kind, Route};

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
            assert!(namespace(bad).is_err(), "{bad}");
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
    fn extra_parameters_are_neither_declared_nor_dangerous() {
        let create = OperationId {
            route: Route::Collection(Kind::Event),
            action: Action::Create,
        };
        assert!(extra_parameter(create, "meta").is_ok());
        for name in [
            "title",
            "rest_route",
            "_method",
            "_wpnonce",
            "wp_customize",
            "a[b]",
            "a.b",
            "",
        ] {
            assert!(extra_parameter(create, name).is_err(), "{name}");
        }
    }
}
