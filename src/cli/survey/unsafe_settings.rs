//! Unsafe settings, as they show by themselves, logged when the edge starts; and the modes of the files that they name.

use std::path::Path;

use calendar_edge_core::settings::Settings;
use calendar_edge_core::survey::{
    OpenSetting, circumvented, forwards_unjudged, open_settings, unguarded, unreachable_names,
};

/// Logs each of them once.
pub(crate) fn warn(settings: &Settings) {
    if forwards_unjudged(settings) && settings.origin.mark_key.is_none() {
        let circumvented = circumvented(settings).join(", ");
        let circumvented = (!circumvented.is_empty()).then_some(circumvented);
        tracing::warn!(circumvented, "{}", unguarded(settings));
    }
    if let Some(reason) = unreachable_names(settings) {
        tracing::warn!("{reason}");
    }
    for OpenSetting { key, cause, remedy } in open_settings(settings, others_may_read) {
        tracing::warn!(key, remedy, "{cause}");
    }
}

/// True if the mode of a file lets every account read. Files that are not there are reported elsewhere.
#[cfg(unix)]
pub(super) fn others_may_read(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.mode() & 0o004 != 0)
}

/// Rights have other forms there.
#[cfg(not(unix))]
pub(super) fn others_may_read(_file: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use calendar_edge::config::{Overrides, parse};

    use super::*;

    const RULE: &str = "[backends.next]\nurl = \"http://next.example/wp-json\"\n[[cutover]]\nname = \"venues\"\nbackend = \"next\"\n\
                        operations = [\"venues.*\"]\nmethods = \"reads\"";

    fn keys(before: &str, after: &str) -> Vec<&'static str> {
        let text = format!("{before}\n[origin]\nurl = \"http://wp.example/wp-json\"\n{after}");
        let settings = parse("edge.toml", &text, &Overrides::default()).expect("settings");
        open_settings(&settings, others_may_read)
            .into_iter()
            .map(|setting| setting.key)
            .collect()
    }

    #[test]
    fn what_is_open_is_said_and_nothing_else() {
        let admin = |listen: &str| format!("[admin]\nlisten = \"{listen}\"");
        for (before, after, expected) in [
            ("", String::new(), &[][..]),
            ("", admin("0.0.0.0:9787"), &["admin.listen"]),
            ("", admin("[::]:9787"), &["admin.listen"]),
            ("", admin("10.0.0.5:9787"), &["admin.listen"]),
            ("", admin("127.0.0.1:9787"), &[]),
            ("", admin("unix:/run/admin.sock"), &[]),
            ("trusted_proxies = [\"10.0.0.0/8\"]", String::new(), &[]),
            (
                "trusted_proxies = [\"0.0.0.0/0\"]",
                String::new(),
                &["trusted_proxies"],
            ),
            (
                "trusted_proxies = [\"::/0\"]",
                String::new(),
                &["trusted_proxies"],
            ),
            (
                "trusted_proxies = [\"0.0.0.0/1\", \"128.0.0.0/1\"]",
                String::new(),
                &["trusted_proxies"],
            ),
            ("write_addresses = [\"127.0.0.1\"]", String::new(), &[]),
            (
                "listen = \"127.0.0.1:8787\"",
                RULE.to_owned(),
                &["trusted_proxies"],
            ),
            ("listen = \"0.0.0.0:8787\"", RULE.to_owned(), &[]),
            ("trusted_proxies = [\"127.0.0.1\"]", RULE.to_owned(), &[]),
            (
                "write_addresses = [\"10.0.0.0/8\", \"::1\"]\nlisten = \"0.0.0.0:8787\"",
                String::new(),
                &["write_addresses"],
            ),
            (
                "write_addresses = [\"127.0.0.0/8\"]\ntrusted_proxies = [\"127.0.0.1\"]",
                String::new(),
                &["write_addresses"],
            ),
        ] {
            assert_eq!(keys(before, &after), expected, "{before} {after}");
        }
    }
}
