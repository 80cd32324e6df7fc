//! A read that the copy may answer: the record or list, and the arguments that count.

use bytes::Bytes;
use calendar_edge_judge::contract::{Action, Kind, Operation, Route};
use calendar_edge_judge::wordpress::payload::{Plus, decode, parse_form};
use calendar_edge_judge::wordpress::value::KeyRef;

use super::ask::Ask;
use super::question_shape::CopyShape;
use super::wanted_members::WantedMembers;
use crate::cache::CacheableCall;

/// A judged read of everybody's records.
#[derive(Debug, Clone, Hash)]
pub struct CopyQuestion {
    pub(super) target: CopyTarget,
    sent: SentParameters,
    shape: Option<CopyShape>,
    /// Why no copy answers it, whatever its facts.
    objection: Option<Ask>,
}

/// What a client sent beside the path.
#[derive(Debug, Clone, Default, Hash)]
pub(super) struct SentParameters {
    /// The arguments by name, and parameters that change no response, which a plugin of the site may read nevertheless.
    pub(super) texts: Vec<(&'static str, String)>,
    /// None: all members of the response.
    pub(super) members: Option<WantedMembers>,
}

/// What a read is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum CopyTarget {
    /// A list.
    List(Kind),
    /// The record with this number; none beyond 64 bits.
    Number(Kind, Option<u64>),
    /// The record with this slug.
    Slug(Kind, Vec<u8>),
}

/// Parameters that say the default: everybody has the locale of the site.
const DEFAULTS: [(&str, &str); 2] = [("_locale", "user"), ("context", "view")];

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
        let (sent, objection) = match SentParameters::of(operation, &target, pairs) {
            Ok(sent) => (sent, None),
            Err(ask) => (SentParameters::default(), Some(ask)),
        };
        let shape = CopyShape::of(operation, &target, &sent);
        let objection = objection.or_else(|| shape.is_none().then_some(Ask::Argument));
        Some(Self {
            target,
            sent,
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
        let mut arguments = self.sent.texts.iter();
        arguments
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Prints what the client wants of the body of a response that is no error.
    pub(super) fn print(&self, body: Bytes) -> Result<Bytes, Ask> {
        let Some(members) = &self.sent.members else {
            return Ok(body);
        };
        let text = std::str::from_utf8(&body).map_err(|_| Ask::Printed)?;
        let mut printed = Vec::new();
        members.print(text, &mut printed)?;
        Ok(printed.into())
    }

    /// Whether the records of a list are printed.
    pub(super) fn prints_records(&self) -> bool {
        self.sent.prints_records(&self.target)
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

// === impl SentParameters ===

impl SentParameters {
    fn of(operation: &'static Operation, target: &CopyTarget, pairs: &str) -> Result<Self, Ask> {
        let mut sent = Self::default();
        for (key, value) in parse_form(pairs.as_bytes()).entries() {
            let KeyRef::Text(name) = key else {
                return Err(Ask::Undeclared);
            };
            if name == b"_fields" {
                sent.members = WantedMembers::of(value)?;
                continue;
            }
            let text = value.as_text().and_then(|text| std::str::from_utf8(text).ok());
            let is_default = |(known, only): &(&str, &str)| known.as_bytes() == name && text == Some(only);
            if DEFAULTS.iter().any(is_default) {
                continue;
            }
            let declared = operation.argument(name).map(|argument| argument.name);
            let known = declared.or_else(|| target.without_effect(name));
            let known = known.ok_or(if name.starts_with(b"_") || name == b"context" {
                Ask::Presentation
            } else {
                Ask::Undeclared
            })?;
            let text = text.ok_or(Ask::Value)?;
            if operation.id.route.path_parameter() != Some(known) {
                sent.texts.push((known, text.to_owned()));
            }
        }
        // WordPress prepares terms by the same names before it leaves members out.
        if sent.members.is_some() && target.is_of_terms() && sent.prints_records(target) {
            return Err(Ask::Presentation);
        }
        Ok(sent)
    }

    /// Whether records are printed: a client may want the frame of a list alone.
    pub(super) fn prints_records(&self, target: &CopyTarget) -> bool {
        match (&self.members, target) {
            (Some(members), CopyTarget::List(kind)) => members.has(kind.collection()),
            _ => true,
        }
    }
}

// === impl CopyTarget ===

impl CopyTarget {
    const fn is_of_terms(&self) -> bool {
        let (Self::List(kind) | Self::Number(kind, _) | Self::Slug(kind, _)) = self;
        matches!(kind, Kind::Category | Kind::Tag)
    }

    /// The name of a parameter that changes no response to everybody, whatever its value. The plugin reads no context of
    /// posts, and only a single term has links, which are embedded.
    fn without_effect(&self, name: &[u8]) -> Option<&'static str> {
        match name {
            b"_locale" => Some("_locale"),
            b"_embed" if !matches!(self, Self::Number(Kind::Category | Kind::Tag, _)) => Some("_embed"),
            b"context" if !self.is_of_terms() => Some("context"),
            _ => None,
        }
    }
}
