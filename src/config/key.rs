//! One known key: how it is read, what it means, and how the reference shows it.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::problem::Impossible;
use super::quantity::{show_duration, show_size};
use super::settings::Settings;

/// A key of a section whose values go to a `T`.
#[derive(Debug)]
pub(super) struct Key<T> {
    /// The name within its section.
    pub(super) name: &'static str,
    /// How a value is read.
    pub(super) store: Store<T>,
    /// What holds when it is not set.
    pub(super) default: Shown,
    /// What it does, in one sentence or two.
    pub(super) meaning: &'static str,
}

/// How a value is read and where it goes.
#[derive(Debug)]
pub(super) enum Store<T> {
    /// `true` or `false`.
    Flag(fn(&mut T, bool)),
    /// A whole number within bounds.
    Count(RangeInclusive<u64>, fn(&mut T, usize)),
    /// Bytes within bounds.
    Size(RangeInclusive<u64>, fn(&mut T, u64)),
    /// A duration within bounds.
    Time(RangeInclusive<Duration>, fn(&mut T, Duration)),
    /// One of these words, by index.
    Choice(&'static [&'static str], fn(&mut T, usize)),
    /// A text of some form.
    Text(&'static Form, fn(&mut T, &str) -> Outcome),
    /// A list of such texts: first emptied, then filled one by one.
    List(&'static Form, List<T>),
    /// The same, or one text alone.
    OneOrList(&'static Form, List<T>),
}

/// How a list is written to.
#[derive(Debug)]
pub(super) struct List<T> {
    /// Fewest items: 0 or 1.
    pub(super) least: usize,
    pub(super) clear: fn(&mut T),
    pub(super) push: fn(&mut T, &str) -> Outcome,
}

/// What a text looks like.
#[derive(Debug)]
pub(super) struct Form {
    /// The type in the reference: `URL`.
    pub(super) name: &'static str,
    /// With an article and an example, for messages.
    pub(super) described: &'static str,
}

/// Whether a text was taken.
pub(super) type Outcome = Result<(), Refusal>;

/// Why a text was not taken.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It does not have the form.
    Malformed,
    /// It has, but cannot be.
    Impossible(Impossible),
}

/// How the reference shows a default.
#[derive(Debug)]
pub(super) enum Shown {
    /// The value in the default settings.
    Of(fn(&Settings) -> String),
    /// The same value whatever the settings.
    Value(&'static str),
    /// Words, where there is no value.
    Words(&'static str),
}

// === impl Store ===

impl<T> Store<T> {
    /// The type in the reference, with bounds.
    pub(super) fn type_name(&self) -> String {
        match self {
            Self::Flag(_) => "boolean".to_owned(),
            Self::Count(range, _) => format!("number, {} to {}", range.start(), range.end()),
            Self::Size(range, _) => {
                format!(
                    "size, {} to {}",
                    show_size(*range.start()),
                    show_size(*range.end())
                )
            }
            Self::Time(range, _) => format!(
                "duration, {} to {}",
                show_duration(*range.start()),
                show_duration(*range.end())
            ),
            Self::Choice(words, _) => quoted(words),
            Self::Text(form, _) => form.name.to_owned(),
            Self::List(form, _) => format!("list ({})", form.name),
            Self::OneOrList(form, _) => format!("{0} or list ({0})", form.name),
        }
    }

    /// What a value must be, for messages.
    pub(super) fn expected(&self) -> String {
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
            Self::Choice(words, _) => quoted(words),
            Self::Text(form, _) => form.described.to_owned(),
            Self::List(form, _) => format!("a list, each item {}", form.described),
            Self::OneOrList(form, _) => format!("{}; or a list of them", form.described),
        }
    }
}

// === impl Form ===

impl Form {
    /// What one text must be, for messages.
    pub(super) const fn new(name: &'static str, described: &'static str) -> Self {
        Self { name, described }
    }
}

// === impl Shown ===

impl Shown {
    /// The default as the reference prints it.
    pub(super) fn text(&self, defaults: &Settings) -> String {
        match self {
            Self::Of(show) => format!("`{}`", show(defaults)),
            Self::Value(value) => format!("`{value}`"),
            Self::Words(words) => (*words).to_owned(),
        }
    }
}

fn quoted(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => words.concat(),
    }
}
