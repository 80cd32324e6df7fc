//! The settings that the document depends on besides the table.

use std::sync::Arc;

use super::super::catalogue::UNPUBLISHED;
use calendar_edge_judge::contract::{Argument, Operation, SPECIFIED_NAMESPACE, TableInForce};

/// The inputs of the document besides the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenApiOptions {
    /// The public REST roots, in the order of the settings; every root serves every namespace.
    pub roots: Vec<PublicRoot>,
    /// The public names of the namespace, the preferred one first.
    pub namespaces: Vec<String>,
    /// The table in force at the site.
    pub table: Arc<TableInForce>,
}

/// A REST root as clients reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicRoot {
    /// Its URL without a trailing slash, `https://events.example.org/wp-json`, or a path if the document is
    /// served from the same host.
    pub url: String,
    /// The language of its site, if known.
    pub language: Option<String>,
}

impl Default for OpenApiOptions {
    /// Returns one root at `/wp-json` and the specified namespace.
    fn default() -> Self {
        Self {
            roots: vec![PublicRoot {
                url: "/wp-json".to_owned(),
                language: None,
            }],
            namespaces: vec![SPECIFIED_NAMESPACE.to_owned()],
            table: TableInForce::unread(),
        }
    }
}

impl OpenApiOptions {
    /// Returns true for an argument that the version whose contract clients get does not have.
    pub(super) fn drops(&self, operation: &Operation, argument: &Argument) -> bool {
        self.table.operation(operation).drops(operation, argument.name)
    }

    /// A description with a note if the site does not publish the argument.
    pub(super) fn in_force(&self, operation: &Operation, argument: &Argument, description: String) -> String {
        let mut unjudged = self.table.operation(operation).unjudged(operation);
        if unjudged.any(|known| known.name == argument.name) {
            return format!("{description} {UNPUBLISHED}");
        }
        description
    }
}
