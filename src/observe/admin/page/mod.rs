//! The page for people: one document with its style and its script, which sends requests to the edge alone.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderMap, HeaderValue};
use ring::digest::{SHA256, digest};

/// The page that shows the state of the edge.
pub(super) static OPERATORS_PAGE: LazyLock<BrowserPage> = LazyLock::new(|| BrowserPage::new(OPERATORS));

/// Its files, joined at compile time; a subject has its section of the page in its own folder.
const OPERATORS: &str = concat!(
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>calendar-edge</title>\n",
    include_str!("head.html"),
    "<style>\n",
    include_str!("style.css"),
    include_str!("operators.css"),
    "</style>\n</head>\n<body>\n",
    include_str!("operators.html"),
    include_str!("token.html"),
    "<script type=\"module\">\n",
    include_str!("ask.js"),
    include_str!("readings.js"),
    include_str!("charts.js"),
    include_str!("tables.js"),
    include_str!("sections.js"),
    include_str!("../../../cache/section.js"),
    include_str!("../../../pages/section.js"),
    include_str!("../../../migration/section.js"),
    include_str!("refusals.js"),
    include_str!("runbook.js"),
    include_str!("operators.js"),
    "</script>\n</body>\n</html>\n"
);

/// A document with the headers that limit a browser's use of it.
#[derive(Debug, Clone)]
pub(super) struct BrowserPage {
    /// The document.
    pub(super) text: Bytes,
    policy: HeaderValue,
}

// === impl BrowserPage ===

impl BrowserPage {
    fn new(source: &str) -> Self {
        let text = shortened(source);
        Self {
            policy: policy(&text).parse().expect("hashes and words"),
            text: Bytes::from(text),
        }
    }

    /// Lets the page run its own script, send requests to its own edge, and nothing else.
    pub(super) fn protect(&self, headers: &mut HeaderMap) {
        headers.insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}

/// A document without indentation, blank lines, spaces that its style does not need, and the comments of its script,
/// which stand on lines of their own.
fn shortened(source: &str) -> String {
    let is_comment = |line: &str| line.starts_with("//") || line.starts_with("/**");
    let lines = source.lines().map(str::trim);
    let mut text = String::with_capacity(source.len());
    for line in lines.filter(|line| !line.is_empty() && !is_comment(line)) {
        text.push_str(line);
        text.push('\n');
    }
    let style = between(&text, "<style>", "</style>").to_owned();
    let spaced = [
        ("\n", ""),
        (": ", ":"),
        ("; ", ";"),
        (", ", ","),
        (" {", "{"),
        ("{ ", "{"),
        (" }", "}"),
        (";}", "}"),
    ];
    let dense = spaced
        .iter()
        .fold(style.clone(), |style, (from, to)| style.replace(from, to));
    text.replacen(&style, &dense, 1)
}

/// Allows the style and the script that the document holds by their hashes. Trusted types without a policy let no
/// script write markup from text.
fn policy(text: &str) -> String {
    let style = hash(between(text, "<style>", "</style>"));
    let script = hash(between(text, "<script type=\"module\">", "</script>"));
    format!(
        "default-src 'none'; style-src '{style}'; script-src '{script}'; connect-src 'self'; img-src data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types 'none'"
    )
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let rest = text.split_once(start).map_or("", |(_, rest)| rest);
    rest.split_once(end).map_or("", |(found, _)| found)
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(digest(&SHA256, text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_what_the_document_holds() {
        // The example of the CSP specification.
        assert_eq!(
            hash("alert('Hello, world.');"),
            "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
        );
        assert_eq!(OPERATORS.matches("<style").count(), 1);
        assert_eq!(OPERATORS.matches("<script").count(), 1);
        assert!(!between(OPERATORS, "<style>", "</style>").is_empty());
    }

    #[test]
    fn what_only_readers_of_the_source_need_is_left_out() {
        let source = "<p>\n  a\n</p>\n\n// A comment.\n/** Another one. */\nask(); // kept\n";
        assert_eq!(shortened(source), "<p>\na\n</p>\nask(); // kept\n");
        let style = "<style>\n  a b { color: red; margin: 0 1px }\n</style>\n<p>a: b</p>\n";
        let short = "<style>a b{color:red;margin:0 1px}</style>\n<p>a: b</p>\n";
        assert_eq!(shortened(style), short);
        // Every comment ends on its line, or what follows would be lost.
        let lines = OPERATORS.lines().map(str::trim);
        let open = lines.filter(|line| line.starts_with("/*"));
        assert!(open.clone().count() > 3);
        for line in open {
            assert!(line.ends_with("*/"), "{line}");
        }
    }
}
