//! The versions of WordPress and of the plugin, as far as a site shows them.

use super::addresses::home_path;
use super::responses::SiteResponse;
use super::surveyed_site::SurveyedSite;
use crate::pages::tags;

/// Stands for what a site hides.
const NOT_SHOWN: &str = "(version not shown)";

/// The versions of the plugin and of WordPress in words, as far as the site shows them: in the plugin's own description,
/// which most sites serve as a file, and in a page.
pub(super) fn versions(place: &SurveyedSite<'_>, page: &str) -> (String, String) {
    let home = home_path(&place.backend.origin.url);
    let readme = place.page(&format!(
        "{home}wp-content/plugins/the-events-calendar/readme.txt"
    ));
    let readme = readme.ok().filter(|answer| answer.status.is_success());
    let readme = readme.map(SiteResponse::text).unwrap_or_default();
    let shown = |version: Option<&str>| version.unwrap_or(NOT_SHOWN).to_owned();
    (shown(plugin(&readme)), shown(wordpress(page)))
}

/// The longest version that is shown.
const MOST_LETTERS: usize = 20;

/// The version of WordPress in the generator of a page: `6.1.9`.
fn wordpress(page: &str) -> Option<&str> {
    let generators = tags(page).filter(|tag| tag.is("meta") && tag.attribute("name") == Some("generator"));
    let mut named = generators.filter_map(|tag| tag.attribute("content"));
    named.find_map(|content| version(content.strip_prefix("WordPress ")?))
}

/// The version of the plugin in the addresses of its files on a page, or in its `readme.txt`: `6.17.2`.
fn plugin(readme: &str) -> Option<&str> {
    let mut lines = readme.lines().take(40);
    lines.find_map(|line| {
        let (key, value) = line.split_once(':')?;
        let is_key = key.trim().eq_ignore_ascii_case("stable tag");
        is_key.then(|| version(value.trim()))?
    })
}

/// The text, if it is a version.
fn version(text: &str) -> Option<&str> {
    let is_short = text.len() <= MOST_LETTERS;
    let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    (is_short && begins && is_plain).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_show_in_a_page_and_in_a_readme() {
        let page = "<meta name='generator' content='Site Kit 1.2' /><meta name=\"generator\" content=\"WordPress 6.9-RC1\" />";
        assert_eq!(wordpress(page), Some("6.9-RC1"));
        assert_eq!(wordpress("<meta name='generator' content='WordPress <b>'>"), None);
        assert_eq!(wordpress("<p>WordPress 6.1</p>"), None);
        assert_eq!(
            plugin("=== The Events Calendar ===\n\nStable tag: 6.17.2\n"),
            Some("6.17.2")
        );
        assert_eq!(plugin("Stable tag: trunk"), None);
        assert_eq!(plugin("<html>"), None);
    }
}
