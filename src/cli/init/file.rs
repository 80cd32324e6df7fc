//! The configuration that is written for a site: few lines, each with its reason; the rest are comments.

use std::fmt::Write as _;

use calendar_edge::telemetry::is_hidden;
use calendar_edge_core::survey::FoundSite;
use url::Host;

/// Maximum number of letters of a name of the site in a comment.
const MOST_LETTERS: usize = 100;

/// The text of the file, with the lines that name the files by which the site lets the edge in.
pub(super) fn text(found: &FoundSite, access_lines: &str) -> String {
    let name = comment(found.name.as_deref().unwrap_or("a site without a name"));
    let mut file = format!("# calendar-edge in front of {name}.\n");
    if let Some(zone) = &found.zone {
        let _ = writeln!(file, "# The site's time zone is {}.", comment(zone));
    }
    file += LISTEN;
    let public = found.public.as_str().trim_end_matches('/');
    file += &setting(PUBLIC_URL, "public_url", public);
    file += MODE;
    let names: Vec<String> = found.parameters.iter().map(|name| quoted(name)).collect();
    if !names.is_empty() {
        let _ = writeln!(file, "{PARAMETERS}extra_parameters = [{}]", names.join(", "));
    }
    file += &setting(ORIGIN, "url", found.root.as_str());
    file += &setting("", "namespace", &found.namespace);
    if let Some(host) = &found.host {
        file += &setting(HOST, "host", &host.to_string());
    }
    file += access_lines;
    let is_named = matches!(found.root.host(), Some(Host::Domain(_)));
    if let Some(remote) = found.remote.filter(|_| is_named) {
        file += &setting(CONNECT, "# connect", &remote.to_string());
    }
    file += MAX_IN_FLIGHT;
    file += &roots(found);
    file += ADMIN;
    file += FORMS;
    let name = found.name.as_deref().map(comment);
    if let Some(name) = name.filter(|name| !name.trim().is_empty()) {
        file += &setting("", "# calendar_name", &name);
    }
    file
}

/// A setting with its value, below its comment.
fn setting(comment: &str, key: &str, value: &str) -> String {
    format!("{comment}{key} = {}\n", quoted(value))
}

/// The root; at the default path it needs no table.
fn roots(found: &FoundSite) -> String {
    let path = found.root.path();
    if path == "/wp-json" || path.is_empty() {
        return String::new();
    }
    setting(ROOTS, "path", path) + &setting("", "origin_url", found.root.as_str())
}

/// Text of the site as a value. It names no variables of this machine.
fn quoted(value: &str) -> String {
    toml::Value::String(value.replace("${", "$${")).to_string()
}

/// Text of the site on one line of a comment, without characters that turn a line around in an editor (T-89).
fn comment(value: &str) -> String {
    let shown = value.chars().filter(|letter| !is_hidden(*letter));
    shown.take(MOST_LETTERS).collect()
}

const LISTEN: &str = "\
# A line that is commented out shows the default, unless its comment states another. docs/reference/configuration.md lists all
# settings. Compare this file with the site at any time: calendar-edge check --config FILE

# Address that clients or the proxy in front connect to.
# listen = \"127.0.0.1:8787\"

# The proxy in front, which names each client in X-Forwarded-For: else all its clients share one limit.
# trusted_proxies = [\"127.0.0.1\"]
";

const PARAMETERS: &str = "
# Parameters that plugins of this site add. They are forwarded without being judged.
";

const ORIGIN: &str = "
[origin]
# The REST root of the site, and the namespace that the plugin has there.
";

const ROOTS: &str = "
# One table per REST root, at the path that it has at the site.
[[roots]]
";

const PUBLIC_URL: &str = "
# Scheme and host that clients use; URLs in responses begin with it. It is the site's own, for an edge that takes the
# site's place. Set it to the edge's if the edge has a name of its own.
";

const MODE: &str = "
# \"report\" logs and counts what \"enforce\" would refuse, and forwards it. Then: docs/guides/roll-out.md
mode = \"report\"

# \"forward\" if the edge stands in front of the whole site and not only of the calendar.
# other = \"refuse\"
";

const HOST: &str = "\
# The server at this address has the site under its public name.
";

const CONNECT: &str = "\
# The address that responded, not the default: it is needed once the name in `url` leads to the edge.
";

const MAX_IN_FLIGHT: &str = "\
# Concurrent calls to the site: at most the number of its PHP workers, which it does not publish.
# max_in_flight = 8
";

const ADMIN: &str = "
# For operators on this machine: a page at /, metrics, refusals and their explanations.
[admin]
listen = \"127.0.0.1:9787\"
";

const FORMS: &str = "
# Not the default: events as a calendar that programs subscribe to, docs/guides/subscribe.md.
# [forms]
# calendar = true
";

#[cfg(test)]
mod tests {
    use calendar_edge::config::{Overrides, parse};
    use calendar_edge_core::settings::{Mode, Settings};
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn found(root: &str) -> FoundSite {
        FoundSite {
            root: url(root),
            host: None,
            namespace: "tribe/events/v1".to_owned(),
            public: url("https://wp.example.org"),
            name: None,
            zone: None,
            remote: None,
            parameters: Vec::new(),
        }
    }

    fn settings(found: &FoundSite) -> Settings {
        let text = text(found, "");
        parse("edge.toml", &text, &Overrides::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn a_plain_site_needs_three_lines_and_a_listener() {
        let found = found("https://wp.example.org/wp-json");
        let settings = settings(&found);
        let mut expected = Settings::for_origin(found.root.clone());
        expected.public_url = Some(url("https://wp.example.org"));
        expected.origin.namespace = calendar_edge_core::settings::OriginNamespace::set("tribe/events/v1");
        expected.admin.clone_from(&settings.admin);
        expected.mode = Mode::Report;
        assert_eq!(format!("{settings:?}"), format!("{expected:?}"));
        assert!(settings.admin.listen.is_some());
    }

    #[test]
    fn a_root_keeps_its_path() {
        let site = found("https://wp.example.org/blog/wp-json");
        assert_eq!(settings(&site).roots[0].path, "/blog/wp-json");
    }

    /// Each commented setting is one.
    #[test]
    fn comments_hold_settings_that_can_be_used() {
        let mut site = found("https://wp.example.org/wp-json");
        site.name = Some("Kultur & \"Caf\u{e9}\"".to_owned());
        site.remote = Some("203.0.113.5:443".parse().unwrap());
        let text = text(&site, "");
        let keys = [
            "listen = \"1",
            "trusted_proxies",
            "other",
            "connect",
            "max_in_flight",
            "[forms]",
            "calendar = true",
            "calendar_name",
        ];
        let mut shown = text.clone();
        for key in keys {
            assert_eq!(text.matches(&format!("\n# {key}")).count(), 1, "{key}\n{text}");
            shown = shown.replace(&format!("\n# {key}"), &format!("\n{key}"));
        }
        let settings = parse("edge.toml", &shown, &Overrides::default()).expect("good settings");
        assert!(settings.forms.calendar);
        assert_eq!(settings.forms.calendar_name, site.name);
    }

    #[test]
    fn a_site_names_no_variables_of_this_machine() {
        assert_eq!(quoted("a ${PATH} \"b\""), r#"'a $${PATH} "b"'"#);
    }

    proptest! {
        #[test]
        fn no_text_of_a_site_writes_a_setting(
            name in "(?s)([\u{200b}-\u{206f}\n]|.){0,60}",
            zone in "[a-z\"'\n\r\\\\=\\[\\]#\u{85}\u{2028}]{0,40}",
        ) {
            let mut site = found("https://wp.example.org/wp-json");
            let plain = format!("{:?}", settings(&site));
            (site.name, site.zone) = (Some(name), Some(zone));
            let written = text(&site, "");
            prop_assert!(!written.chars().any(|letter| letter != '\n' && is_hidden(letter)), "{}", written);
            prop_assert_eq!(plain, format!("{:?}", settings(&site)));
        }
    }
}
