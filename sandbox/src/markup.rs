//! Text as WordPress prints it: typographic quotes in titles, paragraphs around descriptions.

use super::slug::strip_tags;

/// Elements that stand for themselves and get no paragraph around them.
const BLOCKS: [&str; 14] = [
    "<p",
    "<h1",
    "<h2",
    "<h3",
    "<h4",
    "<h5",
    "<h6",
    "<ul",
    "<ol",
    "<div",
    "<table",
    "<blockquote",
    "<pre",
    "<figure",
];

/// Elements that only editors may write.
const CODE: [&str; 5] = ["script", "style", "iframe", "object", "embed"];

/// A title: bare ampersands become entities, straight quotes become curly ones. Tags stay.
pub(super) fn title(raw: &str) -> String {
    let mut printed = String::with_capacity(raw.len());
    let mut tag = false;
    let mut previous = ' ';
    for (index, character) in raw.char_indices() {
        let rest = &raw[index..];
        match character {
            '<' => tag = rest.contains('>'),
            '>' => tag = false,
            _ => {}
        }
        match character {
            '&' if !is_entity(rest) => printed.push_str("&#038;"),
            '\'' if !tag => printed.push_str(if previous.is_whitespace() {
                "&#8216;"
            } else {
                "&#8217;"
            }),
            '"' if !tag => printed.push_str(if previous.is_whitespace() {
                "&#8220;"
            } else {
                "&#8221;"
            }),
            _ => printed.push(character),
        }
        previous = character;
    }
    printed
}

/// A description: paragraphs at blank lines, breaks at single ones, block elements as they are.
pub(super) fn paragraphs(raw: &str) -> String {
    let text = title(raw).replace("\r\n", "\n");
    let blocks = text
        .split("\n\n")
        .map(str::trim)
        .filter(|block| !block.is_empty());
    let printed = blocks.map(|block| {
        if BLOCKS.iter().any(|tag| block.starts_with(tag)) {
            return block.to_owned();
        }
        format!("<p>{}</p>", block.replace('\n', "<br />\n"))
    });
    printed.collect::<Vec<_>>().join("\n")
}

/// A name of a term, cleaned on its way in: no tags, one line, entities for ampersands.
pub(super) fn term_name(raw: &str) -> String {
    let flat = strip_tags(raw).replace('\0', "");
    let flat = flat.split_whitespace().collect::<Vec<_>>().join(" ");
    escape_ampersands(&flat, "&amp;")
}

/// A description of a term, cleaned on its way in: no tags, entities for ampersands.
pub(super) fn term_text(raw: &str) -> String {
    escape_ampersands(strip_tags(raw).trim(), "&amp;")
}

/// A description without elements that run code; their content stays as text.
pub(super) fn without_scripts(raw: &str) -> String {
    let mut text = raw.to_owned();
    loop {
        let less = without_code_once(&text);
        if less == text {
            return text;
        }
        // What is left may have closed around a removed tag.
        text = less;
    }
}

fn without_code_once(raw: &str) -> String {
    let mut kept = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('<') {
        kept.push_str(before);
        let name: String = after
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphabetic)
            .collect();
        if CODE.iter().any(|code| name.eq_ignore_ascii_case(code)) {
            rest = after.split_once('>').map_or("", |(_, tail)| tail);
        } else {
            kept.push('<');
            rest = after;
        }
    }
    kept.push_str(rest);
    kept
}

/// An address shown in an attribute: bare ampersands become entities.
pub(super) fn address(raw: &str) -> String {
    escape_ampersands(raw, "&amp;")
}

/// A description as schema.org members carry it: one escaped paragraph without tags, and a literal `\n`.
pub(super) fn summary(printed: &str) -> String {
    let flat = strip_tags(printed).replace('\n', "");
    if flat.is_empty() {
        return flat;
    }
    format!(
        "&lt;p&gt;{}&lt;/p&gt;\\n",
        flat.replace("&#038;", "&amp;").replace('"', "&quot;")
    )
}

/// An e-mail address hidden from harvesters. WordPress picks the letters at random; here every other one is
/// hidden, so that two reads are equal.
pub(super) fn obscured(address: &str) -> String {
    let letters = address.chars().enumerate().map(|(index, letter)| {
        if index % 2 == 0 || letter == '@' {
            format!("&#{};", u32::from(letter))
        } else {
            letter.to_string()
        }
    });
    letters.collect()
}

fn escape_ampersands(raw: &str, entity: &str) -> String {
    let mut printed = String::with_capacity(raw.len());
    for (index, character) in raw.char_indices() {
        if character == '&' && !is_entity(&raw[index..]) {
            printed.push_str(entity);
        } else {
            printed.push(character);
        }
    }
    printed
}

/// Whether a text that starts with `&` starts with an entity.
fn is_entity(text: &str) -> bool {
    let Some((name, _)) = text[1..].split_once(';') else {
        return false;
    };
    let name = name.strip_prefix('#').unwrap_or(name);
    !name.is_empty() && name.len() < 12 && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_titles_as_recorded() {
        let cases = [
            ("Müller & Søn", "Müller &#038; Søn"),
            ("&amp; &", "&amp; &#038;"),
            (
                "O'Brien \"The Host\" <Ltd>",
                "O&#8217;Brien &#8220;The Host&#8221; <Ltd>",
            ),
            ("<b class=\"x\">y</b>", "<b class=\"x\">y</b>"),
        ];
        for (raw, printed) in cases {
            assert_eq!(title(raw), printed);
        }
    }

    #[test]
    fn wraps_descriptions_in_paragraphs() {
        assert_eq!(paragraphs("A B/C?d=é&"), "<p>A B/C?d=é&#038;</p>");
        assert_eq!(paragraphs("<p>x</p>"), "<p>x</p>");
        assert_eq!(
            paragraphs("one\ntwo\n\n\nthree"),
            "<p>one<br />\ntwo</p>\n<p>three</p>"
        );
        assert_eq!(paragraphs(""), "");
    }

    #[test]
    fn cleans_names_of_terms() {
        assert_eq!(term_name("<b>x</b>\n & y\0"), "x &amp; y");
        assert_eq!(term_name(" "), "");
    }

    #[test]
    fn takes_scripts_out_and_leaves_their_text() {
        assert_eq!(
            without_scripts("<p>a<SCRIPT x>b</script>c < d</p>"),
            "<p>abc < d</p>"
        );
        assert_eq!(without_scripts("<script"), "");
    }

    #[test]
    fn summarises_for_schema_org() {
        assert_eq!(
            summary("<p>Kort &#038; godt</p>"),
            "&lt;p&gt;Kort &amp; godt&lt;/p&gt;\\n"
        );
        assert_eq!(summary(""), "");
    }
}
