//! One known key: the form of its value, its meaning, and its row in the reference.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::problem::Impossible;
use super::quantity::{show_duration, show_size};
use calendar_edge_core::settings::Rate;

/// A key of a section; its value goes to a field of a `T`.
#[derive(Debug)]
pub(super) struct KeyRow<T> {
    /// The name within its section.
    pub(super) name: &'static str,
    /// The form of its value, and the target field.
    pub(super) kind: ValueKind<T>,
    /// Its effect, in a few sentences.
    pub(super) meaning: &'static str,
    default: ShownDefault<T>,
}

/// The form of a value, and its target field.
#[derive(Debug)]
pub(super) enum ValueKind<T> {
    /// `true` or `false`.
    Flag(fn(&mut T) -> &mut bool),
    /// `true` or `false`, where a third value means "not set".
    OptionalFlag(fn(&mut T) -> &mut Option<bool>),
    /// A whole number within bounds.
    Count(RangeInclusive<u64>, fn(&mut T) -> NumberField<'_>),
    /// Bytes within bounds.
    Size(RangeInclusive<u64>, fn(&mut T) -> NumberField<'_>),
    /// A duration within bounds.
    Time(RangeInclusive<Duration>, fn(&mut T) -> &mut Duration),
    /// A rate.
    Rate(fn(&mut T) -> &mut Option<Rate>),
    /// One of these words, by index.
    Choice(&'static [&'static str], fn(&mut T, usize)),
    /// A text of this form.
    Text(&'static TextForm, fn(&mut T, &str) -> Result<(), TextError>),
    /// A list of such texts.
    List(&'static TextForm, ListStore<T>),
    /// The same, or one text alone.
    OneOrList(&'static TextForm, ListStore<T>),
}

/// A field that holds a whole number.
#[derive(Debug)]
pub(super) enum NumberField<'a> {
    Usize(&'a mut usize),
    OptionalUsize(&'a mut Option<usize>),
    U64(&'a mut u64),
}

/// Access to a list field: it is emptied first, then filled item by item.
#[derive(Debug)]
pub(super) struct ListStore<T> {
    /// Minimum number of items: 0 or 1.
    pub(super) least: usize,
    pub(super) clear: fn(&mut T),
    pub(super) push: fn(&mut T, &str) -> Result<(), TextError>,
}

/// The form of a text.
#[derive(Debug)]
pub(super) struct TextForm {
    /// The type in the reference: `URL`.
    pub(super) name: &'static str,
    /// A description of the form with its article, for messages.
    described: &'static str,
    /// Texts of this form; messages and the reference show them.
    pub(super) examples: &'static [&'static str],
}

/// The reason why a text was rejected.
#[derive(Debug)]
pub(super) enum TextError {
    /// It does not have the form.
    Malformed,
    /// It has the form, but the setting cannot have this value.
    Impossible(Impossible),
}

/// The default as shown in the reference.
#[derive(Debug)]
enum ShownDefault<T> {
    /// The value that the field has by default.
    Field,
    /// The same, formatted by this function.
    Of(fn(&T) -> String),
    /// A value that is not in the settings.
    Value(&'static str),
    /// A description instead of a value.
    Words(&'static str),
}

// === impl KeyRow ===

impl<T> KeyRow<T> {
    /// A key whose default is the one of its field.
    pub(super) const fn new(name: &'static str, kind: ValueKind<T>, meaning: &'static str) -> Self {
        Self {
            name,
            kind,
            meaning,
            default: ShownDefault::Field,
        }
    }

    /// Describes the default in words.
    pub(super) const fn unset(self, words: &'static str) -> Self {
        let default = ShownDefault::Words(words);
        Self { default, ..self }
    }

    /// Writes the default of the field with a function.
    pub(super) const fn shown(self, show: fn(&T) -> String) -> Self {
        let default = ShownDefault::Of(show);
        Self { default, ..self }
    }

    /// Names a default that is not in the settings.
    pub(super) const fn value(self, value: &'static str) -> Self {
        let default = ShownDefault::Value(value);
        Self { default, ..self }
    }

    /// The default as the reference prints it.
    pub(super) fn default_text(&self, defaults: &mut T) -> String {
        match &self.default {
            ShownDefault::Field => format!("`{}`", self.kind.shown(defaults)),
            ShownDefault::Of(show) => format!("`{}`", show(defaults)),
            ShownDefault::Value(value) => format!("`{value}`"),
            ShownDefault::Words(words) => (*words).to_owned(),
        }
    }
}

// === impl ValueKind ===

impl<T> ValueKind<T> {
    /// The type in the reference, with bounds.
    pub(super) fn type_name(&self) -> String {
        match self {
            Self::Flag(_) | Self::OptionalFlag(_) => "boolean".to_owned(),
            Self::Count(range, _) => format!("number, {} to {}", range.start(), range.end()),
            Self::Size(range, _) => {
                let (least, most) = (show_size(*range.start()), show_size(*range.end()));
                format!("size, {least} to {most}")
            }
            Self::Time(range, _) => {
                let (least, most) = (show_duration(*range.start()), show_duration(*range.end()));
                format!("duration, {least} to {most}")
            }
            Self::Rate(_) => "rate".to_owned(),
            Self::Choice(words, _) => quoted(words),
            Self::Text(form, _) => form.name.to_owned(),
            Self::List(form, _) => format!("list ({})", form.name),
            Self::OneOrList(form, _) => format!("{0} or list ({0})", form.name),
        }
    }

    /// A description of valid values, for messages.
    pub(super) fn expected(&self) -> String {
        match self {
            Self::Flag(_) | Self::OptionalFlag(_) => "true or false".to_owned(),
            Self::Count(range, _) => format!("a whole number from {} to {}", range.start(), range.end()),
            Self::Size(range, _) => format!(
                "a size from {} to {}, like \"8 KiB\" or \"2 MiB\", or a number of bytes",
                show_size(*range.start()),
                show_size(*range.end())
            ),
            Self::Time(range, _) => format!(
                "a duration from {} to {}, like \"500ms\", \"30s\" or \"2m\"",
                show_duration(*range.start()),
                show_duration(*range.end())
            ),
            Self::Rate(_) => {
                "a number of requests per period, from one second to one day, like \"60/1m\" or \
                              \"1000/24h\""
                    .to_owned()
            }
            Self::Choice(words, _) => quoted(words),
            Self::Text(form, _) => form.described(),
            Self::List(form, _) => format!("a list; each item is {}", form.described()),
            Self::OneOrList(form, _) => format!("{}; or a list of them", form.described()),
        }
    }

    /// The value of the field, in the form of a file.
    fn shown(&self, target: &mut T) -> String {
        match self {
            Self::Flag(field) => field(target).to_string(),
            Self::Count(_, field) => field(target).get().to_string(),
            Self::Size(_, field) => show_size(field(target).get()),
            Self::Time(_, field) => show_duration(*field(target)),
            Self::OptionalFlag(_)
            | Self::Rate(_)
            | Self::Choice(..)
            | Self::Text(..)
            | Self::List(..)
            | Self::OneOrList(..) => String::new(),
        }
    }
}

// === impl NumberField ===

impl NumberField<'_> {
    /// Writes the field. The bounds of a key fit the field's type.
    pub(super) fn set(self, number: u64) {
        let size = usize::try_from(number).unwrap_or(usize::MAX);
        match self {
            Self::Usize(field) => *field = size,
            Self::OptionalUsize(field) => *field = Some(size),
            Self::U64(field) => *field = number,
        }
    }

    fn get(&self) -> u64 {
        let size = match self {
            Self::U64(field) => return **field,
            Self::Usize(field) => **field,
            Self::OptionalUsize(field) => field.unwrap_or_default(),
        };
        u64::try_from(size).unwrap_or(u64::MAX)
    }
}

// === impl ListStore ===

impl<T> ListStore<T> {
    /// A list that may be empty.
    pub(super) const fn new(clear: fn(&mut T), push: fn(&mut T, &str) -> Result<(), TextError>) -> Self {
        let least = 0;
        Self { least, clear, push }
    }

    /// A list with at least one item.
    pub(super) const fn not_empty(
        clear: fn(&mut T),
        push: fn(&mut T, &str) -> Result<(), TextError>,
    ) -> Self {
        let least = 1;
        Self { least, clear, push }
    }
}

// === impl TextForm ===

impl TextForm {
    /// A form by its name, its description with an article, and examples of it.
    pub(super) const fn new(
        name: &'static str,
        described: &'static str,
        examples: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            described,
            examples,
        }
    }

    /// The form in words and examples, for messages.
    pub(super) fn described(&self) -> String {
        format!("{}, like {}", self.described, quoted(self.examples))
    }
}

fn quoted(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => words.concat(),
    }
}
