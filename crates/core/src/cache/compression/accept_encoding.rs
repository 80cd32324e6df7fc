//! `Accept-Encoding`: the codings that a client takes, and how much it likes them (RFC 9110 section 12.5.3).

use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue};

use super::coding::Coding;
use crate::cache::weight::{Weight, weight};

/// The coding that a client likes best; none if it likes the plain body better, or has no preference.
///
/// A client that names neither `identity` nor `*` likes codings of any weight but zero better than the plain body.
/// Items that cannot be read count as absent.
pub fn preferred(headers: &HeaderMap) -> Option<Coding> {
    let fields = headers.get_all(ACCEPT_ENCODING);
    // Most programs send none.
    fields.iter().next()?;
    let fields = fields.iter().filter_map(text);
    let mut wishes = Wishes::default();
    for (name, weight) in fields.flat_map(|field| field.split(',')).filter_map(item) {
        wishes.note(name, weight);
    }
    wishes.best()
}

/// The first weight of each name that matters.
#[derive(Default)]
struct Wishes {
    any: Option<Weight>,
    plain: Option<Weight>,
    codings: [Option<Weight>; Coding::ALL.len()],
}

// === impl Wishes ===

impl Wishes {
    fn note(&mut self, name: &str, weight: Weight) {
        let mut known = Coding::ALL.iter().zip(&mut self.codings);
        let wish = if name == "*" {
            &mut self.any
        } else if name.eq_ignore_ascii_case("identity") {
            &mut self.plain
        } else if let Some((_, wish)) = known.find(|(coding, _)| coding.is_called(name)) {
            wish
        } else {
            return;
        };
        wish.get_or_insert(weight);
    }

    fn best(&self) -> Option<Coding> {
        let plain = self.plain.unwrap_or(0);
        let mut best = None;
        for (coding, wish) in Coding::ALL.into_iter().zip(self.codings) {
            let weight = wish.or(self.any).unwrap_or(0);
            if weight > 0 && weight >= plain && best.is_none_or(|(most, _)| weight > most) {
                best = Some((weight, coding));
            }
        }
        best.map(|(_, coding)| coding)
    }
}

fn text(field: &HeaderValue) -> Option<&str> {
    field.to_str().ok()
}

/// One item: a name, and its weight, 1 by default.
fn item(text: &str) -> Option<(&str, Weight)> {
    let (name, weight) = match text.split_once(';') {
        None => (text, 1000),
        Some((name, parameter)) => (name, weight(parameter.trim())?),
    };
    let name = name.trim();
    (!name.is_empty()).then_some((name, weight))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chosen(fields: &[&str]) -> &'static str {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_str(field).unwrap());
        }
        preferred(&headers).map_or("", Coding::name)
    }

    #[test]
    fn a_client_gets_what_it_likes_best() {
        for (field, expected) in [
            ("gzip", "gzip"),
            ("GZIP", "gzip"),
            ("x-gzip", "gzip"),
            ("gzip, deflate", "gzip"),
            ("gzip, deflate, br", "br"),
            ("gzip, deflate, br, zstd", "br"),
            ("zstd, gzip", "zstd"),
            ("gzip;q=1.0, br;q=0.5", "gzip"),
            ("gzip ; q=0.2 , br ; q=0.200", "br"),
            ("gzip;q=0.001", "gzip"),
            ("br;q=0, gzip", "gzip"),
            ("br;q=0.000, gzip;q=0", ""),
            ("*", "br"),
            ("*;q=0.1, gzip", "gzip"),
            ("br;q=0, *", "zstd"),
            ("*;q=0", ""),
            ("identity", ""),
            ("identity, gzip;q=0.5", ""),
            ("identity;q=0.5, gzip", "gzip"),
            ("identity;q=0, gzip;q=0.1", "gzip"),
            ("gzip;q=1, identity;q=1", "gzip"),
            ("deflate", ""),
            ("compress, deflate;q=0.9", ""),
        ] {
            assert_eq!(chosen(&[field]), expected, "{field}");
        }
        assert_eq!(chosen(&[]), "");
        assert_eq!(chosen(&["deflate", "gzip"]), "gzip");
    }

    #[test]
    fn items_that_cannot_be_read_count_as_absent() {
        for field in [
            "",
            ",",
            " ",
            ";q=1",
            "gzip;q=2",
            "gzip;q=1.001",
            "gzip;q=0.0001",
            "gzip;q=",
            "gzip;q=-1",
            "gzip;q=1e0",
            "gzip;level=9",
            "gzip q=1",
            "gzipp",
        ] {
            assert_eq!(chosen(&[field]), "", "{field}");
        }
        assert_eq!(chosen(&["br;q=x, gzip"]), "gzip");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                let mut headers = HeaderMap::new();
                headers.insert(ACCEPT_ENCODING, value);
                let _ = preferred(&headers);
            }
        }

        #[test]
        fn what_is_refused_is_never_chosen(weights in proptest::collection::vec(0u16..=3, 3)) {
            let items: Vec<String> = Coding::ALL.iter().zip(&weights).map(|(coding, weight)| format!("{};q=0.{weight}", coding.name())).collect();
            let chosen = chosen(&[&items.join(", ")]);
            let best = weights.iter().max().copied().unwrap_or_default();
            let expected = Coding::ALL.iter().zip(&weights).find(|(_, weight)| **weight == best && best > 0);
            prop_assert_eq!(chosen, expected.map_or("", |(coding, _)| coding.name()));
        }
    }
}
