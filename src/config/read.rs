//! Reads a parsed file, or one flag, into the draft; a problem is recorded and reading continues.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::check;
use super::overrides::OverrideSource;
use super::reading::{ValueReader, described};
use super::removed::replacement;
use calendar_edge_core::settings::{
    CandidateSettings, ConfigFinding, ConfigPlace, ConfigProblems, Draft, EMPTY_LIST, Occurs, SECTIONS,
    Section, nearest,
};
use calendar_edge_judge::contract::table as api_table;

/// Reads tables into the draft.
pub(super) struct FileReader<'a> {
    draft: &'a mut Draft,
    problems: &'a mut ConfigProblems,
}

/// A table that is open: its section, its own name where it has one, and its position among those of its section.
#[derive(Clone, Copy)]
struct OpenTable<'a> {
    section: &'static Section,
    name: &'a str,
    index: usize,
}

type TableEntry<'a, 'i> = (&'a Spanned<Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

// === impl FileReader ===

impl<'a> FileReader<'a> {
    pub(super) const fn new(draft: &'a mut Draft, problems: &'a mut ConfigProblems) -> Self {
        Self { draft, problems }
    }

    /// Reads a whole file.
    pub(super) fn document(&mut self, file: &DeTable<'_>) {
        for (key, value) in file {
            match top_level().find(|section| section.name == *key.get_ref()) {
                Some(section) => self.section(section, value, 0),
                None => self.entry(OpenTable::once(&SECTIONS[0]), (key, value)),
            }
        }
    }

    /// Reads one flag or variable: the text of the key `origin.url`, `listen`, ….
    pub(super) fn argument(&mut self, full_name: &str, source: OverrideSource, text: &str) {
        let (section, name) = full_name.rsplit_once('.').unwrap_or(("", full_name));
        if let Some(section) = SECTIONS.iter().find(|known| known.name == section) {
            let (OverrideSource::Flag(argument) | OverrideSource::Environment(argument)) = source;
            let place = ConfigPlace::Argument {
                name: argument.to_owned(),
                text: text.to_owned(),
            };
            self.value(
                OpenTable::once(section),
                name,
                &DeValue::String(text.into()),
                &place,
            );
        }
    }

    /// Reads the tables of a section; `index` is the position of the table that this one stands in.
    fn section(&mut self, section: &'static Section, value: &Spanned<DeValue<'_>>, index: usize) {
        if section.occurs == Occurs::Within {
            section.open(&mut self.draft.settings, "");
        }
        match (section.occurs, value.get_ref()) {
            (Occurs::Once | Occurs::Within, DeValue::Table(entries)) => {
                let name = "";
                self.entries(OpenTable { section, name, index }, entries);
            }
            (Occurs::List, DeValue::Array(tables)) => {
                if tables.is_empty() && section.name == "roots" {
                    let finding = ConfigFinding::impossible(section.name, EMPTY_LIST);
                    self.problems.add(&ConfigPlace::Span(value.span()), finding);
                }
                for table in tables {
                    self.one_of_many(section, ("", section.name), table);
                }
            }
            (Occurs::Named(_), DeValue::Table(tables)) => {
                for (key, table) in tables {
                    let name: &str = key.get_ref();
                    match unknown_name(section, name) {
                        Some(finding) => self.problems.add(&ConfigPlace::Span(key.span()), finding),
                        None => self.one_of_many(section, (name, &full_name(section, name)), table),
                    }
                }
            }
            _ => {
                self.wrong_table(section, section.name, value);
                // Its keys are unknown, not missing.
                for name in section.names() {
                    let whole = ConfigPlace::Span(value.span());
                    let key = section.key_name(name);
                    self.draft.places.note(key, index, whole, Vec::new());
                }
            }
        }
    }

    /// Reads one of several tables of a section on top of the defaults.
    fn one_of_many(
        &mut self,
        section: &'static Section,
        (name, shown): (&str, &str),
        table: &Spanned<DeValue<'_>>,
    ) {
        let DeValue::Table(entries) = table.get_ref() else {
            self.wrong_table(section, shown, table);
            return;
        };
        section.open(&mut self.draft.settings, name);
        let place = ConfigPlace::Span(table.span());
        let index = self.draft.places.begin(section.name, place);
        self.entries(OpenTable { section, name, index }, entries);
        if section.name == "operations"
            && let Some(operation) = api_table().named(name)
        {
            check::operation(operation, index, self.draft, self.problems);
        }
    }

    fn entries(&mut self, table: OpenTable<'_>, entries: &DeTable<'_>) {
        for (key, value) in entries {
            match table.section.below(key.get_ref()) {
                Some(below) => self.section(below, value, table.index),
                None => self.entry(table, (key, value)),
            }
        }
    }

    fn entry(&mut self, table: OpenTable<'_>, (key, value): TableEntry<'_, '_>) {
        let place = ConfigPlace::Span(value.span());
        if !self.value(table, key.get_ref(), value.get_ref(), &place) {
            let finding = unknown_key(table.section, key.get_ref());
            self.problems.add(&ConfigPlace::Span(key.span()), finding);
        }
    }

    /// Reads the value of a key and notes its place; false if there is no such key.
    fn value(&mut self, table: OpenTable<'_>, name: &str, value: &DeValue<'_>, place: &ConfigPlace) -> bool {
        let OpenTable { section, index, .. } = table;
        let group = section.group(&mut self.draft.settings, table.name);
        let Some(key) = group.and_then(|group| group.key(name)) else {
            return false;
        };
        let name = section.key_name(name);
        let items = ValueReader::new(&name, place, self.problems).read(key.field, value);
        self.draft.places.note(name, index, place.clone(), items);
        true
    }

    fn wrong_table(&mut self, section: &Section, key: &str, value: &Spanned<DeValue<'_>>) {
        let finding = ConfigFinding::wrong_type(key, described(value.get_ref()));
        let expected = format!("a table, written as `{}`", section.header());
        self.problems
            .add(&ConfigPlace::Span(value.span()), finding.expected(expected));
    }
}

// === impl OpenTable ===

impl OpenTable<'_> {
    const fn once(section: &'static Section) -> Self {
        let (name, index) = ("", 0);
        Self { section, name, index }
    }
}

/// The sections whose tables stand in no other.
fn top_level() -> impl Iterator<Item = &'static Section> {
    let is_top = |section: &&Section| !section.name.is_empty() && !section.name.contains('.');
    SECTIONS.iter().filter(is_top)
}

/// The full name of a table that has its own name: `backends.next`, `operations."events.list"`.
fn full_name(section: &Section, name: &str) -> String {
    if name.contains('.') {
        return format!("{}.\"{name}\"", section.name);
    }
    section.key_name(name)
}

// === unknown names ===

/// Keys that other programs have, and what has their meaning here.
const MEANT: [(&str, &str); 3] = [
    ("backends.timeout", "timeouts.origin_read"),
    ("fleet.url", "fleet.store"),
    ("origin.timeout", "timeouts.origin_read"),
];

/// The reason why no table of a section has this name; none if one may.
fn unknown_name(section: &Section, name: &str) -> Option<ConfigFinding> {
    if section.name == "backends" {
        let reason = format!("`{name}` cannot be the name of a backend");
        return (!CandidateSettings::is_name(name)).then(|| ConfigFinding::impossible(section.name, reason));
    }
    if api_table().named(name).is_some() {
        return None;
    }
    let names = api_table().operations().iter().map(|row| row.name.as_str());
    let help = match nearest(name, names) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            "`calendar-edge print openapi` has the names as `x-operation`; write a name in quotes".to_owned()
        }
    };
    Some(ConfigFinding::new(format!("unknown operation `{name}`")).help(Some(help)))
}

fn unknown_key(section: &Section, name: &str) -> ConfigFinding {
    let full = section.key_name(name);
    let meant = MEANT.iter().find(|(typed, _)| *typed == full);
    let meant = meant.map(|(_, key)| format!("did you mean `{key}`?"));
    let help = replacement(section.name, name).or(meant).or_else(|| {
        let hints = [similar(section, name), elsewhere(section, name)];
        let hints: Vec<String> = hints.into_iter().flatten().collect();
        (!hints.is_empty()).then(|| hints.join(" "))
    });
    ConfigFinding::new(format!("unknown key `{full}`")).help(help)
}

fn similar(section: &Section, name: &str) -> Option<String> {
    let mut candidates = section.names();
    if section.name.is_empty() {
        candidates.extend(top_level().map(|section| section.name));
    } else {
        candidates.extend(SECTIONS.iter().filter_map(|other| other.name_below(section)));
    }
    nearest(name, candidates).map(|meant| format!("did you mean `{meant}`?"))
}

fn elsewhere(section: &Section, name: &str) -> Option<String> {
    let others = SECTIONS.iter().filter(|other| other.name != section.name);
    let homes: Vec<String> = others
        .filter(|other| other.names().contains(&name))
        .map(|other| match other.header() {
            header if header.is_empty() => "at the top of the file".to_owned(),
            header => format!("in `{header}`"),
        })
        .collect();
    (!homes.is_empty()).then(|| format!("There is a key `{name}` {}.", homes.join(" and ")))
}
