//! A table in force for clients that get the contract of another version than the site's.

use std::sync::Arc;

use super::{ArgumentStanding, OperationInForce, TableInForce};
use crate::contract::operation::Operation;
use crate::contract::table::table;
use crate::contract::versions::{PluginVersion, SiteVersion, dated_differences};

// === impl TableInForce ===

impl TableInForce {
    /// The same table for clients that get the contract of a version, whatever the site has: arguments of that version are
    /// judged, and younger ones are dropped.
    #[must_use]
    pub fn in_version(&self, wanted: PluginVersion) -> Self {
        let operations = table().operations().iter().zip(&self.operations);
        Self {
            operations: operations
                .map(|(operation, in_force)| in_force.in_version(operation, wanted))
                .collect(),
            wanted: Some(wanted),
            event_ids: SiteVersion::exactly(wanted).event_ids(),
            ..*self
        }
    }

    /// The table for clients that get the contract of a version; none: that of the site.
    #[must_use]
    pub fn for_clients(table: Arc<Self>, wanted: Option<PluginVersion>) -> Arc<Self> {
        match wanted {
            Some(wanted) => Arc::new(table.in_version(wanted)),
            None => table,
        }
    }
}

// === impl OperationInForce ===

impl OperationInForce {
    fn in_version(&self, operation: &Operation, wanted: PluginVersion) -> Self {
        let mut this = self.clone();
        for (argument, standing) in operation.arguments.iter().zip(&mut this.standings) {
            let mut rows = dated_differences().iter();
            let row = rows.find(|row| row.arguments(&operation.name).contains(&argument.name));
            match row {
                Some(row) if row.since > wanted => *standing = ArgumentStanding::Dropped,
                Some(_) => *standing = ArgumentStanding::Judged,
                None => {}
            }
        }
        this
    }
}
