//! Walks a parsed file, or one flag, into the draft; every problem is noted, none ends the walk.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::draft::{Draft, OperationDraft, RootDraft, Target, Typed};
use super::key::Key;
use super::keys::{Keys, SECTIONS, Section};
use super::nearest::nearest;
use super::problem::{Complaint, Finding, Impossible, Place, Problems};
use super::reading::{Reading, described};
use crate::contract::table;

/// Reads a whole file.
pub(super) fn document(file: &DeTable<'_>, draft: &mut Draft, problems: &mut Problems) {
    for (key, value) in file {
        let name: &str = key.get_ref();
        match SECTIONS
            .iter()
            .find(|section| section.name == name && !name.is_empty() && !name.contains('.'))
        {
            Some(section) => section_table(section, value, draft, problems),
            None => once(&SECTIONS[0], (key, value), draft, problems),
        }
    }
}

/// Reads one flag or variable: the text of the key `origin.url`, `listen`, ….
pub(super) fn argument(full_name: &str, place: &Place, draft: &mut Draft, problems: &mut Problems) {
    let Place::Argument { text, .. } = place else {
        return;
    };
    let (section, name) = full_name.rsplit_once('.').unwrap_or(("", full_name));
    let section = SECTIONS.iter().find(|candidate| candidate.name == section);
    if let Some((section, Keys::Once(keys))) = section.map(|section| (section, &section.keys))
        && let Some(key) = keys.iter().find(|key| key.name == name)
    {
        let value = DeValue::String(text.as_str().into());
        Reading::new(section, key, place, problems).apply(&value, draft);
    }
}

fn section_table(
    section: &Section,
    value: &Spanned<DeValue<'_>>,
    draft: &mut Draft,
    problems: &mut Problems,
) {
    match (&section.keys, value.get_ref()) {
        (Keys::Once(_), DeValue::Table(table)) => {
            for (key, value) in table {
                match section.below(key.get_ref()) {
                    Some(section) => section_table(section, value, draft, problems),
                    None => once(section, (key, value), draft, problems),
                }
            }
        }
        (Keys::Root(_), DeValue::Array(tables)) if tables.is_empty() => {
            let finding = Finding::impossible(section.name, Impossible::Empty);
            problems.add(&Place::Span(value.span()), finding);
        }
        (Keys::Root(keys), DeValue::Array(tables)) => {
            let roots = tables
                .iter()
                .filter_map(|table| root(section, keys, table, problems));
            draft.roots = Some(roots.collect());
        }
        (Keys::Operation(keys), DeValue::Table(table)) => {
            let operations = table
                .iter()
                .filter_map(|entry| operation(section, keys, entry, problems));
            draft.operations.extend(operations);
        }
        (_, other) => {
            wrong_table(section, section.name, (other, value), problems);
            // What its keys would have been is unknown; they are not missing.
            for name in section.names() {
                let whole = Place::Span(value.span());
                let items = Vec::new();
                draft.places.note(section.name, name, Typed { whole, items });
            }
        }
    }
}

type Entry<'a, 'i> = (&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

fn once(section: &Section, (key, value): Entry<'_, '_>, draft: &mut Draft, problems: &mut Problems) {
    if let Keys::Once(keys) = &section.keys {
        entry(section, keys, (key, value), draft, problems);
    }
}

fn root(
    section: &Section,
    keys: &[Key<RootDraft>],
    value: &Spanned<DeValue<'_>>,
    problems: &mut Problems,
) -> Option<RootDraft> {
    let DeValue::Table(table) = value.get_ref() else {
        wrong_table(section, section.name, (value.get_ref(), value), problems);
        return None;
    };
    let mut root = RootDraft::new(Place::Span(value.span()));
    for (key, value) in table {
        match section.below(key.get_ref()) {
            Some(below) => part_of_root(below, value, &mut root, problems),
            None => entry(section, keys, (key, value), &mut root, problems),
        }
    }
    Some(root)
}

fn part_of_root(
    section: &Section,
    value: &Spanned<DeValue<'_>>,
    root: &mut RootDraft,
    problems: &mut Problems,
) {
    match (&section.keys, value.get_ref()) {
        (Keys::Root(keys), DeValue::Table(table)) => {
            for pair in table {
                entry(section, keys, pair, root, problems);
            }
        }
        (_, other) => wrong_table(section, section.name, (other, value), problems),
    }
}

fn operation(
    section: &Section,
    keys: &[Key<OperationDraft>],
    (key, value): Entry<'_, '_>,
    problems: &mut Problems,
) -> Option<OperationDraft> {
    let name: &str = key.get_ref();
    let Some(row) = table().named(name) else {
        let names = table().operations().iter().map(|row| row.name.as_str());
        let help = match nearest(name, names) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`calendar-edge routes` prints the names; write them in quotes".to_owned(),
        };
        let finding = Finding::from(Complaint::UnknownOperation(name.to_owned())).help(Some(help));
        problems.add(&Place::Span(key.span()), finding);
        return None;
    };
    let DeValue::Table(entries) = value.get_ref() else {
        let full = format!("operations.\"{name}\"");
        wrong_table(section, &full, (value.get_ref(), value), problems);
        return None;
    };
    let mut operation = OperationDraft::new(row.id);
    for pair in entries {
        entry(section, keys, pair, &mut operation, problems);
    }
    Some(operation)
}

fn entry<T: Target>(
    section: &Section,
    keys: &[Key<T>],
    (key, value): Entry<'_, '_>,
    target: &mut T,
    problems: &mut Problems,
) {
    let name: &str = key.get_ref();
    match keys.iter().find(|known| known.name == name) {
        Some(known) => {
            let place = Place::Span(value.span());
            Reading::new(section, known, &place, problems).apply(value.get_ref(), target);
        }
        None => problems.add(&Place::Span(key.span()), unknown(section, name)),
    }
}

fn wrong_table(
    section: &Section,
    key: &str,
    (found, value): (&DeValue<'_>, &Spanned<DeValue<'_>>),
    problems: &mut Problems,
) {
    let complaint = Complaint::WrongType {
        key: key.to_owned(),
        found: described(found),
    };
    let expected = format!("a table, written as `{}`", section.header);
    problems.add(
        &Place::Span(value.span()),
        Finding::from(complaint).expected(expected),
    );
}

// === unknown keys ===

fn unknown(section: &Section, name: &str) -> Finding {
    let full = match section.name {
        "" => name.to_owned(),
        prefix => format!("{prefix}.{name}"),
    };
    let hints: Vec<String> = [similar(section, name), elsewhere(section, name)]
        .into_iter()
        .flatten()
        .collect();
    let help = (!hints.is_empty()).then(|| hints.join(" "));
    Finding::from(Complaint::UnknownKey(full)).help(help)
}

fn similar(section: &Section, name: &str) -> Option<String> {
    let mut candidates = section.names();
    if section.name.is_empty() {
        candidates.extend(
            SECTIONS
                .iter()
                .map(|section| section.name)
                .filter(|name| !name.is_empty() && !name.contains('.')),
        );
    } else {
        candidates.extend(SECTIONS.iter().filter_map(|other| other.name_below(section)));
    }
    nearest(name, candidates).map(|meant| format!("did you mean `{meant}`?"))
}

fn elsewhere(section: &Section, name: &str) -> Option<String> {
    let others = SECTIONS.iter().filter(|other| other.name != section.name);
    let homes: Vec<String> = others
        .filter(|other| other.names().contains(&name))
        .map(|other| match other.header {
            "" => "at the top of the file, before the first table".to_owned(),
            header => format!("in `{header}`"),
        })
        .collect();
    (!homes.is_empty()).then(|| format!("A key `{name}` exists {}.", homes.join(" and ")))
}
