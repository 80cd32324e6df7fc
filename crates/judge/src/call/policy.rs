//! The policy that applies to a call, before sites that publish their tables.

use super::rules::{ImageHosts, JudgeContext, created, members};
use crate::call::credentials::Caller;
use crate::contract::{Argument, Kind, Operation, Role, TableInForce, TablesInForce};
use crate::policy::{Mode, Policy, Profile, ReadLimits, UndeclaredParameters, Writes};
use crate::problem::{OwnError, Problem, Words};
use crate::wordpress::payload::Parameters;
use crate::wordpress::value::{PhpArray, Value};

/// A policy with the tables of the sites.
#[derive(Debug, Clone)]
pub(super) struct PolicyInForce {
    policy: Policy,
    tables: TablesInForce,
    images: ImageHosts,
}

impl PolicyInForce {
    pub(super) fn new(policy: Policy, tables: TablesInForce) -> Self {
        Self {
            images: ImageHosts::listed(policy.image_hosts.clone()),
            policy,
            tables,
        }
    }

    /// The mode for an operation, or for requests that lead to none.
    pub(super) fn mode(&self, operation: Option<&Operation>) -> Mode {
        self.policy.mode(operation)
    }

    /// The counts that are read of one request.
    pub(super) const fn limits(&self) -> &ReadLimits {
        &self.policy.limits
    }

    /// Returns true if the rules of the strict profile apply to calls of an operation, or to requests that
    /// lead to no operation. The mode decides what an objection means: see [`PolicyInForce::enforced_profile`].
    pub(super) fn is_strict(&self, operation: Option<&Operation>) -> bool {
        self.policy.profile(operation) == Profile::Strict
    }

    /// The profile whose rules decide: strict only if its objections are enforced. In report mode the strict
    /// rules run as well, but their objections are only findings.
    pub(super) fn enforced_profile(&self, operation: Option<&Operation>) -> Profile {
        if self.is_strict(operation) && self.mode(operation) == Mode::Enforce {
            Profile::Strict
        } else {
            Profile::Compatible
        }
    }

    /// Returns true if a call names the author of a record, and the settings forbid it (T-33).
    pub(super) fn refuses_author(&self, operation: &Operation, parameters: &Parameters) -> bool {
        let allowed = self
            .policy
            .allow_author
            .unwrap_or(!self.is_strict(Some(operation)));
        !allowed && operation.is_write() && names_author(operation, parameters)
    }

    /// The table by which the calls of a root are judged.
    pub(super) fn table(&self, root: usize) -> &TableInForce {
        self.tables.of_root(root)
    }

    /// Undeclared parameters that the settings allow for an operation.
    pub(super) fn extra_parameters(&self, operation: &Operation) -> impl Iterator<Item = &str> + Clone {
        let own = self.policy.of(Some(operation));
        let own = own.map_or(&[][..], |own| &own.extra_parameters);
        self.policy.extra_parameters.iter().chain(own).map(String::as_str)
    }

    /// The treatment of undeclared parameters of an operation by the settings.
    pub(super) fn undeclared(&self, operation: &Operation) -> UndeclaredParameters {
        self.policy
            .undeclared
            .unwrap_or(if self.is_strict(Some(operation)) {
                UndeclaredParameters::Refuse
            } else {
                UndeclaredParameters::Drop
            })
    }

    /// Returns true if values that the plugin fails on are converted to a form that it accepts.
    pub(super) const fn repairs(&self) -> bool {
        self.policy.repair
    }

    /// The facts besides the value that a judgement of this caller's values depends on.
    pub(super) fn judge_context(&self, root: usize, caller: Caller) -> JudgeContext<'_> {
        JudgeContext {
            caller,
            images: &self.images,
            generations: self.table(root).generations(),
        }
    }

    /// The hosts that images may come from.
    pub(super) fn images(&self) -> &ImageHosts {
        &self.images
    }

    /// The public addresses of the API on one root, below the host: root path and namespace.
    pub(super) fn bases(&self, root: usize) -> impl Iterator<Item = String> {
        let root = self.policy.roots.get(root).map_or("", |root| root.path.as_str());
        self.policy
            .namespaces
            .iter()
            .map(move |namespace| format!("{root}/{namespace}"))
    }

    /// The sentences of one root's site.
    pub(super) fn words(&self, root: usize) -> &Words {
        const ENGLISH: &Words = &Words::english();
        self.policy.roots.get(root).map_or(ENGLISH, |root| &root.words)
    }

    /// Checks that the settings offer an operation.
    pub(super) fn offers(&self, operation: &Operation) -> Result<(), Problem> {
        if self.policy.of(Some(operation)).is_some_and(|own| !own.allow) {
            return Err(DENIED);
        }
        if self.policy.read_only && operation.is_write() {
            return Err(READ_ONLY);
        }
        Ok(())
    }

    /// Returns true if a call of this operation must carry credentials and this caller has none.
    pub(super) fn lacks_credentials(&self, operation: &Operation, caller: Caller) -> bool {
        self.policy.writes == Writes::Credentials && operation.is_write() && caller == Caller::Anonymous
    }

    /// The problem with the `_jsonp` of a query, if there is one.
    pub(super) fn callback_problem(&self, query: &PhpArray) -> Option<Problem> {
        let is_name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
        match query.get("_jsonp")? {
            Value::String(name) if !name.iter().all(is_name_byte) => Some(Problem::InvalidCallback),
            Value::String(name) if name.is_empty() || self.policy.allow_jsonp => None,
            Value::String(_) => Some(Problem::CallbackDisabled),
            _ => Some(Problem::InvalidCallback),
        }
    }

    /// Returns true if the response to a query is a script.
    pub(super) fn is_script(&self, query: &PhpArray) -> bool {
        let name = query.get("_jsonp").and_then(Value::as_text);
        self.policy.allow_jsonp && name.is_some_and(|name| !name.is_empty())
    }

    /// Returns true if a client may ask the index for this namespace.
    pub(super) fn is_public(&self, namespace: &Value) -> bool {
        let name = namespace.as_text();
        self.policy
            .namespaces
            .iter()
            .any(|public| Some(public.as_bytes()) == name)
    }
}

/// Returns true if the call names the author of the record, or of a record that is created with it.
fn names_author(operation: &Operation, parameters: &Parameters) -> bool {
    operation.arguments.iter().any(|argument| {
        let Some((_, value)) = parameters.get(argument.name) else {
            return false;
        };
        match argument.rule.creates() {
            Some(kind) => record_names_author(kind, value),
            None => argument.role == Role::Author,
        }
    })
}

fn record_names_author(kind: Kind, value: &Value) -> bool {
    let is_author = |argument: &&Argument| argument.role == Role::Author;
    let mut authors = created(kind)
        .arguments
        .iter()
        .filter(is_author)
        .flat_map(|argument| members(value, argument.name));
    authors.any(|author| *author != Value::Null)
}

pub(super) const AUTHOR_DENIED: Problem = Problem::Own(OwnError::AUTHOR_DENIED);

const DENIED: Problem = Problem::Own(OwnError::OPERATION_DENIED);

const READ_ONLY: Problem = Problem::Own(OwnError::READ_ONLY);
