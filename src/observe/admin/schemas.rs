//! The contracts of the site, and the last requests that it answered in another way than they say.

use serde::Serialize;

use super::service::AdminParts;
use crate::companion::ShownContract;
use crate::telemetry::SchemaDisagreement;

/// The document of `/schemas`.
#[derive(Serialize)]
pub(super) struct SchemasDocument {
    contracts: Vec<ShownContract>,
    disagreements: Vec<SchemaDisagreement>,
}

// === impl SchemasDocument ===

impl SchemasDocument {
    pub(super) fn of(parts: &AdminParts) -> Self {
        Self {
            contracts: parts.contracts.shown(),
            disagreements: parts.metrics.surface().disagreements().all(),
        }
    }
}
