//! Values that may name an image. Any other value could make the site fetch from a host that is not listed
//! (T-17).

use super::rules::{created, is_hosted, members};
use crate::contract::Rule;
use crate::policy::ImageHost;
use crate::wordpress::value::Value;
use crate::wordpress::value::integer::is_integer;

/// Returns true if a value of this rule, or a record in it, names an image other than by number or by the URL of
/// a listed host.
///
/// The plugin sends a request for every text that is not numeric, and PHP finds a host in texts that URL parsers
/// reject. Therefore only known spellings are accepted.
pub(super) fn is_fetched_elsewhere(hosts: &[ImageHost], rule: Rule, value: &Value) -> bool {
    if rule.is_image() {
        return !names_image(hosts, rule, value);
    }
    let Some(kind) = rule.creates() else { return false };
    // A record that is created together with its event has its own image.
    let images = created(kind)
        .arguments
        .iter()
        .filter(|member| member.rule.is_image());
    images
        .flat_map(|member| {
            members(value, member.name)
                .into_iter()
                .map(|image| (member.rule, image))
        })
        .any(|(rule, image)| is_fetched_elsewhere(hosts, rule, image))
}

/// Returns true for a whole number, a URL of a listed host, or an empty value if the rule allows one.
fn names_image(hosts: &[ImageHost], rule: Rule, value: &Value) -> bool {
    let is_absent = rule == Rule::ImageOrEmpty && value.is_empty();
    is_absent || is_integer(value) || value.as_text().is_some_and(|text| is_hosted(hosts, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::payload::parse_json;

    fn listed(name: &str) -> [ImageHost; 1] {
        [ImageHost {
            name: name.to_owned(),
            below: false,
            port: None,
        }]
    }

    #[test]
    fn images_of_new_venues_and_organizers_count() {
        let images = listed("a.example");
        for (json, left) in [
            (r#"{"venue":"N","image":"http://a.example/x"}"#, false),
            (r#"{"venue":"N","image":"5"}"#, false),
            (r#"{"venue":"N","image":""}"#, false),
            (r#"{"venue":"N","image":null}"#, false),
            (r#"{"venue":"N","image":"nothing"}"#, true),
            (r#"{"venue":"N","image":["http://b.example/x"]}"#, true),
            (r#"{"id":7,"image":"http://b.example/x"}"#, false),
            (r#"{"venue":"N","image":"http://b.example/x"}"#, true),
            (r#"[7,{"venue":"N","image":"https:b.example"}]"#, true),
            (r#"[[{"image":" HTTP://b.example/x"}]]"#, true),
            (r#"{"a":{"venue":"N","image":"x:http://b.example/x"}}"#, true),
            (r#"{"id":7,"a":{"image":"http://b.example/x"}}"#, true),
            (r#"{"id":{"image":"http://b.example/x"}}"#, true),
            ("7", false),
        ] {
            let value = parse_json(json.as_bytes(), 8).unwrap();
            assert_eq!(
                is_fetched_elsewhere(&images, Rule::VenueEntry, &value),
                left,
                "{json}"
            );
        }
    }

    /// Pieces that URL parsers read in different ways.
    const PIECES: [&str; 26] = [
        "http://",
        "https://",
        "HTTP://",
        "x:",
        "//",
        "/",
        "\\",
        "a.example",
        "A.EXAMPLE",
        "b.example",
        "127.0.0.1",
        "[::1]",
        "@",
        ":",
        ":80",
        ":81",
        "?",
        "#",
        "%2e",
        "%00",
        " ",
        "\t",
        "\n",
        "\u{3002}",
        "5",
        ".",
    ];

    proptest::proptest! {
        #[test]
        fn what_passes_is_nothing_a_whole_number_or_a_url_of_a_listed_host(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..7),
            optional: bool,
        ) {
            let text = pieces.concat();
            let rule = if optional { Rule::ImageOrEmpty } else { Rule::Image };
            if is_fetched_elsewhere(&listed("a.example"), rule, &Value::text(text.as_str())) {
                return Ok(());
            }
            let is_nothing = optional && matches!(text.as_str(), "" | "0");
            let is_whole = text.trim().parse::<f64>().is_ok_and(|number| number.fract() == 0.0);
            let is_listed = url::Url::parse(&text).is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.host_str() == Some("a.example")
                    && url.username().is_empty()
                    && url.password().is_none()
                    && matches!(url.port_or_known_default(), Some(80 | 443))
            });
            proptest::prop_assert!(is_nothing || is_whole || is_listed, "{text:?}");
        }
    }
}
