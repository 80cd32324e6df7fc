//! The subject of a response body, which determines where the namespace is renamed.

use http::Method;

use calendar_edge_judge::contract::{Action, OperationId};

/// The subject of a response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// Records, which contain the namespace in URLs only.
    #[default]
    Records,
    /// The API itself, where the namespace is a name: the index, `/doc`, responses to OPTIONS.
    Description,
}

// === impl Content ===

impl Content {
    /// The subject of the response to a method on an operation.
    pub fn of(operation: OperationId, method: &Method) -> Self {
        if operation.action == Action::Describe || method == Method::OPTIONS {
            return Self::Description;
        }
        Self::Records
    }
}
