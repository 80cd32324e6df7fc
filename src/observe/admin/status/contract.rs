//! What a site publishes, compared with the table.

use serde::Serialize;

use calendar_edge_judge::contract::TableInForce;

/// The comparison of one root's index with the table.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ContractFacts {
    read: bool,
    generation: String,
    differences: Vec<String>,
}

// === impl ContractFacts ===

impl ContractFacts {
    pub(super) fn of(table: &TableInForce) -> Self {
        Self {
            read: table.is_read(),
            generation: table.generations().to_string(),
            differences: table.differences(),
        }
    }
}
