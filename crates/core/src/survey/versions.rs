//! The version of the plugin, as far as a site shows it.

use super::addresses::home_path;
use super::responses::SiteResponse;
use super::surveyed_site::SurveyedSite;

/// Stands for what a site hides.
const NOT_SHOWN: &str = "(version not shown)";

/// The version of the plugin in words, as far as the site shows it in the plugin's own description, which most sites
/// serve as a file.
pub(super) fn plugin_version(place: &SurveyedSite<'_>) -> String {
    let home = home_path(&place.backend.origin.url);
    let readme = place.page(&format!(
        "{home}wp-content/plugins/the-events-calendar/readme.txt"
    ));
    let readme = readme.ok().filter(|answer| answer.status.is_success());
    let readme = readme.map(SiteResponse::text).unwrap_or_default();
    plugin(&readme).unwrap_or(NOT_SHOWN).to_owned()
}

/// The longest version that is shown.
const MOST_LETTERS: usize = 20;

/// The version of the plugin in its `readme.txt`: `6.17.2`.
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
    fn the_version_shows_in_a_readme() {
        assert_eq!(
            plugin("=== The Events Calendar ===\n\nStable tag: 6.17.2\n"),
            Some("6.17.2")
        );
        assert_eq!(plugin("Stable tag: trunk"), None);
        assert_eq!(plugin("<html>"), None);
    }
}
