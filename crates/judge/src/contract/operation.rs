//! An operation: the action of one method on one route.

use http::Method;

use super::argument::Argument;
use super::kind::{Kind, Route};

/// The action of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// Describe: the namespace index and `/doc`.
    Describe,
    /// List a collection.
    List,
    /// Create a record.
    Create,
    /// Read one record.
    Read,
    /// Update one record; POST, PUT and PATCH are one operation.
    Update,
    /// Delete one record.
    Delete,
}

/// The stable identity of an operation: an index into the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId {
    /// The route of the operation.
    pub route: Route,
    /// The action on this route.
    pub action: Action,
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// Route and action.
    pub id: OperationId,
    /// The position in the table.
    pub position: usize,
    /// The name used in settings, metrics and logs: `events.create`, `events.by-slug.read`.
    pub name: String,
    /// The arguments in the backend's declaration order, path parameter first.
    pub arguments: Vec<Argument>,
}

/// The part of a request that carries an argument (specification, "Request payloads").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Place {
    /// A segment of the path.
    Path,
    /// The query: reads and deletes have no body.
    Query,
    /// The body of a write.
    Body,
}

// === impl Place ===

impl Place {
    /// The name, as `in` of an `OpenAPI` parameter spells it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

// === impl Action ===

impl Action {
    /// The methods that stand for this action, the canonical one first.
    pub fn methods(self) -> &'static [Method] {
        match self {
            Self::Describe | Self::List | Self::Read => &[Method::GET],
            Self::Create => &[Method::POST],
            Self::Update => &[Method::POST, Method::PUT, Method::PATCH],
            Self::Delete => &[Method::DELETE],
        }
    }

    /// Returns true if the action changes the calendar.
    pub const fn is_write(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Delete)
    }

    /// The word for the action in operation names: `list`, `create`, …
    pub fn name(self) -> &'static str {
        self.into()
    }
}

// === impl OperationId ===

impl OperationId {
    /// The name used in settings, metrics and logs.
    pub(super) fn name(self) -> String {
        match self.route {
            Route::Index => "index".to_owned(),
            Route::Doc => "doc".to_owned(),
            Route::Collection(kind) | Route::Item(kind) => {
                format!("{}.{}", kind.collection(), self.action.name())
            }
            Route::BySlug(kind) => format!("{}.by-slug.{}", kind.collection(), self.action.name()),
        }
    }

    /// The kind of record the operation is about.
    pub const fn kind(self) -> Option<Kind> {
        self.route.kind()
    }
}

// === impl Operation ===

impl Operation {
    /// The argument with this name; names are compared byte by byte.
    pub fn argument(&self, name: &[u8]) -> Option<&Argument> {
        self.arguments
            .iter()
            .find(|argument| argument.name.as_bytes() == name)
    }

    /// The part of the request that carries an argument of this operation.
    pub fn place(&self, argument: &Argument) -> Place {
        if self.id.route.path_parameter() == Some(argument.name) {
            return Place::Path;
        }
        match self.id.action {
            Action::Describe | Action::List | Action::Read | Action::Delete => Place::Query,
            Action::Create | Action::Update => Place::Body,
        }
    }

    /// Returns true if the operation changes the calendar.
    pub const fn is_write(&self) -> bool {
        self.id.action.is_write()
    }
}
