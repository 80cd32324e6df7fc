//! `Link` header fields, read by the grammar of RFC 8288 section 3.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use http::{HeaderMap, HeaderValue, header};
use regex::bytes::Regex;

/// The relation under which WordPress names its REST root.
pub const API_RELATION: &str = "https://api.w.org/";

/// One link of a field; all positions are those of bytes in the field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The text between the angle brackets.
    pub target: Range<usize>,
    /// The address that the link is about, if it is not the document's own; without its quotes.
    pub anchor: Option<Range<usize>>,
    /// The language of the target, without its quotes.
    pub language: Option<Range<usize>>,
    /// True if one of its relations is WordPress's REST root.
    pub is_api: bool,
}

/// A target, behind what may stand between links.
static TARGET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u)^[ \t,]*<([^<>]*)>").expect("the expression is a constant"));

/// A parameter behind its semicolon, which may be empty: its name, and its value with or without quotes.
static PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    let value = r#""((?:[^"\\]|\\.)*)"|([^ \t;,"]*)"#;
    let parameter = format!(r#"(?s-u)^[ \t]*;[ \t]*([^ \t=;,"<>]*)[ \t]*(?:=[ \t]*(?:{value}))?"#);
    Regex::new(&parameter).expect("the expression is a constant")
});

/// The links of one field before its first fault, and whether the field has none.
pub fn links(field: &[u8]) -> (Vec<Link>, bool) {
    let (mut links, mut rest) = (Vec::new(), field);
    while !rest.iter().all(|byte| is_blank(*byte) || *byte == b',') {
        let Some((link, end)) = link(field, field.len() - rest.len()) else {
            return (links, false);
        };
        links.push(link);
        rest = field.get(end..).unwrap_or_default();
    }
    (links, true)
}

/// The link behind the blanks and commas at this position, and its end; none if the field does not follow the grammar
/// there. Of several parameters of one name the first one counts.
fn link(field: &[u8], start: usize) -> Option<(Link, usize)> {
    let found = TARGET.captures(field.get(start..)?)?;
    let target = found.get(1)?.range();
    let mut link = Link {
        target: start + target.start..start + target.end,
        ..Link::default()
    };
    let (mut at, mut has_relation) = (start + found.get(0)?.end(), false);
    while let Some(found) = PARAMETER.captures(field.get(at..)?) {
        if let Some(value) = found.get(2).or_else(|| found.get(3)) {
            let place = at + value.start()..at + value.end();
            let name = found.get(1)?.as_bytes();
            if name.eq_ignore_ascii_case(b"anchor") {
                link.anchor.get_or_insert(place);
            } else if name.eq_ignore_ascii_case(b"hreflang") {
                link.language.get_or_insert(place);
            } else if name.eq_ignore_ascii_case(b"rel") && !std::mem::replace(&mut has_relation, true) {
                let relations = unescaped(value.as_bytes());
                let mut relations = relations.split(u8::is_ascii_whitespace);
                link.is_api =
                    relations.any(|relation| relation.eq_ignore_ascii_case(API_RELATION.as_bytes()));
            }
        }
        at += found.get(0)?.end();
    }
    let behind = field.get(at..)?.iter().find(|byte| !is_blank(**byte));
    matches!(behind, None | Some(b',')).then_some((link, at))
}

/// The target of the one REST root that a head names for its own document; `None` if there is no root, more than
/// one, or a malformed field.
pub(super) fn api_target(headers: &HeaderMap) -> Option<&str> {
    let mut fields = headers.get_all(header::LINK).iter();
    if let (Some(field), None) = (fields.next(), fields.next())
        && let Some(target) = sole_api_target(field.as_bytes())
    {
        return std::str::from_utf8(target).ok();
    }
    let mut target = None;
    for field in headers.get_all(header::LINK) {
        let (links, true) = links(field.as_bytes()) else {
            return None;
        };
        let own = links.into_iter();
        for link in own.filter(|link| link.is_api && link.anchor.is_none()) {
            let named = field.as_bytes().get(link.target)?;
            if target.replace(std::str::from_utf8(named).ok()?).is_some() {
                return None;
            }
        }
    }
    target
}

/// The target of a field that names nothing but a REST root, as WordPress prints it.
fn sole_api_target(field: &[u8]) -> Option<&[u8]> {
    let target = field
        .strip_prefix(b"<")?
        .strip_suffix(b">; rel=\"https://api.w.org/\"")?;
    (!target.iter().any(|byte| matches!(byte, b'<' | b'>'))).then_some(target)
}

/// The field that names the REST root with this path at an address, which is written as WordPress prints roots.
pub(super) fn api_link(base: &str, path: &str) -> Option<HeaderValue> {
    HeaderValue::try_from(["<", base, path, "/>; rel=\"https://api.w.org/\""].concat()).ok()
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The content of a quoted string: a backslash stands for the byte behind it.
pub(super) fn unescaped(quoted: &[u8]) -> Cow<'_, [u8]> {
    if !quoted.contains(&b'\\') {
        return Cow::Borrowed(quoted);
    }
    let mut plain = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter();
    while let Some(&byte) = bytes.next() {
        plain.push(if byte == b'\\' {
            *bytes.next().unwrap_or(&byte)
        } else {
            byte
        });
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn api_targets(field: &str) -> Option<Vec<&str>> {
        let (links, is_whole) = links(field.as_bytes());
        let api = links.into_iter().filter(|link| link.is_api);
        is_whole.then(|| api.map(|link| &field[link.target]).collect())
    }

    #[test]
    fn finds_the_root_among_other_links() {
        let field = r#"<http://h/wp-json/>; rel="https://api.w.org/", <http://h/?p=5>; rel=shortlink, <http://h/a,b;c="d>; rel="alternate"; title="a, \"b\"; <c>""#;
        let targets: Vec<&str> = links(field.as_bytes())
            .0
            .into_iter()
            .map(|link| &field[link.target])
            .collect();
        assert_eq!(
            targets,
            ["http://h/wp-json/", "http://h/?p=5", r#"http://h/a,b;c="d"#]
        );
        assert_eq!(api_targets(field), Some(vec!["http://h/wp-json/"]));
    }

    #[test]
    fn reads_relations_as_a_list_and_the_first_one_only() {
        for (field, found) in [
            (r#"<a>; rel="x https://api.w.org/""#, true),
            ("<a>;REL=https://api.w.org/", true),
            ("<a> ;\trel = \"HTTPS://API.w.org/\" ; x", true),
            (r#"<a>; rel="https:\/\/api.w.org\/""#, true),
            (r#"<a>; title="; rel=x"; ; rel="https://api.w.org/""#, true),
            (r#"<a>; rel=x; rel="https://api.w.org/""#, false),
            (r#"<a>; title="rel=\"https://api.w.org/\"""#, false),
            (r#"<a>; rel="https://api.w.org/x""#, false),
            (r#"<a>; xrel="https://api.w.org/""#, false),
            ("<a>", false),
            ("", false),
        ] {
            let targets = api_targets(field);
            assert_eq!(targets.map(|all| !all.is_empty()), Some(found), "{field}");
        }
    }

    #[test]
    fn knows_fields_that_are_not_well_formed() {
        for (field, before) in [
            ("http://h/", 0),
            ("<a", 0),
            ("<a<b>", 0),
            ("<a>; title=\"", 0),
            ("<a>; title=\"\\\"", 0),
            ("<a>; title=\"b\"c", 0),
            ("a, <b>", 0),
            ("<a>, b", 1),
            ("<a> b", 0),
        ] {
            let (links, is_whole) = links(field.as_bytes());
            assert_eq!((links.len(), is_whole), (before, false), "{field}");
        }
    }

    #[test]
    fn the_root_is_the_one_of_the_document() {
        let mut headers = HeaderMap::new();
        headers.append(header::LINK, api_link("http://a", "").unwrap());
        assert_eq!(api_target(&headers), Some("http://a/"));
        let about_another = r#"<http://c/>; rel="https://api.w.org/"; anchor="http://c/x""#;
        headers.append(header::LINK, HeaderValue::from_static(about_another));
        assert_eq!(api_target(&headers), Some("http://a/"));
        headers.append(header::LINK, api_link("http://b", "").unwrap());
        assert_eq!(api_target(&headers), None);
    }

    /// A link as a sender may write it: target, anchor, other parameters and their spelling.
    fn written() -> impl Strategy<Value = (String, Option<String>, String)> {
        let target = "[a-z0-9:/?#=&;,.\" -]{0,20}";
        let anchor = proptest::option::of("[a-z0-9:/?#=&;,.< >-]{0,20}");
        let title = r#"([a-z,;<>= ]|\\["\\a-z]){0,12}"#;
        let blank = proptest::sample::select(vec!["", " ", "\t", "  "]);
        (target, anchor, title, blank).prop_map(|(target, anchor, title, blank)| {
            let about = anchor
                .iter()
                .map(|anchor| format!("ANCHOR{blank}={blank}\"{anchor}\"{blank};"));
            let about: String = about.collect();
            let title = format!("title{blank}={blank}\"{title}\"");
            let text = format!("<{target}>{blank};{blank}{title}{blank};{blank}{about}rel=next");
            (target, anchor, text)
        })
    }

    proptest! {
        #[test]
        fn links_are_found_however_they_are_written(
            all in proptest::collection::vec(written(), 0..5),
            between in proptest::sample::select(vec![",", ", ", " ,, ", ",\t"]),
        ) {
            let texts: Vec<&str> = all.iter().map(|(_, _, text)| text.as_str()).collect();
            let field = texts.join(between);
            let (links, is_whole) = links(field.as_bytes());
            prop_assert!(is_whole, "{}", field);
            let found: Vec<_> = links.into_iter().map(|link| {
                (field[link.target].to_owned(), link.anchor.map(|anchor| field[anchor].to_owned()))
            }).collect();
            let expected: Vec<_> = all.into_iter().map(|(target, anchor, _)| (target, anchor)).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn a_sole_root_is_what_the_grammar_reads(target in r#"[a-z:/<>;", é]{0,12}"#, behind in "|;|, <b>|,") {
            let field = format!("<{target}>; rel=\"https://api.w.org/\"{behind}");
            if let Some(sole) = sole_api_target(field.as_bytes()) {
                prop_assert_eq!(api_targets(&field), Some(vec![std::str::from_utf8(sole).unwrap()]));
                prop_assert_eq!(links(field.as_bytes()).0.len(), 1);
            } else {
                prop_assert!(!behind.is_empty() || target.contains(['<', '>']));
            }
        }

        #[test]
        fn any_bytes_give_places_in_order(field in proptest::collection::vec(
            prop_oneof![any::<u8>(), proptest::sample::select(b"<>\";,=\\ relanchor".to_vec())], 0..60,
        )) {
            let mut behind = 0;
            for link in links(&field).0 {
                let anchor = link.anchor.unwrap_or(link.target.end..link.target.end);
                prop_assert!(behind <= link.target.start && link.target.start <= link.target.end);
                prop_assert!(link.target.end <= anchor.start && anchor.start <= anchor.end);
                prop_assert!(anchor.end <= field.len());
                behind = anchor.end;
            }
        }
    }
}
