//! The configuration as it is in effect: every key with its value, and where that comes from.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::excerpt::line_number;
use super::overrides::{OverrideSource, Overrides};
use calendar_edge_core::settings::{Occurs, SECTIONS, SettingKey};

/// The keys of a configuration with their values. It holds no content of other files, and no password of a URL.
#[derive(Debug, Clone, Default, Serialize)]
pub struct EffectiveConfig {
    file: Option<PathBuf>,
    keys: Vec<EffectiveKey>,
    /// Keys of the file whose values do not count, each with the stronger one.
    #[serde(skip)]
    hidden: Vec<(EffectiveKey, EffectiveKey)>,
}

/// One key.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct EffectiveKey {
    /// The full name, `origin.url` or `roots[0].path`.
    key: String,
    value: Value,
    /// `file`, `environment`, `flag` or `default`.
    source: &'static str,
    /// The line in the file, or the name of the variable or the flag.
    at: Option<String>,
}

// === impl EffectiveConfig ===

impl EffectiveConfig {
    /// A file's text and its overrides together. A text that is not TOML counts as empty.
    pub(super) fn of(file: Option<(&Path, &str)>, overrides: &Overrides) -> Self {
        let (mut typed, mut hidden) = (Vec::<EffectiveKey>::new(), Vec::new());
        for key in overrides.entries().map(overridden) {
            // The last one counts.
            typed.retain(|weaker| weaker.key != key.key);
            typed.push(key);
        }
        if let Some((_, text)) = file {
            let (table, _) = DeTable::parse_recoverable(text);
            let mut found = Vec::new();
            flatten("", table.get_ref(), text, &mut found);
            for key in found {
                match typed.iter().find(|stronger| stronger.key == key.key) {
                    None => typed.push(key),
                    Some(stronger) if stronger.value != key.value => hidden.push((key, stronger.clone())),
                    Some(_) => {}
                }
            }
        }
        Self {
            file: file.map(|(path, _)| path.to_owned()),
            keys: with_defaults(typed),
            hidden,
        }
    }

    /// Logs each key of the file whose value has no effect, because a flag or a variable has another.
    pub fn warn_of_hidden(&self) {
        for (key, stronger) in &self.hidden {
            tracing::warn!(
                key = key.key,
                file = %key.value,
                by = stronger.at,
                value = %stronger.value,
                "a key of the file has no effect: a flag or a variable is stronger"
            );
        }
    }

    /// The file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The same with the keys of an older configuration where a change needs a restart; `pinned` names keys or tables.
    #[must_use]
    pub fn keeping(mut self, older: &Self, pinned: &[&str]) -> Self {
        let is_pinned = |key: &EffectiveKey| {
            let below = |name: &&str| key.key.strip_prefix(*name);
            let rest = pinned.iter().find_map(below);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.keys.retain(|key| !is_pinned(key));
        let kept = older.keys.iter().filter(|key| is_pinned(key));
        self.keys.extend(kept.cloned());
        self
    }
}

/// The keys in the order of the reference, with the defaults of those that are not set; then the tables that may occur
/// several times.
fn with_defaults(mut typed: Vec<EffectiveKey>) -> Vec<EffectiveKey> {
    let mut all = Vec::new();
    for section in SECTIONS.iter().filter(|section| section.occurs == Occurs::Once) {
        for (key, value) in section.keys(|key| (section.key_name(key.name), default(key))) {
            match typed.iter().position(|typed| typed.key == key) {
                Some(position) => all.push(typed.remove(position)),
                None => all.push(EffectiveKey {
                    key,
                    value,
                    source: "default",
                    at: None,
                }),
            }
        }
    }
    all.extend(typed);
    all
}

/// A default as a value where it is one, or else in words.
fn default(key: &SettingKey<'_>) -> Value {
    let text = key.default.replace('`', "");
    serde_json::from_str(&text).unwrap_or_else(|_| text.into())
}

fn overridden((key, source, text): (&str, OverrideSource, &str)) -> EffectiveKey {
    let (source, at) = match source {
        OverrideSource::Flag(name) => ("flag", name),
        OverrideSource::Environment(name) => ("environment", name),
    };
    EffectiveKey {
        key: key.to_owned(),
        value: text.into(),
        source,
        at: Some(at.to_owned()),
    }
}

/// Adds the keys of a table under their full names.
fn flatten(prefix: &str, table: &DeTable<'_>, text: &str, found: &mut Vec<EffectiveKey>) {
    let mut names = HashSet::new();
    for (name, value) in table {
        let name = match prefix {
            "" => name.get_ref().to_string(),
            prefix => format!("{prefix}.{}", name.get_ref()),
        };
        if names.insert(name.clone()) {
            flatten_value(name, value, text, found);
        }
    }
}

fn flatten_value(name: String, value: &Spanned<DeValue<'_>>, text: &str, found: &mut Vec<EffectiveKey>) {
    match value.get_ref() {
        DeValue::Table(table) => flatten(&name, table, text, found),
        DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()) => {
            for (position, item) in items.iter().enumerate() {
                flatten_value(format!("{name}[{position}]"), item, text, found);
            }
        }
        other => found.push(EffectiveKey {
            key: name,
            value: shown(other),
            source: "file",
            at: Some(format!("line {}", line_number(text, value.span().start))),
        }),
    }
}

fn shown(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(on) => (*on).into(),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            parsed.map_or_else(|_| number.as_str().into(), Value::from)
        }
        DeValue::Float(number) => number.as_str().into(),
        DeValue::Datetime(moment) => moment.to_string().into(),
        DeValue::Array(items) => items.iter().map(|item| shown(item.get_ref())).collect(),
        DeValue::Table(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "mode = \"report\"\nhosts = [\"a.example\"]\n\n[origin]\n\
                        url = \"http://wp.example/wp-json\"\nmax_in_flight = 0x10\n\n\
                        [[roots]]\npath = \"/wp-json\"\n[[roots]]\npath = \"/de/wp-json\"\n\
                        [operations.\"events.update\"]\nmode = \"off\"\n";

    fn effective() -> EffectiveConfig {
        let overrides = Overrides::default().with("mode", OverrideSource::Flag("--mode"), "off");
        EffectiveConfig::of(Some((Path::new("edge.toml"), TEXT)), &overrides)
    }

    fn found(config: &EffectiveConfig, key: &str) -> (String, &'static str, Option<String>) {
        let found = config.keys.iter().find(|found| found.key == key);
        let found = found.unwrap_or_else(|| panic!("{key} is not in {config:?}"));
        (found.value.to_string(), found.source, found.at.clone())
    }

    #[test]
    fn each_key_says_where_its_value_comes_from() {
        let config = effective();
        for (key, value, source, at) in [
            ("mode", "\"off\"", "flag", Some("--mode")),
            ("hosts", "[\"a.example\"]", "file", Some("line 2")),
            (
                "origin.url",
                "\"http://wp.example/wp-json\"",
                "file",
                Some("line 5"),
            ),
            ("origin.max_in_flight", "16", "file", Some("line 6")),
            ("roots[1].path", "\"/de/wp-json\"", "file", Some("line 11")),
            (
                "operations.events.update.mode",
                "\"off\"",
                "file",
                Some("line 13"),
            ),
            ("read_only", "false", "default", None),
        ] {
            assert_eq!(
                found(&config, key),
                (value.to_owned(), source, at.map(str::to_owned)),
                "{key}"
            );
        }
    }

    #[test]
    fn a_key_of_the_file_is_hidden_by_a_flag_with_another_value_alone() {
        let overrides = Overrides::default()
            .with("mode", OverrideSource::Flag("--mode"), "off")
            .with(
                "origin.url",
                OverrideSource::Environment("CALENDAR_EDGE_ORIGIN"),
                "http://wp.example/wp-json",
            )
            .with(
                "listen",
                OverrideSource::Environment("CALENDAR_EDGE_LISTEN"),
                "0.0.0.0:8787",
            );
        let hidden = EffectiveConfig::of(Some((Path::new("edge.toml"), TEXT)), &overrides).hidden;
        let names: Vec<_> = hidden
            .iter()
            .map(|(key, by)| (key.key.as_str(), by.at.as_deref()))
            .collect();
        // The site is the same, and the file has no `listen`.
        assert_eq!(names, [("mode", Some("--mode"))]);
    }

    #[test]
    fn keys_that_need_a_restart_keep_their_values() {
        let next = EffectiveConfig::of(None, &Overrides::default());
        let kept = next.keeping(&effective(), &["hosts", "origin"]);
        assert_eq!(found(&kept, "hosts").0, "[\"a.example\"]");
        assert_eq!(found(&kept, "origin.max_in_flight").0, "16");
        assert_eq!(found(&kept, "mode").1, "default");
    }
}
