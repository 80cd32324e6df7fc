//! A read that the copy may answer: the record or list, and the arguments that count.

use calendar_edge_judge::contract::{Action, Kind, Operation, Route};
use calendar_edge_judge::wordpress::payload::{Plus, decode, parse_form};
use calendar_edge_judge::wordpress::value::KeyRef;

use super::ask::Ask;
use super::question_shape::CopyShape;
use crate::cache::CacheableCall;

/// A judged read of everybody's records.
#[derive(Debug, Clone)]
pub struct CopyQuestion {
    pub(super) target: CopyTarget,
    arguments: Vec<(&'static str, String)>,
    shape: Option<CopyShape>,
    /// Why no copy answers it, whatever its facts.
    objection: Option<Ask>,
}

/// What a read is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CopyTarget {
    /// A list.
    List(Kind),
    /// The record with this number; none beyond 64 bits.
    Number(Kind, Option<u64>),
    /// The record with this slug.
    Slug(Kind, Vec<u8>),
}

/// Parameters that change nothing for everybody: `context=view` is the default.
const WITHOUT_EFFECT: [(&str, &str); 2] = [("_locale", "user"), ("context", "view")];

// === impl CopyQuestion ===

impl CopyQuestion {
    /// The question of a call; none for what is never copied: descriptions, and further roots of a site, which have
    /// their own languages.
    pub fn of(call: CacheableCall<'_>) -> Option<Self> {
        let call = call.call();
        let request = call.request();
        if request.root != 0 || request.query.namespace.is_some() {
            return None;
        }
        let path = request.path("");
        let slug = path.split("/by-slug/").nth(1).unwrap_or_default();
        Self::new(
            call.operation(),
            request.route.number(),
            slug,
            &request.query.pairs,
        )
    }

    pub(super) fn new(
        operation: &'static Operation,
        number: Option<u64>,
        slug: &str,
        pairs: &str,
    ) -> Option<Self> {
        let target = match (operation.id.action, operation.id.route) {
            (Action::List, Route::Collection(kind)) => CopyTarget::List(kind),
            (Action::Read, Route::Item(kind)) => CopyTarget::Number(kind, number),
            (Action::Read, Route::BySlug(kind)) => {
                CopyTarget::Slug(kind, decode(slug.as_bytes(), Plus::Literal).into_owned())
            }
            _ => return None,
        };
        let (arguments, objection) = match arguments(operation, pairs) {
            Ok(arguments) => (arguments, None),
            Err(ask) => (Vec::new(), Some(ask)),
        };
        let shape = CopyShape::of(operation, &arguments);
        let objection = objection.or_else(|| shape.is_none().then_some(Ask::Argument));
        Some(Self {
            target,
            arguments,
            shape: shape.filter(|_| objection.is_none()),
            objection,
        })
    }

    /// The shape; none for a read that the copy leaves to the site whatever its facts.
    pub const fn shape(&self) -> Option<&CopyShape> {
        self.shape.as_ref()
    }

    /// Why no copy answers it.
    pub const fn objection(&self) -> Option<Ask> {
        self.objection
    }

    /// The text of an argument, if it was sent.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let mut arguments = self.arguments.iter();
        arguments
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Whether one of these arguments was sent.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.text(name).is_some())
    }

    /// A positive whole number.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Ask> {
        let read = |text: &str| {
            let is_plain = text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| is_plain).ok_or(Ask::Value)
        };
        self.text(name).map(read).transpose()
    }

    /// A list of positive whole numbers.
    pub(super) fn numbers(&self, name: &str) -> Result<Option<Vec<u64>>, Ask> {
        let read = |text: &str| {
            let parts = text.split(',');
            parts
                .map(|part| read_number(part.trim()).ok_or(Ask::Value))
                .collect()
        };
        self.text(name).map(read).transpose()
    }

    /// A value of the schema type `boolean`.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Ask> {
        let read = |text: &str| match text.to_ascii_lowercase().as_str() {
            "1" | "true" => Ok(true),
            "0" | "false" => Ok(false),
            _ => Err(Ask::Value),
        };
        self.text(name).map(read).transpose()
    }
}

/// A number as it is usually written: other spellings are left to PHP.
pub(super) fn read_number(text: &str) -> Option<u64> {
    let is_plain = (1..=18).contains(&text.len())
        && !text.starts_with('0')
        && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

/// The arguments by name, each a text.
fn arguments(operation: &'static Operation, pairs: &str) -> Result<Vec<(&'static str, String)>, Ask> {
    let mut arguments = Vec::new();
    for (key, value) in parse_form(pairs.as_bytes()).entries() {
        let KeyRef::Text(name) = key else {
            return Err(Ask::Undeclared);
        };
        let text = value.as_text().and_then(|text| std::str::from_utf8(text).ok());
        let without_effect = WITHOUT_EFFECT
            .iter()
            .any(|(known, only)| known.as_bytes() == name && text == Some(only));
        if without_effect {
            continue;
        }
        let Some(argument) = operation.argument(name) else {
            let presents = name.starts_with(b"_") || name == b"context";
            return Err(if presents {
                Ask::Presentation
            } else {
                Ask::Undeclared
            });
        };
        let text = text.ok_or(Ask::Value)?;
        if operation.id.route.path_parameter() != Some(argument.name) {
            arguments.push((argument.name, text.to_owned()));
        }
    }
    Ok(arguments)
}
