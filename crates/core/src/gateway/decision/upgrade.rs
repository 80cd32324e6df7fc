//! Requests to the rest of the site that offer another protocol, such as WebSocket (RFC 9110 section 7.8).

use http::header::{CONTENT_LENGTH, UPGRADE};
use http::request::Parts as Head;
use http::{HeaderMap, HeaderValue, Method, Version};

use crate::framing::is_token;
use calendar_edge_judge::wordpress::payload::nominated;

/// Protocols that are HTTP again, in which requests would pass unseen, and the one that begins TLS.
const NEVER: [&str; 5] = ["h2c", "h2", "h3", "http", "tls"];

/// The one protocol that a request offers; none for every other request, which is forwarded without the upgrade, as RFC
/// 9110 section 7.8 lets every server ignore one.
///
/// It is a GET over HTTP/1.1 without a body whose `Connection` names `upgrade`, with one `Upgrade` field that
/// names one protocol.
pub fn offered_upgrade(head: &Head) -> Option<&HeaderValue> {
    let is_plain = head.method == Method::GET
        && head.version == Version::HTTP_11
        && !head.headers.contains_key(CONTENT_LENGTH);
    let is_named = || nominated(&head.headers).any(|name| name == UPGRADE);
    protocol(&head.headers).filter(|_| is_plain && is_named())
}

/// The protocol of the one `Upgrade` field.
fn protocol(headers: &HeaderMap) -> Option<&HeaderValue> {
    let mut fields = headers.get_all(UPGRADE).iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        return None;
    };
    let text = field.to_str().ok()?;
    let name = text.split('/').next().unwrap_or(text);
    let is_known = text.splitn(2, '/').all(|part| is_token(part.as_bytes()));
    let is_allowed = !NEVER.iter().any(|never| name.eq_ignore_ascii_case(never));
    (is_known && is_allowed).then_some(field)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn asked(version: Version, method: &str, fields: &[(&str, &str)]) -> Option<String> {
        let request = Request::builder().version(version).method(method).uri("/socket");
        let request = fields
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value));
        let (head, ()) = request.body(()).unwrap().into_parts();
        offered_upgrade(&head).map(|protocol| protocol.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_well_formed_upgrade_names_one_protocol() {
        let (connection, upgrade) = (("connection", "Upgrade"), ("upgrade", "websocket"));
        let get = |fields: &[(&str, &str)]| asked(Version::HTTP_11, "GET", fields);
        for (value, protocol) in [
            ("websocket", true),
            ("WebSocket", true),
            ("IRC/6.9", true),
            ("h2c", false),
            ("H2C", false),
            ("h2c/1", false),
            ("HTTP/2.0", false),
            ("TLS/1.0", false),
            ("websocket, h2c", false),
            ("websocket,", false),
            ("web socket", false),
            ("websocket/", false),
            ("", false),
        ] {
            let expected = protocol.then(|| value.to_owned());
            assert_eq!(get(&[connection, ("upgrade", value)]), expected, "{value}");
        }
        for (fields, is_asked) in [
            (&[connection, upgrade][..], true),
            (&[("connection", "keep-alive , UPGRADE"), upgrade], true),
            (&[("connection", "keep-alive"), connection, upgrade], true),
            (&[upgrade], false),
            (&[connection], false),
            (&[("connection", "upgraded"), upgrade], false),
            (&[connection, upgrade, upgrade], false),
            (&[connection, upgrade, ("content-length", "0")], false),
        ] {
            assert_eq!(get(fields).is_some(), is_asked, "{fields:?}");
        }
        for (version, method) in [
            (Version::HTTP_10, "GET"),
            (Version::HTTP_2, "GET"),
            (Version::HTTP_11, "POST"),
            (Version::HTTP_11, "HEAD"),
        ] {
            assert_eq!(
                asked(version, method, &[connection, upgrade]),
                None,
                "{version:?} {method}"
            );
        }
    }
}
