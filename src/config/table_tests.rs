//! Tests the declared keys against the reader: each takes its values and sets its field, and no other does.

use std::fmt::Write as _;

use toml::de::DeTable;

use super::read::FileReader;
use calendar_edge_core::settings::{
    ConfigProblems, Draft, KeyField, Occurs, SECTIONS, Section, SettingKey, Settings, show_duration,
    show_size,
};

/// A key and values for it, as a file writes them.
struct Sample {
    section: &'static Section,
    name: &'static str,
    values: Vec<String>,
}

fn samples() -> Vec<Sample> {
    let of = |section: &'static Section| {
        section.keys(|key| Sample {
            section,
            name: key.name,
            values: values(key),
        })
    };
    SECTIONS.iter().flat_map(of).collect()
}

fn values(key: &SettingKey<'_>) -> Vec<String> {
    let list = |texts: &[&str]| texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>();
    match &key.field {
        KeyField::Flag(_) => vec!["true".to_owned(), "false".to_owned()],
        KeyField::Count(range, _) => vec![range.end().to_string(), range.start().to_string()],
        KeyField::Size(range, _) => [range.end(), range.start()]
            .map(|size| format!("\"{}\"", show_size(*size)))
            .to_vec(),
        KeyField::Time(range, _) => [range.end(), range.start()]
            .map(|time| format!("\"{}\"", show_duration(*time)))
            .to_vec(),
        KeyField::Rate(_) => vec!["\"60/1m\"".to_owned()],
        KeyField::Choice(words, _) => list(words),
        KeyField::Text(form, _) => list(form.examples),
        KeyField::List { form, .. } => vec![format!("[{}]", list(form.examples).join(", "))],
    }
}

/// A file with one table, in the tables that it stands in, and perhaps one key.
fn file(section: &Section, key: &str) -> String {
    let mut text = String::new();
    let outer = section.name.split('.').next().unwrap_or_default();
    if section.occurs == Occurs::Within {
        writeln!(text, "[[{outer}]]").expect("a String takes everything");
    }
    writeln!(text, "{}\n{key}", section.header()).expect("a String takes everything");
    text
}

/// The settings that a file describes, before their check.
fn read(file: &str) -> Settings {
    let mut draft = Draft::default();
    let mut problems = ConfigProblems::default();
    let table = DeTable::parse(file).expect("a TOML file");
    FileReader::new(&mut draft, &mut problems).document(table.get_ref());
    assert!(
        problems.is_empty(),
        "{file}\n{}",
        super::problem::ConfigError::of(problems, None)
    );
    draft.settings
}

/// True if the settings differ from those of the same file without the key.
fn changes(sample: &Sample, value: &str) -> bool {
    let with = read(&file(sample.section, &format!("{} = {value}", sample.name)));
    format!("{with:?}") != format!("{:?}", read(&file(sample.section, "")))
}

#[test]
fn every_key_takes_its_values_and_one_of_them_changes_the_settings() {
    let samples = samples();
    assert!(samples.len() > 100, "{}", samples.len());
    for sample in samples {
        let is_changed = sample.values.iter().any(|value| changes(&sample, value));
        assert!(
            is_changed,
            "`{}` of `{}` changes nothing",
            sample.name, sample.section.name
        );
    }
}

#[test]
fn the_default_that_is_shown_is_the_one_that_holds() {
    for section in &SECTIONS {
        for (name, shown) in section.keys(|key| (key.name, key.default.clone())) {
            let Some(value) = shown.strip_prefix('`').and_then(|text| text.strip_suffix('`')) else {
                continue;
            };
            // Durations and sizes are shown without quotation marks, messages are.
            let is_value = toml::from_str::<toml::Table>(&format!("x = {value}")).is_ok();
            let value = if is_value {
                value.to_owned()
            } else {
                format!("'{value}'")
            };
            if value.contains('`') {
                continue;
            }
            let with = read(&file(section, &format!("{name} = {value}")));
            let plain = read(&file(section, ""));
            assert_eq!(
                format!("{with:#?}"),
                format!("{plain:#?}"),
                "{name} of {}",
                section.name
            );
        }
    }
}
