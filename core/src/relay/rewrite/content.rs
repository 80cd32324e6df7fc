//! What the body of a response is about, which decides where the namespace is renamed.

use http::Method;

use crate::contract::{Action, OperationId};

/// What the body of a response is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// Records, where the namespace stands in URLs only.
    #[default]
    Records,
    /// The API itself, where the namespace is a name: the index, `/doc`, answers to OPTIONS.
    Description,
}

// === impl Content ===

impl Content {
    /// What the response to a method on an operation is about.
    pub fn of(operation: OperationId, method: &Method) -> Self {
        if operation.action == Action::Describe || method == Method::OPTIONS {
            return Self::Description;
        }
        Self::Records
    }
}
