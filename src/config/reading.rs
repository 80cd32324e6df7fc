//! Reads the value of one key: checks its type, its bounds and its form.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::DeValue;

use calendar_edge_core::settings::{
    ConfigFinding, ConfigPlace, ConfigProblems, EMPTY_LIST, KeyField, TakeTexts, TextError, TextSyntax,
    duration, nearest, rate, size,
};

/// Reads the value of one key.
pub(super) struct ValueReader<'a> {
    /// The full name of the key.
    name: &'a str,
    place: &'a ConfigPlace,
    problems: &'a mut ConfigProblems,
}

// === impl ValueReader ===

impl<'a> ValueReader<'a> {
    pub(super) fn new(name: &'a str, place: &'a ConfigPlace, problems: &'a mut ConfigProblems) -> Self {
        Self {
            name,
            place,
            problems,
        }
    }

    /// Checks the value, writes it to the field, and gives the places of its items, if it is a list.
    pub(super) fn read(&mut self, field: KeyField<'_>, value: &DeValue<'_>) -> Vec<ConfigPlace> {
        let expected = field.expected();
        match (field, value) {
            (KeyField::Flag(slot), DeValue::Boolean(on)) => slot.put(*on),
            (KeyField::Count(range, set), DeValue::Integer(_)) => {
                self.take(whole_number(value, &range), expected, set);
            }
            (KeyField::Size(range, set), DeValue::Integer(_) | DeValue::String(_)) => {
                self.take(bytes(value, &range), expected, set);
            }
            (KeyField::Time(range, slot), DeValue::String(text)) => {
                let time = duration(text).filter(|time| range.contains(time));
                self.take(time, expected, |time| *slot = time);
            }
            (KeyField::Rate(slot), DeValue::String(text)) => {
                self.take(rate(text), expected, |rate| *slot = Some(rate));
            }
            (KeyField::Choice(words, choose), DeValue::String(text)) => {
                match words.iter().position(|word| *word == text) {
                    Some(index) => choose(index),
                    None => self.bad_choice(&words, text, expected),
                }
            }
            (
                KeyField::List {
                    form, least, take, ..
                },
                DeValue::Array(values),
            ) => {
                if values.len() < least {
                    let finding = ConfigFinding::impossible(self.name, EMPTY_LIST);
                    self.problems.add(self.place, finding);
                }
                return self.list(form, take, values.iter());
            }
            (
                KeyField::Text(form, take)
                | KeyField::List {
                    form,
                    or_one: true,
                    take,
                    ..
                },
                DeValue::String(text),
            ) => {
                for outcome in take(&[text.as_ref()]) {
                    self.judge(form, outcome, self.place);
                }
            }
            (_, other) => self.wrong_type(other, expected, self.place),
        }
        Vec::new()
    }

    fn take<V>(&mut self, value: Option<V>, expected: String, write: impl FnOnce(V)) {
        match value {
            Some(value) => write(value),
            None => self.bad_value(expected, None),
        }
    }

    /// Fills a list and gives the places of the items that were accepted.
    fn list<'v, 'i: 'v>(
        &mut self,
        form: TextSyntax,
        take: TakeTexts<'_>,
        values: impl Iterator<Item = &'v Spanned<DeValue<'i>>>,
    ) -> Vec<ConfigPlace> {
        let (mut texts, mut places) = (Vec::new(), Vec::new());
        for value in values {
            let place = ConfigPlace::Span(value.span());
            match value.get_ref() {
                DeValue::String(text) => {
                    texts.push(text.as_ref());
                    places.push(place);
                }
                other => self.wrong_type(other, form.described(), &place),
            }
        }
        let taken = take(&texts).into_iter().zip(places);
        let taken = taken.filter_map(|(outcome, place)| {
            let is_taken = outcome.is_ok();
            self.judge(form, outcome, &place);
            is_taken.then_some(place)
        });
        taken.collect()
    }

    fn judge(&mut self, form: TextSyntax, outcome: Result<(), TextError>, place: &ConfigPlace) {
        let finding = match outcome {
            Ok(()) => return,
            Err(TextError::Malformed) => ConfigFinding::bad_value(self.name).expected(form.described()),
            Err(reason) => {
                let file = (reason == TextError::Credentials)
                    .then(|| password_file(self.name))
                    .flatten();
                let help = file.map(|key| format!("write them into a file, and name it in `{key}`"));
                ConfigFinding::impossible(self.name, reason.to_string()).help(help)
            }
        };
        self.problems.add(place, finding);
    }

    fn bad_value(&mut self, expected: String, help: Option<String>) {
        let finding = ConfigFinding::bad_value(self.name);
        self.problems
            .add(self.place, finding.expected(expected).help(help));
    }

    fn bad_choice(&mut self, words: &[&'static str], typed: &str, expected: String) {
        let meant = nearest(typed, words.iter().copied());
        self.bad_value(expected, meant.map(|meant| format!("did you mean \"{meant}\"?")));
    }

    fn wrong_type(&mut self, found: &DeValue<'_>, expected: String, place: &ConfigPlace) {
        let finding = ConfigFinding::wrong_type(self.name, described(found));
        self.problems.add(place, finding.expected(expected));
    }
}

/// The key that names a file with the credentials of an address.
fn password_file(key: &str) -> Option<&'static str> {
    match key {
        "origin.url" => Some("origin.basic_auth_file"),
        "fleet.store" => Some("fleet.password_file"),
        _ => None,
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
        DeValue::String(text) => size(text).filter(|count| range.contains(count)),
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
