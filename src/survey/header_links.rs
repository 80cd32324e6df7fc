//! The links of a `Link` header, with what they say about REST roots and languages.

use calendar_edge_core::relay::links;

/// One link of a `Link` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeaderLink<'a> {
    pub(super) target: &'a str,
    /// The language of the target.
    pub(super) language: Option<&'a str>,
    /// True if this is the REST root of WordPress.
    pub(super) is_api: bool,
}

/// The links of a `Link` header before its first fault.
pub(super) fn header_links(field: &str) -> impl Iterator<Item = HeaderLink<'_>> {
    links(field.as_bytes()).0.into_iter().filter_map(|link| {
        Some(HeaderLink {
            target: field.get(link.target)?,
            language: link.language.and_then(|place| field.get(place)),
            is_api: link.is_api,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_of_a_field_are_told_apart_whatever_their_titles_say() {
        let field = r#"<https://h/wp-json/>; rel="x https://api.w.org/", <https://h/a,b>; rel=alternate; hreflang="de"; title="<c>; rel=\"https://api.w.org/\"", <https://h/d>; title="; hreflang=fr""#;
        let found: Vec<_> = header_links(field)
            .map(|link| (link.target, link.language, link.is_api))
            .collect();
        assert_eq!(
            found,
            [
                ("https://h/wp-json/", None, true),
                ("https://h/a,b", Some("de"), false),
                ("https://h/d", None, false),
            ]
        );
    }
}
