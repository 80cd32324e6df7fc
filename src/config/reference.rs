//! The reference of all settings, as Markdown, written from the table of keys.

use std::fmt::Write as _;

use calendar_edge_core::settings::{SECTIONS, SettingKey};

const HEAD: &str = "\
# Configuration

For operators: every key. This file is generated from `crates/core/src/settings`; a test compares the two.

`calendar-edge serve --config FILE` reads a TOML file; without a file or `--origin` it reads `edge.toml` in the working \
directory, or else `/etc/calendar-edge/edge.toml`, and the log names it. A flag overrides its environment variable, the \
variable the file, and the file the default. An empty variable counts as not set. `calendar-edge check --config FILE` prints \
every problem of the file, with line and column.

`serve` reloads the file, and all files that it names, on SIGHUP and within a second of a change, and replaces all settings \
at once; running requests and open connections keep those that they began with. If there is a problem, the old settings stay \
and the log names it. Changes of `listen`, `admin.listen` and `log.format` need a restart.

`serve` takes `--config FILE`, `--origin URL` (`origin.url`), `--origin-namespace NS` (`origin.namespace`), `--public-url URL`, \
`--namespace NS` (`namespaces`), `--listen ADDR`, `--admin-listen ADDR` (`admin.listen`) and `--mode MODE`. Each has a \
variable: that of `--admin-listen` is `CALENDAR_EDGE_ADMIN_LISTEN`.

In a text of the file `${NAME}` stands for an environment variable: `url = \"https://${SITE}/wp-json\"`; `$${` stands for \
`${`. A variable that is not set is a problem. Secrets belong in the files that keys such as `origin.secret_file` name: \
values of keys may be shown and logged.

Each key stands here with its type and its default. A duration is a number with a unit: `\"500ms\"`, `\"30s\"`, `\"2m\"`, `\"1h\"`. A size is a number of bytes, or a number with a \
unit: `\"8 KiB\"`, `\"2 MiB\"`, `\"1 GiB\"`. A rate is a number of requests per period: `\"60/1m\"`. \
A share is a percentage with up to four decimals: `\"5%\"`.
";

/// The Markdown text of `docs/reference/configuration.md`.
fn reference() -> String {
    let mut text = HEAD.to_owned();
    for section in &SECTIONS {
        let title = match section.header() {
            header if header.is_empty() => "The top of the file".to_owned(),
            header => format!("`{header}`"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n## {title}\n\n{}", section.meaning);
        let rows = section.keys(row);
        if !rows.is_empty() {
            text.push('\n');
        }
        text.extend(rows);
    }
    text
}

fn row(key: &SettingKey<'_>) -> String {
    let SettingKey {
        name,
        meaning,
        default,
        field,
    } = key;
    let kind = field.type_name();
    if default.starts_with("required") {
        return format!("- `{name}` ({kind}, {default}): {meaning}\n");
    }
    format!("- `{name}` ({kind}, default: {default}): {meaning}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE_FIXTURES=1` writes the document instead of comparing it.
    #[test]
    fn the_committed_reference_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/configuration.md");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(path, reference()).expect("a writable file");
        }
        let committed = std::fs::read_to_string(path).expect("the committed reference");
        assert!(
            committed == reference(),
            "docs/reference/configuration.md is stale: run UPDATE_FIXTURES=1 cargo test reference"
        );
    }
}
