//! Texts of posts as HTML: in paragraphs, and for accounts that may not write everything without markup that could run
//! scripts.

use std::fmt::Write as _;

/// The elements that everybody may write, without attributes but the address of a link.
const PERMITTED: &str =
    "a b blockquote br cite code del em h1 h2 h3 h4 h5 h6 hr i ins li ol p pre q s strong u ul";

/// The elements that stand in no paragraph.
const BLOCKS: &str =
    "address blockquote div dl figure h1 h2 h3 h4 h5 h6 hr ol p pre section table ul li dt dd tr";

/// A text in paragraphs, as WordPress prints it; one that has elements of its own stays.
pub(crate) fn paragraphs(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut tags = text
        .match_indices('<')
        .filter_map(|(at, _)| name_of(text.get(at..)?));
    if tags.any(|name| is_one_of(BLOCKS, &name)) {
        return text;
    }
    let paragraphs = text.split("\n\n").map(str::trim);
    let paragraphs = paragraphs.filter(|paragraph| !paragraph.is_empty());
    let paragraphs: Vec<String> = paragraphs
        .map(|paragraph| format!("<p>{}</p>", paragraph.replace('\n', "<br />\n")))
        .collect();
    paragraphs.join("\n")
}

fn is_one_of(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

/// The name of the element whose tag a text begins with.
fn name_of(text: &str) -> Option<String> {
    let rest = text.strip_prefix('<')?;
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let name = rest
        .split(|character: char| !character.is_ascii_alphanumeric())
        .next()?;
    (!name.is_empty()).then(|| name.to_ascii_lowercase())
}

/// A text with the permitted elements only; what stands in others stays as text.
pub(crate) fn permitted(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        kept.push_str(before);
        let Some((inside, after)) = tag.split_once('>') else {
            kept.push_str("&lt;");
            rest = tag;
            continue;
        };
        rest = after;
        let name = name_of(&format!("<{inside}")).filter(|name| is_one_of(PERMITTED, name));
        let Some(name) = name else { continue };
        // Writing to a String cannot fail.
        let _ = match (inside.starts_with('/'), name.as_str()) {
            (true, _) => write!(kept, "</{name}>"),
            (false, "br" | "hr") => write!(kept, "<{name} />"),
            (false, "a") => write!(kept, "<a{}>", address(inside).unwrap_or_default()),
            (false, _) => write!(kept, "<{name}>"),
        };
    }
    kept + rest
}

/// The address of a link, if it leads to a page or a mailbox.
fn address(tag: &str) -> Option<String> {
    let (_, value) = tag.split_once("href=")?;
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let address = value.split(quote).nth(1)?.trim();
    let is_safe = ["https://", "http://", "mailto:"]
        .iter()
        .any(|start| address.starts_with(start));
    (is_safe && !address.contains(['"', '<'])).then(|| format!(" href=\"{address}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_gets_paragraphs_once() {
        for (text, html) in [
            ("", ""),
            ("One\ntwo\n\nThree", "<p>One<br />\ntwo</p>\n<p>Three</p>"),
            ("<p>One</p>", "<p>One</p>"),
            ("<ul>\n<li>One</li>\n</ul>", "<ul>\n<li>One</li>\n</ul>"),
            ("<p>Two<br />\nlines</p>", "<p>Two<br />\nlines</p>"),
        ] {
            assert_eq!(paragraphs(text), html);
            assert_eq!(paragraphs(html), html, "twice");
        }
    }

    #[test]
    fn nothing_runs_scripts() {
        for (text, html) in [
            ("Hello <script>alert(1)</script>", "Hello alert(1)"),
            ("<p onclick=\"x()\">Click</p>", "<p>Click</p>"),
            (
                "<a href=\"https://a.example/\" onclick=x>a</a>",
                "<a href=\"https://a.example/\">a</a>",
            ),
            ("<a href=\"javascript:x()\">a</a>", "<a>a</a>"),
            ("<a href='https://a.example/\"onclick=x'>a</a>", "<a>a</a>"),
            ("<img src=x onerror=y><IMG SRC=x>", ""),
            ("<scr<script>ipt>", "ipt>"),
            ("5 < 6", "5 &lt; 6"),
            ("<<p>b", "b"),
            ("<!-- x --><B>b</B><br>", "<b>b</b><br />"),
        ] {
            assert_eq!(permitted(text), html, "{text}");
        }
    }
}
