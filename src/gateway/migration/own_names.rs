//! The host that a backend prints outside of its API, replaced by one that all compared backends share.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use url::{Position, Url};

/// The host of a backend and the public one, each with its port.
///
/// The edge makes URLs of the API public. Pages and files keep the address of the site behind the edge, which is
/// another one for each backend, and no difference.
#[derive(Debug)]
pub(in crate::gateway) struct OwnNames {
    /// Pairs of texts: the own spelling, and the shared one.
    spellings: Vec<(String, String)>,
}

// === impl OwnNames ===

impl OwnNames {
    /// The host of the REST root that a backend prints, or else of the one that it is reached at.
    pub(in crate::gateway) fn new(root: &Url, public_base: &str) -> Self {
        let authority = &root[Position::BeforeHost..Position::AfterPort];
        let public = public_base
            .split_once("://")
            .map_or(public_base, |(_, host)| host);
        let spelt = |text: &str| {
            [
                text.to_owned(),
                text.replace(':', "%3A"),
                text.replace(':', "%3a"),
            ]
        };
        let mut spellings: Vec<_> = spelt(authority).into_iter().zip(spelt(public)).collect();
        spellings.dedup();
        Self { spellings }
    }

    /// A body with the shared host; one that is not UTF-8 stays as it is.
    pub(in crate::gateway) fn share_body(&self, body: Bytes) -> Bytes {
        match std::str::from_utf8(&body) {
            Ok(text) if self.spellings.iter().any(|(own, _)| text.contains(own.as_str())) => {
                Bytes::from(self.shared(text))
            }
            _ => body,
        }
    }

    /// The headers that name URLs, with the shared host.
    pub(in crate::gateway) fn share_headers(&self, headers: &mut HeaderMap) {
        for name in [header::LOCATION, header::LINK] {
            let shared = headers
                .get(&name)
                .and_then(|value| HeaderValue::try_from(self.shared(value.to_str().ok()?)).ok());
            if let Some(shared) = shared {
                headers.insert(name, shared);
            }
        }
    }

    fn shared(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (own, shared) in &self.spellings {
            text = replaced(&text, own, shared);
        }
        text
    }
}

/// Replaces a host where it is whole: `a.example` is no part of `data.example` or `a.example.org`.
fn replaced(text: &str, own: &str, shared: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(own) {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.');
        let begins = !before.ends_with(is_name);
        let ends = !behind.starts_with(is_name) && !behind.starts_with(':');
        result.push_str(before);
        result.push_str(if begins && ends { shared } else { own });
        rest = behind;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_hosts_are_replaced() {
        let names = OwnNames::new(
            &"http://10.0.0.5:81/wp-json".parse().unwrap(),
            "https://e.example",
        );
        let body = r#"{"url":"http:\/\/10.0.0.5:81\/venue\/","global_id":"10.0.0.5:81?id=1","x":"110.0.0.5:81 10.0.0.5:810 10.0.0.5%3A81"}"#;
        let expected = r#"{"url":"http:\/\/e.example\/venue\/","global_id":"e.example?id=1","x":"110.0.0.5:81 10.0.0.5:810 e.example"}"#;
        assert_eq!(names.share_body(Bytes::from(body)), expected);
        let mut headers = HeaderMap::new();
        headers.insert(header::LOCATION, "http://10.0.0.5:81/a".parse().unwrap());
        names.share_headers(&mut headers);
        assert_eq!(headers[header::LOCATION], "http://e.example/a");
        let binary = Bytes::from_static(b"\xff10.0.0.5:81");
        assert_eq!(names.share_body(binary.clone()), binary);
    }
}
