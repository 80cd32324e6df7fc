//! Reads a parsed file, or one flag, into the draft; a problem is recorded and reading continues.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::backend_keys::is_backend_name;
use super::check;
use super::draft::{Draft, Placed, TypedAt, unknown_origin};
use super::key::KeyRow;
use super::keys::{Keys, SECTIONS, Section};
use super::nearest::nearest;
use super::problem::{Complaint, ConfigFinding, ConfigPlace, ConfigProblems, Impossible};
use super::reading::{ValueReader, described};
use super::removed::replacement;
use calendar_edge_core::settings::{
    CandidateSettings, CutoverRule, IgnoreRule, OperationSettings, PRIMARY, Root, ShadowRule, SurfaceRule,
    WebhookSettings,
};
use calendar_edge_judge::contract::{OperationId, table};

/// Reads a whole file.
pub(super) fn document(file: &DeTable<'_>, draft: &mut Draft, problems: &mut ConfigProblems) {
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
pub(super) fn argument(
    full_name: &str,
    place: &ConfigPlace,
    draft: &mut Draft,
    problems: &mut ConfigProblems,
) {
    let ConfigPlace::Argument { text, .. } = place else {
        return;
    };
    let (section, name) = full_name.rsplit_once('.').unwrap_or(("", full_name));
    let section = SECTIONS.iter().find(|candidate| candidate.name == section);
    if let Some((section, Keys::Once(keys))) = section.map(|section| (section, &section.keys))
        && let Some(key) = keys.iter().find(|key| key.name == name)
    {
        let value = DeValue::String(text.as_str().into());
        ValueReader::new(section, key, place, problems).apply(&value, &mut draft.settings);
    }
}

fn section_table(
    section: &Section,
    value: &Spanned<DeValue<'_>>,
    draft: &mut Draft,
    problems: &mut ConfigProblems,
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
            let finding = ConfigFinding::impossible(section.name, Impossible::Empty);
            problems.add(&ConfigPlace::Span(value.span()), finding);
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
            draft.settings.value.operations.extend(operations);
        }
        (Keys::Backend(keys), DeValue::Table(table)) => {
            let backends = table
                .iter()
                .filter_map(|entry| backend(section, keys, entry, problems));
            draft.backends.extend(backends);
        }
        (
            Keys::Ignore(_) | Keys::Shadow(_) | Keys::Cutover(_) | Keys::Surface(_) | Keys::Webhook(_),
            DeValue::Array(tables),
        ) => {
            rules(section, tables, draft, problems);
        }
        (_, other) => {
            wrong_table(section, section.name, (other, value), problems);
            // Its keys are unknown, not missing.
            for name in section.names() {
                let whole = ConfigPlace::Span(value.span());
                let items = Vec::new();
                draft
                    .settings
                    .places
                    .note(section.name, name, TypedAt { whole, items });
            }
        }
    }
}

type TableEntry<'a, 'i> = (&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

fn once(
    section: &Section,
    (key, value): TableEntry<'_, '_>,
    draft: &mut Draft,
    problems: &mut ConfigProblems,
) {
    if let Keys::Once(keys) = &section.keys {
        entry(section, keys, (key, value), &mut draft.settings, problems);
    }
}

fn root(
    section: &Section,
    keys: &[KeyRow<Root>],
    value: &Spanned<DeValue<'_>>,
    problems: &mut ConfigProblems,
) -> Option<Placed<Root>> {
    let DeValue::Table(table) = value.get_ref() else {
        wrong_table(section, section.name, (value.get_ref(), value), problems);
        return None;
    };
    let mut root = Placed::root(ConfigPlace::Span(value.span()));
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
    root: &mut Placed<Root>,
    problems: &mut ConfigProblems,
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
    keys: &[KeyRow<OperationSettings>],
    (key, value): TableEntry<'_, '_>,
    problems: &mut ConfigProblems,
) -> Option<(OperationId, OperationSettings)> {
    let name: &str = key.get_ref();
    let Some(row) = table().named(name) else {
        let names = table().operations().iter().map(|row| row.name.as_str());
        let help = match nearest(name, names) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`calendar-edge print routes` prints the names; write a name in quotes".to_owned(),
        };
        let finding = ConfigFinding::from(Complaint::UnknownOperation(name.to_owned())).help(Some(help));
        problems.add(&ConfigPlace::Span(key.span()), finding);
        return None;
    };
    let DeValue::Table(entries) = value.get_ref() else {
        let full = format!("operations.\"{name}\"");
        wrong_table(section, &full, (value.get_ref(), value), problems);
        return None;
    };
    let table = ConfigPlace::Span(value.span());
    let mut operation = Placed::new(OperationSettings::default(), table);
    for pair in entries {
        entry(section, keys, pair, &mut operation, problems);
    }
    check::extra_parameters(row, &operation, problems);
    check::patch(row, &operation, problems);
    Some((row.id, operation.value))
}

fn backend(
    section: &Section,
    keys: &[KeyRow<CandidateSettings>],
    (key, value): TableEntry<'_, '_>,
    problems: &mut ConfigProblems,
) -> Option<Placed<CandidateSettings>> {
    let name: &str = key.get_ref();
    if !is_backend_name(name) || name == PRIMARY {
        let finding = ConfigFinding::impossible("backends", Impossible::BackendName(name.to_owned()));
        problems.add(&ConfigPlace::Span(key.span()), finding);
        return None;
    }
    let defaults = CandidateSettings::at(name.to_owned(), unknown_origin());
    let name = format!("backends.{name}");
    one_table((section, keys), &name, defaults, value, problems)
}

/// Reads a rule and its guard.
fn cutover(
    (section, keys): (&Section, &[KeyRow<CutoverRule>]),
    value: &Spanned<DeValue<'_>>,
    problems: &mut ConfigProblems,
) -> Option<Placed<CutoverRule>> {
    let DeValue::Table(table) = value.get_ref() else {
        wrong_table(section, section.name, (value.get_ref(), value), problems);
        return None;
    };
    let mut rule = Placed::new(CutoverRule::default(), ConfigPlace::Span(value.span()));
    for (key, value) in table {
        match section.below(key.get_ref()) {
            Some(below) => {
                rule.value.guard.get_or_insert_default();
                part_of_rule(below, value, &mut rule, problems);
            }
            None => entry(section, keys, (key, value), &mut rule, problems),
        }
    }
    Some(rule)
}

fn part_of_rule(
    section: &Section,
    value: &Spanned<DeValue<'_>>,
    rule: &mut Placed<CutoverRule>,
    problems: &mut ConfigProblems,
) {
    match (&section.keys, value.get_ref()) {
        (Keys::Cutover(keys), DeValue::Table(table)) => {
            for pair in table {
                entry(section, keys, pair, rule, problems);
            }
        }
        (_, other) => wrong_table(section, section.name, (other, value), problems),
    }
}

/// Reads the tables of a section with one table per rule.
fn rules(
    section: &Section,
    tables: &[Spanned<DeValue<'_>>],
    draft: &mut Draft,
    problems: &mut ConfigProblems,
) {
    for table in tables {
        match &section.keys {
            Keys::Ignore(keys) => {
                let rule = one_table(
                    (section, keys),
                    section.name,
                    IgnoreRule::default(),
                    table,
                    problems,
                );
                draft.ignore.extend(rule);
            }
            Keys::Shadow(keys) => {
                let rule = one_table(
                    (section, keys),
                    section.name,
                    ShadowRule::default(),
                    table,
                    problems,
                );
                draft.shadow.extend(rule);
            }
            Keys::Cutover(keys) => draft.cutover.extend(cutover((section, keys), table, problems)),
            Keys::Surface(keys) => {
                let rule = one_table(
                    (section, keys),
                    section.name,
                    SurfaceRule::default(),
                    table,
                    problems,
                );
                draft.surface.extend(rule);
            }
            Keys::Webhook(keys) => {
                let webhook = one_table(
                    (section, keys),
                    section.name,
                    WebhookSettings::at(unknown_origin()),
                    table,
                    problems,
                );
                draft.webhooks.extend(webhook);
            }
            Keys::Once(_) | Keys::Root(_) | Keys::Operation(_) | Keys::Backend(_) => {}
        }
    }
}

/// Reads one of several tables of a section on top of the defaults.
fn one_table<T>(
    (section, keys): (&Section, &[KeyRow<T>]),
    name: &str,
    defaults: T,
    value: &Spanned<DeValue<'_>>,
    problems: &mut ConfigProblems,
) -> Option<Placed<T>> {
    let DeValue::Table(entries) = value.get_ref() else {
        wrong_table(section, name, (value.get_ref(), value), problems);
        return None;
    };
    let mut placed = Placed::new(defaults, ConfigPlace::Span(value.span()));
    for pair in entries {
        entry(section, keys, pair, &mut placed, problems);
    }
    Some(placed)
}

fn entry<T>(
    section: &Section,
    keys: &[KeyRow<T>],
    (key, value): TableEntry<'_, '_>,
    to: &mut Placed<T>,
    problems: &mut ConfigProblems,
) {
    let name: &str = key.get_ref();
    match keys.iter().find(|known| known.name == name) {
        Some(known) => {
            let place = ConfigPlace::Span(value.span());
            ValueReader::new(section, known, &place, problems).apply(value.get_ref(), to);
        }
        None => problems.add(&ConfigPlace::Span(key.span()), unknown(section, name)),
    }
}

fn wrong_table(
    section: &Section,
    key: &str,
    (found, value): (&DeValue<'_>, &Spanned<DeValue<'_>>),
    problems: &mut ConfigProblems,
) {
    let complaint = Complaint::WrongType {
        key: key.to_owned(),
        found: described(found),
    };
    let expected = format!("a table, written as `{}`", section.header);
    problems.add(
        &ConfigPlace::Span(value.span()),
        ConfigFinding::from(complaint).expected(expected),
    );
}

// === unknown keys ===

fn unknown(section: &Section, name: &str) -> ConfigFinding {
    let full = match section.name {
        "" => name.to_owned(),
        prefix => format!("{prefix}.{name}"),
    };
    let help = replacement(&full).or_else(|| {
        let hints = [similar(section, name), elsewhere(section, name)];
        let hints: Vec<String> = hints.into_iter().flatten().collect();
        (!hints.is_empty()).then(|| hints.join(" "))
    });
    ConfigFinding::from(Complaint::UnknownKey(full)).help(help)
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
            "" => "at the top of the file".to_owned(),
            header => format!("in `{header}`"),
        })
        .collect();
    (!homes.is_empty()).then(|| format!("There is a key `{name}` {}.", homes.join(" and ")))
}
