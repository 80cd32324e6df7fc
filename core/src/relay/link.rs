//! `Link` header fields, parsed strictly (RFC 8288 section 3).

use http::{HeaderMap, HeaderValue, header};

/// The relation under which WordPress names its REST root.
pub(super) const API_RELATION: &str = "https://api.w.org/";

/// One link of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link<'a> {
    /// The link as written, without the comma.
    pub(super) text: &'a str,
    /// The text between the angle brackets.
    pub(super) target: &'a str,
    /// True if one of its relations is WordPress's REST root.
    pub(super) is_api: bool,
}

/// The links of one field; `None` if it is malformed.
pub(super) fn links(field: &str) -> Option<Vec<Link<'_>>> {
    split_outside(field, ',')?
        .into_iter()
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(link)
        .collect()
}

/// The target of the one REST root that a head names; `None` if there is no root, more than one, or a
/// malformed field.
pub(super) fn api_target(headers: &HeaderMap) -> Option<&str> {
    let mut target = None;
    for field in headers.get_all(header::LINK) {
        for link in links(field.to_str().ok()?)? {
            if link.is_api && target.replace(link.target).is_some() {
                return None;
            }
        }
    }
    target
}

/// The field that names a REST root.
pub(super) fn api_link(root: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("<{root}>; rel=\"{API_RELATION}\"")).ok()
}

fn link(text: &str) -> Option<Link<'_>> {
    let (target, parameters) = text.strip_prefix('<')?.split_once('>')?;
    let mut relation = None;
    for parameter in split_outside(parameters, ';')? {
        let Some((name, value)) = parameter.split_once('=') else {
            continue;
        };
        // If there are several `rel` parameters, the first one counts (RFC 8288 section 3.3).
        if name.trim().eq_ignore_ascii_case("rel") && relation.is_none() {
            relation = Some(value.trim().trim_matches('"'));
        }
    }
    let is_api = relation.is_some_and(|relations| relations.split(' ').any(|name| name == API_RELATION));
    Some(Link { text, target, is_api })
}

/// Splits at each separator outside quotes and angle brackets; `None` if a quote or bracket is not closed.
#[expect(clippy::string_slice, reason = "all positions are those of characters")]
fn split_outside(text: &str, separator: char) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut start, mut quoted, mut escaped, mut bracketed) = (0, false, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if !bracketed => quoted = !quoted,
            '<' if !quoted => bracketed = true,
            '>' if !quoted => bracketed = false,
            _ if character == separator && !quoted && !bracketed => {
                parts.push(&text[start..at]);
                start = at + character.len_utf8();
            }
            _ => {}
        }
    }
    if quoted || bracketed {
        return None;
    }
    parts.push(&text[start..]);
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api_targets(field: &str) -> Option<Vec<&str>> {
        let links = links(field)?;
        Some(
            links
                .iter()
                .filter(|link| link.is_api)
                .map(|link| link.target)
                .collect(),
        )
    }

    #[test]
    fn finds_the_root_among_other_links() {
        let field = r#"<http://h/wp-json/>; rel="https://api.w.org/", <http://h/?p=5>; rel=shortlink, <http://h/a,b>; rel="alternate"; title="a, \"b\"; c""#;
        assert_eq!(links(field).map(|links| links.len()), Some(3));
        assert_eq!(api_targets(field), Some(vec!["http://h/wp-json/"]));
    }

    #[test]
    fn reads_relations_as_a_list_and_the_first_one_only() {
        for (field, found) in [
            (r#"<a>; rel="x https://api.w.org/""#, true),
            ("<a>;REL=https://api.w.org/", true),
            (r#"<a>; rel=x; rel="https://api.w.org/""#, false),
            (r#"<a>; rel="https://api.w.org/x""#, false),
            ("<a>", false),
            ("", false),
        ] {
            assert_eq!(
                api_targets(field).map(|all| !all.is_empty()),
                Some(found),
                "{field}"
            );
        }
    }

    #[test]
    fn refuses_fields_that_are_not_well_formed() {
        for field in ["http://h/", "<a", "<a>; title=\"", "a, <b>", "<a>, b"] {
            assert_eq!(links(field), None, "{field}");
        }
    }

    #[test]
    fn two_roots_name_none() {
        let mut headers = HeaderMap::new();
        headers.append(header::LINK, api_link("http://a/").unwrap());
        assert_eq!(api_target(&headers), Some("http://a/"));
        headers.append(header::LINK, api_link("http://b/").unwrap());
        assert_eq!(api_target(&headers), None);
    }
}
