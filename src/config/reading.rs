//! Reads the value of one key: checks its type, its bounds and its form.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::DeValue;

use super::draft::{Placed, TypedAt};
use super::key::{KeyRow, ListStore, TextError, TextForm, ValueKind};
use super::keys::Section;
use super::nearest::nearest;
use super::problem::{Complaint, ConfigFinding, ConfigPlace, ConfigProblems, Impossible};
use super::protection_form::rate;
use super::quantity;

/// Reads the value of one key.
pub(super) struct ValueReader<'a, T> {
    section: &'a Section,
    key: &'a KeyRow<T>,
    place: &'a ConfigPlace,
    problems: &'a mut ConfigProblems,
}

// === impl ValueReader ===

impl<'a, T> ValueReader<'a, T> {
    pub(super) fn new(
        section: &'a Section,
        key: &'a KeyRow<T>,
        place: &'a ConfigPlace,
        problems: &'a mut ConfigProblems,
    ) -> Self {
        Self {
            section,
            key,
            place,
            problems,
        }
    }

    /// Checks the value, writes it to the field and records its place.
    pub(super) fn apply(mut self, value: &DeValue<'_>, to: &mut Placed<T>) {
        let items = self.write(value, &mut to.value);
        let whole = self.place.clone();
        to.places
            .note(self.section.name, self.key.name, TypedAt { whole, items });
    }

    /// Writes the value and gives the places of its items, if it is a list.
    fn write(&mut self, value: &DeValue<'_>, target: &mut T) -> Vec<ConfigPlace> {
        match (&self.key.kind, value) {
            (ValueKind::Flag(field), DeValue::Boolean(on)) => *field(target) = *on,
            (ValueKind::OptionalFlag(field), DeValue::Boolean(on)) => *field(target) = Some(*on),
            (ValueKind::Count(range, field), DeValue::Integer(_)) => {
                self.take(whole_number(value, range), |count| field(target).set(count));
            }
            (ValueKind::Size(range, field), DeValue::Integer(_) | DeValue::String(_)) => {
                self.take(bytes(value, range), |count| field(target).set(count));
            }
            (ValueKind::Time(range, field), DeValue::String(text)) => {
                let time = quantity::duration(text).filter(|time| range.contains(time));
                self.take(time, |time| *field(target) = time);
            }
            (ValueKind::Rate(field), DeValue::String(text)) => {
                self.take(rate(text), |rate| *field(target) = Some(rate));
            }
            (ValueKind::Choice(words, set), DeValue::String(text)) => {
                match words.iter().position(|word| *word == text) {
                    Some(index) => set(target, index),
                    None => self.bad_choice(words, text),
                }
            }
            (ValueKind::Text(form, set), DeValue::String(text)) => {
                self.judge(form, set(target, text), self.place);
            }
            (ValueKind::List(form, list) | ValueKind::OneOrList(form, list), DeValue::Array(values)) => {
                if values.len() < list.least {
                    self.judge(form, Err(TextError::Impossible(Impossible::Empty)), self.place);
                }
                return self.list(form, list, values.iter(), target);
            }
            (ValueKind::OneOrList(form, list), DeValue::String(text)) => {
                (list.clear)(target);
                self.judge(form, (list.push)(target, text), self.place);
            }
            (kind, other) => self.wrong_type(other, kind.expected(), self.place),
        }
        Vec::new()
    }

    fn take<V>(&mut self, value: Option<V>, write: impl FnOnce(V)) {
        match value {
            Some(value) => write(value),
            None => self.bad_value(),
        }
    }

    /// Fills a list and gives the places of the items that were accepted.
    fn list<'v, 'i: 'v>(
        &mut self,
        form: &'static TextForm,
        list: &ListStore<T>,
        values: impl Iterator<Item = &'v Spanned<DeValue<'i>>>,
        target: &mut T,
    ) -> Vec<ConfigPlace> {
        (list.clear)(target);
        let mut taken = Vec::new();
        for value in values {
            let place = ConfigPlace::Span(value.span());
            let DeValue::String(text) = value.get_ref() else {
                self.wrong_type(value.get_ref(), form.described(), &place);
                continue;
            };
            let outcome = (list.push)(target, text);
            if outcome.is_ok() {
                taken.push(place.clone());
            }
            self.judge(form, outcome, &place);
        }
        taken
    }

    fn judge(&mut self, form: &TextForm, outcome: Result<(), TextError>, place: &ConfigPlace) {
        let finding = match outcome {
            Ok(()) => return,
            Err(TextError::Malformed) => {
                ConfigFinding::from(Complaint::BadValue(self.name())).expected(form.described())
            }
            Err(TextError::Impossible(reason)) => ConfigFinding::impossible(self.name(), reason),
        };
        self.problems.add(place, finding);
    }

    fn bad_value(&mut self) {
        let finding = ConfigFinding::from(Complaint::BadValue(self.name()));
        self.problems
            .add(self.place, finding.expected(self.key.kind.expected()));
    }

    fn bad_choice(&mut self, words: &'static [&'static str], typed: &str) {
        let meant = nearest(typed, words.iter().copied());
        let finding = ConfigFinding::from(Complaint::BadValue(self.name()))
            .expected(self.key.kind.expected())
            .help(meant.map(|meant| format!("did you mean \"{meant}\"?")));
        self.problems.add(self.place, finding);
    }

    fn wrong_type(&mut self, found: &DeValue<'_>, expected: String, place: &ConfigPlace) {
        let complaint = Complaint::WrongType {
            key: self.name(),
            found: described(found),
        };
        self.problems
            .add(place, ConfigFinding::from(complaint).expected(expected));
    }

    fn name(&self) -> String {
        match self.section.name {
            "" => self.key.name.to_owned(),
            section => format!("{section}.{}", self.key.name),
        }
    }
}

fn whole_number(value: &DeValue<'_>, range: &RangeInclusive<u64>) -> Option<u64> {
    let DeValue::Integer(integer) = value else {
        return None;
    };
    let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
    Some(number).filter(|number| range.contains(number))
}

fn bytes(value: &DeValue<'_>, range: &RangeInclusive<u64>) -> Option<u64> {
    match value {
        DeValue::String(text) => quantity::size(text).filter(|count| range.contains(count)),
        number => whole_number(number, range),
    }
}

/// The type of a value, with its article.
pub(super) fn described(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
