//! The tags of an HTML page and their attributes: tolerant, and without a tree. Comments, scripts and other text that
//! only looks like tags have none.

/// One tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HtmlTag<'a> {
    /// Its name, as it is written.
    pub(super) name: &'a str,
    attributes: &'a str,
    /// True if it ends its element.
    pub(super) is_end: bool,
}

/// The elements whose content is text.
const TEXTS: [&str; 4] = ["script", "style", "textarea", "title"];

/// The opening tags of a page, in their order.
pub fn tags(page: &str) -> impl Iterator<Item = HtmlTag<'_>> {
    all_tags(page).filter(|tag| !tag.is_end)
}

/// The opening and the closing tags of a page, in their order.
pub(super) fn all_tags(mut page: &str) -> impl Iterator<Item = HtmlTag<'_>> {
    std::iter::from_fn(move || {
        loop {
            let (_, begun) = page.split_once('<')?;
            page = begun;
            if let Some(comment) = begun.strip_prefix("!--") {
                page = comment.split_once("-->").map_or("", |(_, behind)| behind);
                continue;
            }
            let Some((tag, behind)) = HtmlTag::read(begun) else {
                continue;
            };
            page = tag.behind_its_text(behind);
            return Some(tag);
        }
    })
}

// === impl HtmlTag ===

impl<'a> HtmlTag<'a> {
    /// The tag that a text behind `<` begins with, and what follows it.
    fn read(begun: &'a str) -> Option<(Self, &'a str)> {
        let is_end = begun.starts_with('/');
        let named = begun.strip_prefix('/').unwrap_or(begun);
        let end = named.find(|letter: char| !letter.is_ascii_alphanumeric());
        let (name, rest) = named.split_at(end.unwrap_or(named.len()));
        let (attributes, behind) = rest.split_at(end_of_tag(rest)?);
        let tag = Self {
            name,
            attributes,
            is_end,
        };
        (!name.is_empty()).then_some((tag, behind))
    }

    /// The rest behind the text of its element, if that is text; it ends with the closing tag.
    fn behind_its_text(&self, behind: &'a str) -> &'a str {
        if self.is_end || !TEXTS.iter().any(|name| self.is(name)) {
            return behind;
        }
        let is_closed = |at: &usize| {
            let name = behind.get(at + 2..at + 2 + self.name.len());
            name.is_some_and(|name| self.is(name))
        };
        let end = behind.match_indices("</").map(|(at, _)| at).find(is_closed);
        end.and_then(|at| behind.get(at..)).unwrap_or_default()
    }

    /// True if the tag has this name, without regard to case.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The classes of its element.
    pub(super) fn classes(&self) -> impl Iterator<Item = &'a str> {
        self.attribute("class").unwrap_or_default().split_whitespace()
    }

    /// The value of an attribute, quoted or not.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
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

/// The place of the `>` behind attributes. Within a value that is quoted it ends nothing; a quote without its end is none.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let step = rest.find(['>', '='])?;
        if rest.get(step..)?.starts_with('>') {
            return Some(at + step);
        }
        let value = rest.get(step + 1..)?;
        let blanks = value.len() - value.trim_start().len();
        let value = value.trim_start();
        let quote = value.chars().next().filter(|letter| matches!(letter, '"' | '\''));
        let quoted = quote.and_then(|quote| value.get(1..)?.find(quote).map(|end| end + 2));
        at += step + 1 + blanks + quoted.unwrap_or(0);
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

    #[test]
    fn text_is_no_tag() {
        let page = r#"<!-- <a> --><title><b></title><script>"<i>"</SCRIPT><p title="> <u>" x='<s>'>1 < 2</p><q a="b>"#;
        let names: Vec<String> = all_tags(page).map(|tag| tag.name.to_owned()).collect();
        assert_eq!(names, ["title", "title", "script", "SCRIPT", "p", "p", "q"]);
    }

    proptest::proptest! {
        #[test]
        fn reads_any_text(page in "[<>='\"/ a-zé\n!-]{0,80}") {
            for tag in tags(&page) {
                let _ = tag.attribute("a");
            }
        }
    }
}
