//! A published index as a document of the edge's own, which outlives a restart.

use serde_json::{Map, Value};

use super::super::operation::Operation;
use super::super::table::table;
use super::index::{IndexFault, PublishedIndex};

const OPERATIONS: &str = "operations";
const EVENT_IDS: &str = "event_ids";

// === impl PublishedIndex ===

impl PublishedIndex {
    /// The index as JSON: the names of arguments by operation, and how event ids are checked.
    pub fn to_json(&self) -> Value {
        let entry = |operation: &Operation| {
            let names: Vec<Value> = self.arguments(operation)?.map(Value::from).collect();
            Some((operation.name.clone(), Value::from(names)))
        };
        let operations: Map<String, Value> = table().operations().iter().filter_map(entry).collect();
        serde_json::json!({
            OPERATIONS: operations,
            EVENT_IDS: self.event_ids.map(<&str>::from),
        })
    }

    /// Reads what [`PublishedIndex::to_json`] wrote, with the bounds of an index.
    ///
    /// # Errors
    /// The reason why the document is not an index.
    pub fn from_json(document: &Value) -> Result<Self, IndexFault> {
        let event_ids = document.get(EVENT_IDS).and_then(Value::as_str);
        let find = |operation: &Operation| {
            let names = document.get(OPERATIONS)?.get(&operation.name)?.as_array()?;
            names.iter().map(Value::as_str).collect()
        };
        Self::of(find, event_ids.and_then(|name| name.parse().ok()))
    }
}
