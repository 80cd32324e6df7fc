//! Texts as WordPress prints them: quotes in titles, paragraphs, summaries for search engines, slugs, and JSON.

use std::fmt::Write as _;

use serde_json::Value;
use url::form_urlencoded;

/// A title: bare ampersands become entities, straight quotes become curly ones.
pub(crate) fn title(typed: &str) -> String {
    let mut printed = String::with_capacity(typed.len());
    let mut opens = true;
    for (at, character) in typed.char_indices() {
        match character {
            '&' if !is_entity(typed.get(at + 1..).unwrap_or_default()) => printed.push_str("&#038;"),
            '\'' => printed.push_str(if opens { "&#8216;" } else { "&#8217;" }),
            '"' => printed.push_str(if opens { "&#8220;" } else { "&#8221;" }),
            _ => printed.push(character),
        }
        opens = character.is_whitespace();
    }
    printed
}

fn is_entity(after: &str) -> bool {
    after.split_once(';').is_some_and(|(name, _)| {
        let name = name.strip_prefix('#').unwrap_or(name);
        (1..12).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// A description without tags: paragraphs at blank lines, breaks at single ones.
pub(crate) fn paragraphs(typed: &str) -> String {
    let text = title(typed).replace("\r\n", "\n");
    let blocks = text
        .split("\n\n")
        .map(str::trim)
        .filter(|block| !block.is_empty());
    let printed = blocks.map(|block| format!("<p>{}</p>", block.replace('\n', "<br />\n")));
    printed.collect::<Vec<_>>().join("\n")
}

/// A printed description as search engines get it: one escaped paragraph without tags, and a literal `\n`.
pub(crate) fn summary(printed: &str) -> String {
    let mut flat = String::new();
    let mut parts = printed.split('<');
    flat.push_str(parts.next().unwrap_or_default());
    for part in parts {
        flat.push_str(part.split_once('>').map_or("", |(_, text)| text));
    }
    let flat = flat
        .replace('\n', "")
        .replace("&#038;", "&amp;")
        .replace('"', "&quot;");
    if flat.is_empty() {
        return flat;
    }
    format!("&lt;p&gt;{flat}&lt;/p&gt;\\n")
}

/// JSON as PHP spells it: with escaped slashes, and in letters of ASCII.
pub(crate) fn php_json(document: &Value) -> String {
    let mut spelled = String::new();
    for letter in document.to_string().chars() {
        match letter {
            // A slash stands inside of texts only.
            '/' => spelled.push_str("\\/"),
            letter if letter.is_ascii() => spelled.push(letter),
            letter => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    let _ = write!(spelled, "\\u{unit:04x}");
                }
            }
        }
    }
    spelled
}

/// The slug of a title in letters of ASCII; none if it has others, for which WordPress has long tables.
pub(crate) fn slug(title: &str) -> Option<String> {
    let is_dropped = |letter: &char| !matches!(letter, 'a'..='z' | '0'..='9' | '_' | '-' | ' ' | '.' | '/');
    let title = title.to_ascii_lowercase().replace('/', "-");
    let kept: String = title.chars().filter(|letter| !is_dropped(letter)).collect();
    title.is_ascii().then(|| stored_slug(&kept))
}

/// The stored slug that a segment of a path asks for. WordPress decodes it as it decodes forms.
pub(crate) fn asked_slug(segment: &str) -> String {
    let form = format!("={}", segment.replace('&', "%26"));
    let decoded = form_urlencoded::parse(form.as_bytes()).next();
    decoded.map_or_else(String::new, |(_, text)| stored_slug(&text.to_lowercase()))
}

fn stored_slug(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.trim_matches('/').chars() {
        match letter {
            'a'..='z' | '0'..='9' | '_' => slug.push(letter),
            ' ' | '.' | '-' if slug.ends_with('-') => {}
            ' ' | '.' | '-' => slug.push('-'),
            _ => {
                let mut bytes = [0; 4];
                for byte in letter.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(slug, "%{byte:02x}");
                }
            }
        }
    }
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_wordpress_does() {
        assert_eq!(
            title("O'Brien \"The Host\" & &amp;"),
            "O&#8217;Brien &#8220;The Host&#8221; &#038; &amp;"
        );
        assert_eq!(
            paragraphs("one\ntwo\n\n\nthree"),
            "<p>one<br />\ntwo</p>\n<p>three</p>"
        );
        assert_eq!(paragraphs(""), "");
        assert_eq!(
            summary("<p>Kort &#038; \"godt\"</p>"),
            "&lt;p&gt;Kort &amp; &quot;godt&quot;&lt;/p&gt;\\n"
        );
        assert_eq!(summary("<p></p>"), "");
        assert_eq!(slug("A b/c - d!").as_deref(), Some("a-b-c-d"));
        assert_eq!(slug("東京"), None);
        for asked in [
            "New-York",
            "new york",
            "new+york",
            "new--york",
            "new.york/",
            "%6eew-york",
        ] {
            assert_eq!(asked_slug(asked), "new-york", "{asked}");
        }
        assert_eq!(php_json(&"a/é🧹".into()), r#""a\/\u00e9\ud83e\uddf9""#);
        assert_eq!(asked_slug("港"), "%e6%b8%af");
        assert_eq!(asked_slug("%E6%B8%AF"), "%e6%b8%af");
    }
}
