//! A key of the configuration, bound to the field that takes its value.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::super::rate::Rate;
use super::quantity::{show_duration, show_size};
use super::slot::ValueSlot;
use super::text_form::{ReadText, TextError, TextSyntax, TypedSyntax, quoted};

/// A key with its field.
pub struct SettingKey<'a> {
    /// The name within its section, which is that of the field.
    pub name: &'static str,
    /// Its effect, in a few sentences.
    pub meaning: &'static str,
    /// The value of the field as the reference prints a default, or what holds without one.
    pub default: String,
    /// The kind of its value, and the field.
    pub field: KeyField<'a>,
}

/// The kind of a value, and the field that takes it.
pub enum KeyField<'a> {
    /// `true` or `false`.
    Flag(&'a mut dyn ValueSlot<bool>),
    /// A whole number within bounds.
    Count(RangeInclusive<u64>, Box<dyn FnOnce(u64) + 'a>),
    /// Bytes within bounds.
    Size(RangeInclusive<u64>, Box<dyn FnOnce(u64) + 'a>),
    /// A duration within bounds.
    Time(RangeInclusive<Duration>, &'a mut Duration),
    /// A rate.
    Rate(&'a mut Option<Rate>),
    /// One of these words, by index.
    Choice(Vec<&'static str>, Box<dyn FnOnce(usize) + 'a>),
    /// A text of this form.
    Text(TextSyntax, TakeTexts<'a>),
    /// A list of such texts.
    List {
        /// The form of its items.
        form: TextSyntax,
        /// Minimum number of items: 0 or 1.
        least: usize,
        /// True if one text may stand for a list of one.
        or_one: bool,
        /// The field.
        take: TakeTexts<'a>,
    },
}

/// Reads texts and takes their values in place of those that the field has. Returns the outcome of each: a text that has
/// not the form, or that the setting cannot have, is left out.
pub type TakeTexts<'a> = Box<dyn FnOnce(&[&str]) -> Vec<Result<(), TextError>> + 'a>;

// === impl SettingKey ===

impl<'a> SettingKey<'a> {
    /// A key before it has a name.
    fn shown(field: KeyField<'a>, value: impl Display) -> Self {
        Self::absent(field).words(&format!("`{value}`"))
    }

    /// The same whose default is described in words.
    const fn absent(field: KeyField<'a>) -> Self {
        Self {
            name: "",
            meaning: "",
            default: String::new(),
            field,
        }
    }

    /// Describes the default in words.
    pub(crate) fn words(self, words: &str) -> Self {
        let default = words.to_owned();
        Self { default, ..self }
    }

    /// The key of this name.
    pub(crate) fn named(self, name: &'static str, meaning: &'static str) -> Self {
        // Each line of a comment begins with a blank.
        let meaning = meaning.trim_ascii_start();
        Self {
            name,
            meaning,
            ..self
        }
    }
}

pub(crate) fn flag(slot: &mut impl ValueSlot<bool>) -> SettingKey<'_> {
    let held = ValueSlot::<bool>::held(slot).first().copied().unwrap_or_default();
    SettingKey::shown(KeyField::Flag(slot), held)
}

pub(crate) fn count<N>(slot: &mut N, bounds: RangeInclusive<u64>) -> SettingKey<'_>
where
    N: Copy + TryFrom<u64> + TryInto<u64>,
{
    let held: u64 = (*slot).try_into().unwrap_or(u64::MAX);
    SettingKey::shown(KeyField::Count(bounds, setter(slot)), held)
}

pub(crate) fn size<N>(slot: &mut N, bounds: RangeInclusive<u64>) -> SettingKey<'_>
where
    N: Copy + TryFrom<u64> + TryInto<u64>,
{
    let held = show_size((*slot).try_into().unwrap_or(u64::MAX));
    SettingKey::shown(KeyField::Size(bounds, setter(slot)), held)
}

/// Sets a number, whose type fits the bounds of its key.
fn setter<N: TryFrom<u64>>(slot: &mut N) -> Box<dyn FnOnce(u64) + '_> {
    Box::new(|number| {
        if let Ok(number) = N::try_from(number) {
            *slot = number;
        }
    })
}

pub(crate) fn time(slot: &mut Duration, bounds: RangeInclusive<Duration>) -> SettingKey<'_> {
    let held = show_duration(*slot);
    SettingKey::shown(KeyField::Time(bounds, slot), held)
}

pub(crate) fn seconds(slot: &mut Duration, bounds: RangeInclusive<u64>) -> SettingKey<'_> {
    let (least, most) = bounds.into_inner();
    time(slot, Duration::from_secs(least)..=Duration::from_secs(most))
}

pub(crate) fn rate(slot: &mut Option<Rate>) -> SettingKey<'_> {
    SettingKey::absent(KeyField::Rate(slot))
}

pub(crate) fn choice<'a, V: Copy + PartialEq + 'static, const N: usize>(
    slot: &'a mut impl ValueSlot<V>,
    words: [(&'static str, V); N],
) -> SettingKey<'a> {
    let held = words
        .iter()
        .find(|(_, value)| ValueSlot::<V>::held(slot).first() == Some(value));
    let held = held.map_or_else(String::new, |(word, _)| format!("\"{word}\""));
    let names = words.iter().map(|(word, _)| *word).collect();
    let choose = move |index: usize| {
        if let Some((_, value)) = words.get(index) {
            slot.put(*value);
        }
    };
    SettingKey::shown(KeyField::Choice(names, Box::new(choose)), held)
}

pub(crate) fn text<V: 'static>(slot: &mut impl ValueSlot<V>, form: TypedSyntax<V>) -> SettingKey<'_> {
    let (form, read) = form.into_parts();
    SettingKey::absent(KeyField::Text(form, reader(slot, read)))
}

/// A text whose default is printed.
pub(crate) fn printed<V: Display + 'static>(
    slot: &mut impl ValueSlot<V>,
    form: TypedSyntax<V>,
) -> SettingKey<'_> {
    let held = ValueSlot::<V>::held(slot)
        .first()
        .map_or_else(String::new, |held| format!("`\"{held}\"`"));
    text(slot, form).words(&held)
}

pub(crate) fn list<V: 'static>(
    slot: &mut impl ValueSlot<V>,
    form: TypedSyntax<V>,
    least: usize,
) -> SettingKey<'_> {
    items(slot, form, least, false)
}

/// A list for which one text may stand.
pub(crate) fn one_or_list<V: 'static>(
    slot: &mut impl ValueSlot<V>,
    form: TypedSyntax<V>,
    least: usize,
) -> SettingKey<'_> {
    items(slot, form, least, true)
}

fn items<V: 'static>(
    slot: &mut impl ValueSlot<V>,
    form: TypedSyntax<V>,
    least: usize,
    or_one: bool,
) -> SettingKey<'_> {
    let (form, read) = form.into_parts();
    SettingKey::absent(KeyField::List {
        take: reader(slot, read),
        form,
        least,
        or_one,
    })
}

fn reader<V: 'static>(slot: &mut impl ValueSlot<V>, read: ReadText<V>) -> TakeTexts<'_> {
    Box::new(move |texts| {
        ValueSlot::<V>::clear(slot);
        let take = |text: &&str| read(text).map(|value| slot.put(value));
        texts.iter().map(take).collect()
    })
}

// === impl KeyField ===

impl KeyField<'_> {
    /// The type in the reference, with bounds.
    pub fn type_name(&self) -> String {
        match self {
            Self::Flag(_) => "boolean".to_owned(),
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
            Self::List {
                form, or_one: false, ..
            } => format!("list ({})", form.name),
            Self::List { form, .. } => format!("{0} or list ({0})", form.name),
        }
    }

    /// A description of valid values, for messages.
    pub fn expected(&self) -> String {
        match self {
            Self::Flag(_) => "true or false".to_owned(),
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
            Self::List {
                form, or_one: false, ..
            } => format!("a list; each item is {}", form.described()),
            Self::List { form, .. } => format!("{}; or a list of them", form.described()),
        }
    }
}
