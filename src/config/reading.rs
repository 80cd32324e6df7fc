//! One value on its way to one key: its type, its bounds, its form.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::DeValue;

use super::draft::{Target, Typed};
use super::key::{Form, Key, List, Outcome, Refusal, Store};
use super::keys::Section;
use super::nearest::nearest;
use super::problem::{Complaint, Finding, Impossible, Place, Problems};
use super::quantity;

/// One value on its way to one key.
pub(super) struct Reading<'a, T> {
    section: &'a Section,
    key: &'a Key<T>,
    place: &'a Place,
    problems: &'a mut Problems,
}

impl<'a, T: Target> Reading<'a, T> {
    pub(super) fn new(
        section: &'a Section,
        key: &'a Key<T>,
        place: &'a Place,
        problems: &'a mut Problems,
    ) -> Self {
        Self {
            section,
            key,
            place,
            problems,
        }
    }

    /// Checks the value, writes it to the target and notes where it was typed.
    pub(super) fn apply(mut self, value: &DeValue<'_>, target: &mut T) {
        let mut items = Vec::new();
        match (&self.key.store, value) {
            (Store::Flag(set), DeValue::Boolean(on)) => set(target, *on),
            (Store::Count(range, set), DeValue::Integer(_)) => match whole_number(value, range) {
                Some(count) => set(target, usize::try_from(count).unwrap_or(usize::MAX)),
                None => self.bad_value(self.place),
            },
            (Store::Size(range, set), DeValue::Integer(_) | DeValue::String(_)) => {
                match bytes(value, range) {
                    Some(count) => set(target, count),
                    None => self.bad_value(self.place),
                }
            }
            (Store::Time(range, set), DeValue::String(text)) => {
                match quantity::duration(text).filter(|time| range.contains(time)) {
                    Some(time) => set(target, time),
                    None => self.bad_value(self.place),
                }
            }
            (Store::Choice(words, set), DeValue::String(text)) => {
                match words.iter().position(|word| *word == text) {
                    Some(index) => set(target, index),
                    None => self.bad_choice(words, text),
                }
            }
            (Store::Text(form, set), DeValue::String(text)) => {
                let outcome = set(target, text);
                self.judge(form, outcome, self.place);
            }
            (Store::List(form, list) | Store::OneOrList(form, list), DeValue::Array(values)) => {
                if values.len() < list.least {
                    self.judge(form, Err(Refusal::Impossible(Impossible::Empty)), self.place);
                }
                items = self.list(form, list, values.iter(), target);
            }
            (Store::OneOrList(form, list), DeValue::String(text)) => {
                (list.clear)(target);
                let outcome = (list.push)(target, text);
                self.judge(form, outcome, self.place);
            }
            (store, other) => {
                let expected = store.expected();
                self.wrong_type(other, &expected, self.place);
            }
        }
        let whole = self.place.clone();
        target
            .places()
            .note(self.section.name, self.key.name, Typed { whole, items });
    }

    /// Fills a list and gives the places of the items that were taken.
    fn list<'v, 'i: 'v>(
        &mut self,
        form: &'static Form,
        list: &List<T>,
        values: impl Iterator<Item = &'v Spanned<DeValue<'i>>>,
        target: &mut T,
    ) -> Vec<Place> {
        (list.clear)(target);
        let mut taken = Vec::new();
        for value in values {
            let place = Place::Span(value.span());
            let DeValue::String(text) = value.get_ref() else {
                self.wrong_type(value.get_ref(), form.described, &place);
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

    fn judge(&mut self, form: &Form, outcome: Outcome, place: &Place) {
        let finding = match outcome {
            Ok(()) => return,
            Err(Refusal::Malformed) => {
                Finding::from(Complaint::BadValue(self.name())).expected(form.described)
            }
            Err(Refusal::Impossible(reason)) => Finding::impossible(self.name(), reason),
        };
        self.problems.add(place, finding);
    }

    fn bad_value(&mut self, place: &Place) {
        let finding = Finding::from(Complaint::BadValue(self.name()));
        self.problems
            .add(place, finding.expected(self.key.store.expected()));
    }

    fn bad_choice(&mut self, words: &'static [&'static str], typed: &str) {
        let meant = nearest(typed, words.iter().copied());
        let finding = Finding::from(Complaint::BadValue(self.name()))
            .expected(self.key.store.expected())
            .help(meant.map(|meant| format!("did you mean \"{meant}\"?")));
        self.problems.add(self.place, finding);
    }

    fn wrong_type(&mut self, found: &DeValue<'_>, expected: &str, place: &Place) {
        let complaint = Complaint::WrongType {
            key: self.name(),
            found: described(found),
        };
        self.problems
            .add(place, Finding::from(complaint).expected(expected));
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

/// The kind of a value, with its article.
pub(super) fn described(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
