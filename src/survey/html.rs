//! The tags of an HTML page and their attributes, as far as advice needs them: tolerant, and without a tree.

/// One opening tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HtmlTag<'a> {
    name: &'a str,
    attributes: &'a str,
}

/// The opening tags of a page, in their order.
pub(crate) fn tags(page: &str) -> impl Iterator<Item = HtmlTag<'_>> {
    page.split('<').skip(1).filter_map(|piece| {
        let inside = piece.split('>').next()?;
        let end = inside.find(|letter: char| !letter.is_ascii_alphanumeric());
        let (name, attributes) = inside.split_at(end.unwrap_or(inside.len()));
        (!name.is_empty()).then_some(HtmlTag { name, attributes })
    })
}

// === impl HtmlTag ===

impl<'a> HtmlTag<'a> {
    /// True if the tag has this name, without regard to case.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value of an attribute, quoted or not.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '/');
            let end = rest.find(|letter: char| letter == '=' || letter.is_whitespace())?;
            let (found, behind) = rest.split_at_checked(end)?;
            let Some(value) = behind.trim_start().strip_prefix('=') else {
                rest = behind;
                continue;
            };
            let (value, behind) = value_of(value.trim_start());
            if found.eq_ignore_ascii_case(name) {
                return Some(value);
            }
            rest = behind;
        }
    }
}

/// A value, and what follows it.
fn value_of(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_attributes_in_every_spelling() {
        let page = r#"<p>x</p><LINK rel='alternate' hreflang="de" href="http://h/de/" /><a
            class=x href=/plain>y</a><meta content="WordPress 6.1.9" name=generator><br/><img alt src="s">"#;
        let links: Vec<HtmlTag<'_>> = tags(page).collect();
        let all = |name: &str, attribute: &str| {
            let mut found = links.iter().filter(|tag| tag.is(name));
            found.find_map(|tag| tag.attribute(attribute))
        };
        assert_eq!(all("link", "href"), Some("http://h/de/"));
        assert_eq!(all("link", "HREFLANG"), Some("de"));
        assert_eq!(all("a", "href"), Some("/plain"));
        assert_eq!(all("meta", "content"), Some("WordPress 6.1.9"));
        assert_eq!(all("img", "src"), Some("s"));
        assert_eq!(all("img", "alt"), None);
        assert_eq!(all("br", "x"), None);
    }

    proptest::proptest! {
        #[test]
        fn reads_any_text(page in "[<>='\"/ a-zé\n]{0,80}") {
            for tag in tags(&page) {
                let _ = tag.attribute("a");
            }
        }
    }
}
