//! What the settings say about calls: mode, profile, and what is offered at all.

use std::collections::HashMap;

use http::StatusCode;

use super::caller::Caller;
use super::encode::Encoding;
use super::images::ImageHosts;
use super::linked::members;
use super::rules::Premises;
use crate::contract::{Argument, Operation, OperationId, Rule};
use crate::payload::Bags;
use crate::problem::{Problem, Words};
use crate::settings::{Limits, Mode, OperationSettings, Profile, Root, Settings, Writes};
use crate::value::{PhpArray, Value};

/// The part of the settings that judges calls.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    mode: Mode,
    profile: Profile,
    writes: Writes,
    read_only: bool,
    allow_author: Option<bool>,
    allow_jsonp: bool,
    operations: HashMap<OperationId, OperationSettings>,
    /// In the settings' order.
    roots: Vec<Root>,
    public_namespaces: Vec<String>,
    origin_namespace: String,
    images: ImageHosts,
    pub(super) limits: Limits,
}

impl Policy {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            mode: settings.mode,
            profile: settings.profile,
            writes: settings.writes,
            read_only: settings.read_only,
            allow_author: settings.allow_author,
            allow_jsonp: settings.allow_jsonp,
            operations: settings.operations.clone(),
            roots: settings.roots.clone(),
            public_namespaces: settings.namespaces.clone(),
            origin_namespace: settings.origin.namespace.clone(),
            images: ImageHosts::new(settings),
            limits: settings.limits.clone(),
        }
    }

    /// The mode for an operation, or for requests that lead to none.
    pub(super) fn mode(&self, operation: Option<&Operation>) -> Mode {
        self.of(operation)
            .and_then(|settings| settings.mode)
            .unwrap_or(self.mode)
    }

    /// Whether an operation's calls, or requests that lead to none, are held to the letter of the
    /// specification.
    pub(super) fn is_strict(&self, operation: Option<&Operation>) -> bool {
        let profile = self.of(operation).and_then(|settings| settings.profile);
        profile.unwrap_or(self.profile) == Profile::Strict
    }

    /// Whether a call names the author of a record and must not (T-33).
    pub(super) fn refuses_author(&self, operation: &Operation, bags: &Bags) -> bool {
        let allowed = self.allow_author.unwrap_or(!self.is_strict(Some(operation)));
        !allowed && operation.is_write() && names_author(operation, bags)
    }

    /// What the encoder needs to know for an operation.
    pub(super) fn encoding(&self, operation: &Operation) -> Encoding<'_> {
        let extra = self
            .of(Some(operation))
            .map_or(&[][..], |settings| &settings.extra_parameters);
        Encoding {
            namespace: &self.origin_namespace,
            extra,
        }
    }

    /// What values of this caller are judged by.
    pub(super) fn premises(&self, caller: Caller) -> Premises<'_> {
        Premises {
            caller,
            images: &self.images,
        }
    }

    /// Where images may come from.
    pub(super) fn images(&self) -> &ImageHosts {
        &self.images
    }

    /// The public addresses of the API on one root, below the host: root path and namespace.
    pub(super) fn bases(&self, root: usize) -> impl Iterator<Item = String> {
        let root = self.roots.get(root).map_or("", |root| root.path.as_str());
        self.public_namespaces
            .iter()
            .map(move |namespace| format!("{root}/{namespace}"))
    }

    /// The sentences of one root's site.
    pub(super) fn words(&self, root: usize) -> &Words {
        const ENGLISH: &Words = &Words::english();
        self.roots.get(root).map_or(ENGLISH, |root| &root.words)
    }

    /// The namespace at the origin.
    pub(super) fn origin_namespace(&self) -> &str {
        &self.origin_namespace
    }

    /// Whether an operation is offered here at all.
    pub(super) fn offers(&self, operation: &Operation) -> Result<(), Problem> {
        if self.of(Some(operation)).is_some_and(|settings| !settings.allow) {
            return Err(DENIED);
        }
        if self.read_only && operation.is_write() {
            return Err(READ_ONLY);
        }
        Ok(())
    }

    /// Whether a call must show credentials and shows none.
    pub(super) fn lacks_credentials(&self, operation: &Operation, caller: Caller) -> bool {
        self.writes == Writes::Credentials && operation.is_write() && caller == Caller::Anonymous
    }

    /// What is wrong with the `_jsonp` of a query.
    pub(super) fn callback_problem(&self, query: &PhpArray) -> Option<Problem> {
        let is_name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
        match query.get("_jsonp")? {
            Value::String(name) if !name.iter().all(is_name_byte) => Some(Problem::InvalidCallback),
            Value::String(name) if name.is_empty() || self.allow_jsonp => None,
            Value::String(_) => Some(Problem::CallbackDisabled),
            _ => Some(Problem::InvalidCallback),
        }
    }

    /// Whether the answer to a query is a script.
    pub(super) fn is_script(&self, query: &PhpArray) -> bool {
        let name = query.get("_jsonp").and_then(Value::as_text);
        self.allow_jsonp && name.is_some_and(|name| !name.is_empty())
    }

    /// Whether the index may be asked for this namespace.
    pub(super) fn is_public(&self, namespace: &Value) -> bool {
        let name = namespace.as_text();
        self.public_namespaces
            .iter()
            .any(|public| Some(public.as_bytes()) == name)
    }

    fn of(&self, operation: Option<&Operation>) -> Option<&OperationSettings> {
        self.operations.get(&operation?.id)
    }
}

/// Whether a record, or one that is created with it, names its author.
fn names_author(operation: &Operation, bags: &Bags) -> bool {
    let sent = |argument: &Argument| bags.get(argument.name).map(|(_, value)| value);
    operation.arguments.iter().any(|argument| match argument.rule {
        Rule::VenueEntry | Rule::OrganizerEntry => {
            let authors = sent(argument).map(|value| members(value, "author"));
            authors.into_iter().flatten().any(|author| *author != Value::Null)
        }
        _ => argument.name == "author" && sent(argument).is_some(),
    })
}

pub(super) const AUTHOR_DENIED: Problem = Problem::edge(
    StatusCode::FORBIDDEN,
    "edge_author_denied",
    "The author of a record cannot be chosen here.",
);

const DENIED: Problem = Problem::edge(
    StatusCode::FORBIDDEN,
    "edge_operation_denied",
    "This operation is not offered here.",
);

const READ_ONLY: Problem = Problem::edge(
    StatusCode::FORBIDDEN,
    "edge_read_only",
    "The calendar is read-only at the moment.",
);
