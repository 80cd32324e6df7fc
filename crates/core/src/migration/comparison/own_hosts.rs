//! The hosts that belong to one backend, so that a difference in nothing else is known as such.

use std::borrow::Cow;

use super::class::DifferenceClass;
use super::scalar::same_spelling;

/// Stands for every own host; no text of a calendar contains it.
const OWN: &str = "\u{f8ff}";

/// The hosts at which one backend is known, each with its port.
///
/// The edge makes URLs of the API public. Pages and files keep the host that the backend prints, and clients see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnHosts {
    spellings: Vec<String>,
}

/// The hosts of the primary and of the other backend.
pub(super) type HostPair<'a> = (&'a OwnHosts, &'a OwnHosts);

// === impl OwnHosts ===

impl OwnHosts {
    /// No host.
    pub const NONE: &Self = &Self {
        spellings: Vec::new(),
    };

    /// The hosts of a backend as URLs contain them: `10.0.0.7:9000`, `www.example.org`.
    pub fn new<'h>(hosts: impl IntoIterator<Item = &'h str>) -> Self {
        let hosts = hosts.into_iter().filter(|host| !host.is_empty());
        let mut spellings: Vec<String> = hosts
            .flat_map(|host| {
                [
                    host.to_owned(),
                    host.replace(':', "%3A"),
                    host.replace(':', "%3a"),
                ]
            })
            .collect();
        spellings.sort();
        spellings.dedup();
        Self { spellings }
    }

    /// A text with one mark in place of every own host.
    pub(super) fn hidden<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut hidden = Cow::Borrowed(text);
        for own in &self.spellings {
            if hidden.contains(own.as_str()) {
                hidden = Cow::Owned(replaced(&hidden, own));
            }
        }
        hidden
    }
}

/// The class of two texts that differ: whether they do so in nothing but the hosts of their backends.
pub(super) fn class_beside_hosts(
    (primary_hosts, other_hosts): HostPair<'_>,
    primary: &str,
    other: &str,
) -> DifferenceClass {
    let (one, two) = (primary_hosts.hidden(primary), other_hosts.hidden(other));
    if same_spelling(&one, &two) {
        DifferenceClass::Host
    } else {
        DifferenceClass::Different
    }
}

/// Replaces a host where it is whole: `a.example` is no part of `data.example` or `a.example.org`.
fn replaced(text: &str, own: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(own) {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.');
        let begins = !before.ends_with(is_name);
        let ends = !behind.starts_with(is_name) && !behind.starts_with(':');
        result.push_str(before);
        result.push_str(if begins && ends { OWN } else { own });
        rest = behind;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, StatusCode};

    use super::super::tests::{found, operation};
    use super::super::{ComparedResponse, DifferenceClass, compare};
    use super::*;

    #[test]
    fn whole_hosts_are_hidden() {
        let hosts = OwnHosts::new(["10.0.0.5:81", "www.example"]);
        let text =
            "http://10.0.0.5:81/ 10.0.0.5:81?id=1 110.0.0.5:81 10.0.0.5:810 10.0.0.5%3A81 www.example.org";
        let expected = "http://\u{f8ff}/ \u{f8ff}?id=1 110.0.0.5:81 10.0.0.5:810 \u{f8ff} www.example.org";
        assert_eq!(hosts.hidden(text), expected);
        assert!(matches!(OwnHosts::NONE.hidden(text), Cow::Borrowed(_)));
    }

    #[test]
    fn a_host_of_its_own_is_a_class_of_its_own() {
        let (site, next) = (OwnHosts::new(["www.example"]), OwnHosts::new(["10.0.0.7:9000"]));
        let of = |primary: &str, other: &str| {
            let headers = [primary, other].map(|url| {
                let mut headers = HeaderMap::new();
                headers.insert("location", url.parse().unwrap());
                headers
            });
            let bodies = [primary, other].map(|url| format!("{{\"url\":\"{url}\"}}"));
            let answer = |side: usize, own_hosts| ComparedResponse {
                status: StatusCode::OK,
                headers: &headers[side],
                body: bodies[side].as_bytes(),
                own_hosts,
            };
            found(&compare(
                operation("venues.read"),
                answer(0, &site),
                answer(1, &next),
            ))
        };
        let both = |class| {
            [":header.location", "url"]
                .map(|path| (path.to_owned(), class))
                .to_vec()
        };
        for (primary, other, class) in [
            (
                "http://www.example/a",
                "http://10.0.0.7:9000/a",
                DifferenceClass::Host,
            ),
            (
                "http://www.example/a/",
                "https://10.0.0.7:9000/a",
                DifferenceClass::Host,
            ),
            (
                "http://www.example/a",
                "http://10.0.0.7:9000/b",
                DifferenceClass::Different,
            ),
            (
                "http://www.example/a",
                "http://10.0.0.8:9000/a",
                DifferenceClass::Different,
            ),
            (
                "http://www.example/a",
                "https://www.example/a",
                DifferenceClass::Representation,
            ),
        ] {
            assert_eq!(of(primary, other), both(class), "{primary} {other}");
        }
        assert_eq!(of("http://www.example/a", "http://www.example/a"), []);
    }
}
