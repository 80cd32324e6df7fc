//! The reference of all settings, as Markdown, written from the table of keys.

use std::fmt::Write as _;

use url::Url;

use super::key::{Key, Shown};
use super::keys::{Keys, SECTIONS, Section};
use super::settings::Settings;

const HEAD: &str = "\
# Configuration

This file is written from the table of keys in `src/config/keys.rs`; a test compares the two.

`calendar-edge serve --config FILE` reads a TOML file. A flag is stronger than its environment variable, that is \
stronger than the file, and the file is stronger than the default. An empty environment variable counts as not set. \
`calendar-edge check --config FILE` prints everything that is wrong, with line and column.

`serve` looks at its file every second and reads it again when it has changed, and on SIGHUP. New settings replace \
the old ones whole, between two requests; what a running request or an open connection began with holds to its end. \
A file that is wrong is refused whole, and the log says why. `listen`, `admin.listen` and `log.format` need a restart.

| Flag of `serve` | Variable | Key |
|---|---|---|
| `--config FILE` | `CALENDAR_EDGE_CONFIG` | |
| `--origin URL` | `CALENDAR_EDGE_ORIGIN` | `origin.url` |
| `--origin-namespace NS` | `CALENDAR_EDGE_ORIGIN_NAMESPACE` | `origin.namespace` |
| `--listen ADDR` | `CALENDAR_EDGE_LISTEN` | `listen` |
| `--admin-listen ADDR` | `CALENDAR_EDGE_ADMIN_LISTEN` | `admin.listen` |
| `--mode MODE` | `CALENDAR_EDGE_MODE` | `mode` |

Durations are written with their unit, `\"500ms\"`, `\"30s\"`, `\"2m\"`, `\"1h\"`; sizes as `\"8 KiB\"`, `\"2 MiB\"`, \
`\"1 GiB\"` or as a number of bytes.
";

/// The Markdown text of `docs/configuration.md`.
///
/// # Panics
/// Never: the one address in it is a constant.
pub fn reference() -> String {
    let example = Url::parse("https://wp.example.org/wp-json").expect("this constant is a URL");
    let defaults = Settings::for_origin(example);
    let mut text = HEAD.to_owned();
    for section in &SECTIONS {
        section_text(section, &defaults, &mut text);
    }
    text
}

fn section_text(section: &Section, defaults: &Settings, text: &mut String) {
    let title = match section.header {
        "" => "The top of the file".to_owned(),
        header => format!("`{header}`"),
    };
    let head = format!(
        "\n## {title}\n\n{}\n\n| Key | Type | Default | Meaning |\n|---|---|---|---|\n",
        section.meaning
    );
    text.push_str(&head);
    match &section.keys {
        Keys::Once(keys) => rows(keys, defaults, text),
        Keys::Root(keys) => rows(keys, defaults, text),
        Keys::Operation(keys) => rows(keys, defaults, text),
    }
}

fn rows<T>(keys: &[Key<T>], defaults: &Settings, text: &mut String) {
    for key in keys {
        let (kind, default) = (key.store.type_name(), shown(&key.default, defaults));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| `{}` | {kind} | {default} | {} |", key.name, key.meaning);
    }
}

fn shown(default: &Shown, defaults: &Settings) -> String {
    default.text(defaults)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE_FIXTURES=1` writes the document instead of comparing it.
    #[test]
    fn the_committed_reference_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(path, reference()).expect("a writable file");
        }
        let committed = std::fs::read_to_string(path).expect("the committed reference");
        assert!(
            committed == reference(),
            "docs/configuration.md is stale: run UPDATE_FIXTURES=1 cargo test reference"
        );
    }
}
