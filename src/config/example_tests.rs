//! `deploy/edge.example.toml` restricts nothing, and its comments are true.

use super::load::parse;
use super::overrides::Overrides;
use calendar_edge_core::settings::Settings;

const EXAMPLE: &str = include_str!("../../deploy/edge.example.toml");

/// A setting that is commented out, below the last active table before it.
struct Shown<'a> {
    section: &'a str,
    line: &'a str,
}

// === impl Shown ===

impl Shown<'_> {
    /// A file with the address of a site and this line.
    fn file(&self) -> String {
        let url = "url = \"https://wp.example.org/wp-json\"";
        let Self { section, line } = self;
        match *section {
            "" => format!("{line}\n[origin]\n{url}\n"),
            "[origin]" => format!("[origin]\n{url}\n{line}\n"),
            _ => format!("[origin]\n{url}\n{section}\n{line}\n"),
        }
    }
}

/// The commented settings whose lines begin like this.
fn shown(beginning: &str) -> Vec<Shown<'static>> {
    let mut section = "";
    let mut found = Vec::new();
    for line in EXAMPLE.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let key = line
            .strip_prefix(beginning)
            .and_then(|line| Some((line, line.split_once(" = ")?.0)));
        if let Some((line, key)) = key
            && !key.contains(|letter: char| letter.is_whitespace() || letter == '`')
        {
            found.push(Shown { section, line });
        }
    }
    found
}

fn settings(text: &str) -> Settings {
    parse("edge.example.toml", text, &Overrides::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Settings with the address of a site alone.
fn plain() -> Settings {
    Settings::for_origin("https://wp.example.org/wp-json".parse().expect("a URL"))
}

#[test]
fn its_active_lines_are_the_defaults_and_addresses() {
    let example = settings(EXAMPLE);
    let mut expected = plain();
    expected.public_url = Some("https://events.example.org".parse().expect("a URL"));
    assert_eq!(format!("{example:#?}"), format!("{expected:#?}"));
    let active = EXAMPLE
        .lines()
        .filter(|line| line.contains(" = ") && !line.starts_with('#'));
    assert_eq!(
        active.collect::<Vec<_>>(),
        [
            "public_url = \"https://events.example.org\"",
            "url = \"https://wp.example.org/wp-json\""
        ]
    );
}

#[test]
fn a_commented_line_shows_the_default() {
    let lines = shown("# ");
    assert!(lines.len() > 20, "{} lines", lines.len());
    let expected = format!("{:#?}", plain());
    for line in lines {
        assert_eq!(
            format!("{:#?}", settings(&line.file())),
            expected,
            "{}",
            line.line
        );
    }
}

/// Each example line is a known key with a good value; some need others beside them, or a file that is not there.
#[test]
fn an_indented_comment_is_a_setting_that_can_be_used() {
    let text = EXAMPLE
        .lines()
        .map(|line| line.strip_prefix("#   ").unwrap_or(line));
    let is_usable = |line: &&str| {
        let names_a_file = ["secret_file", "ca_file", "basic_auth_file"];
        !names_a_file.iter().any(|key| line.starts_with(key))
    };
    let text: Vec<&str> = text.filter(is_usable).collect();
    // Certificates need a listener that uses them.
    let text = text.join("\n").replace("# listen = \"127", "listen = \"tls:127");
    let used = settings(&text);
    assert_eq!(used.roots.len(), 2);
    assert_eq!(used.writers, ["editor"]);
    assert!(used.tls.is_some() && used.admin.listen.is_some() && used.rate_limits.failed_logins.is_some());
}
