//! Images the site would fetch from a host that is not listed (T-17).

use super::rules::{ImageHosts, created, is_web, members};
use crate::contract::Rule;
use crate::value::Value;

/// Returns true if the site, to check a value of this rule, would send a request to a host that is not
/// listed.
pub(super) fn is_fetched_elsewhere(hosts: &ImageHosts, rule: Rule, value: &Value) -> bool {
    if rule.is_image() {
        return value
            .as_text()
            .is_some_and(|text| is_web(text) && !hosts.hold(text));
    }
    let Some(kind) = rule.creates() else { return false };
    // A record that is created together with its event has its own image.
    created(kind)
        .arguments
        .iter()
        .filter(|member| member.rule.is_image())
        .flat_map(|member| members(value, member.name))
        .any(|image| is_fetched_elsewhere(hosts, Rule::Image, image))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::parse_json;
    use crate::settings::ImageHost;

    #[test]
    fn images_of_new_venues_and_organizers_count() {
        let images = ImageHosts::listed(vec![ImageHost {
            name: "a.example".to_owned(),
            below: false,
            port: None,
        }]);
        for (json, left) in [
            (r#"{"venue":"N","image":"http://a.example/x"}"#, false),
            (r#"{"venue":"N","image":"5"}"#, false),
            (r#"{"venue":"N","image":"nothing"}"#, false),
            (r#"{"id":7,"image":"http://b.example/x"}"#, false),
            (r#"{"venue":"N","image":"http://b.example/x"}"#, true),
            (r#"[7,{"venue":"N","image":"https:b.example"}]"#, true),
            (r#"[[{"image":" HTTP://b.example/x"}]]"#, true),
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
}
